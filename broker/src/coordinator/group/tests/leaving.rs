//! Members that go.

use super::*;

/// GROUP-15
#[test]
fn each_of_several_that_leave_has_its_own_outcome() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    let by_instance = |member: &str| Leaving { member_id: member.into(), instance_id: Some("nobody".into()) };
    let outcomes =
        session.leave("g", &[leaving(&follower), leaving("nope"), by_instance(""), by_instance("nope")]);
    let unknown = Err(GroupError::UnknownMember);
    assert_eq!(outcomes, [Ok(()), unknown, unknown, unknown]);
    assert_eq!(session.heartbeat("g", generation, &leader), Err(GroupError::RebalanceInProgress));
    assert_eq!(session.leave("none", &[leaving("m")]), [unknown]);
}

#[test]
fn last_member_leaves_an_empty_group_that_keeps_its_type() {
    let mut session = Session::new();
    let (member, generation) = stable(&mut session, &consumer());
    assert_eq!(session.leave("g", &[leaving(&member)]), [Ok(())]);
    let description = session.groups.describe("g").expect("still there");
    assert_eq!((description.state, &*description.protocol_type), (State::Empty, "consumer"));
    assert_eq!(session.joins(&known(&member)).expect_err("gone").error, GroupError::UnknownMember);
    assert_eq!(session.heartbeat("g", generation, &member), Err(GroupError::UnknownMember));
    let (_, token) = session.enters(&consumer());
    assert_eq!(session.generation_of(token).generation, generation + 2, "emptying was a generation too");
}

#[test]
fn rebalance_goes_on_when_the_one_awaited_leaves() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    let waiting = session.join(&known(&follower));
    assert!(session.heard_join(waiting).is_some_and(|reply| reply.is_ok()), "nothing new, so no rebalance");
    let waiting = session.join(&known(&leader));
    assert_eq!(session.leave("g", &[leaving(&follower)]), [Ok(())]);
    assert_eq!(session.generation_of(waiting).generation, generation + 1);
}

#[test]
fn id_that_was_given_out_can_be_given_back() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let pending = session.joins(&consumer()).expect_err("no id yet").member_id;
    let waiting = session.join(&known(&leader));
    assert_eq!(session.heard_join(waiting), None, "somebody may still come");
    assert_eq!(session.leave("g", &[leaving(&pending)]), [Ok(())]);
    assert!(session.heard_join(waiting).is_some());
}

#[test]
fn whoever_leaves_while_waiting_hears_it() {
    let mut session = Session::new();
    stable(&mut session, &consumer());
    let (newcomer, waiting) = session.enters(&consumer());
    assert_eq!(session.leave("g", &[leaving(&newcomer)]), [Ok(())]);
    let refusal = session.heard_join(waiting).expect("answered").expect_err("gone");
    assert_eq!((refusal.error, &*refusal.member_id), (GroupError::UnknownMember, ""));
}
