//! Members that come back under the same name (KIP-345).

use super::*;

fn instance() -> JoinRequest {
    JoinRequest { instance_id: Some("i1".into()), ..consumer() }
}

/// A stable group of a static leader; its member id.
fn stable_instance(session: &mut Session) -> Arc<str> {
    let joined = session.joins(&instance()).expect("static members are never sent back");
    let synced = session.syncs(&sync(joined.generation, &joined.member_id, &[(&joined.member_id, b"A")]));
    assert!(synced.is_ok());
    joined.member_id
}

fn as_instance(session: &mut Session, generation: i32, member: &str) -> Result<(), GroupError> {
    let identity = Identity { member_id: member, instance_id: Some("i1") };
    session.groups.heartbeat(session.now, "g", generation, identity)
}

/// GROUP-12
#[test]
fn restart_within_the_session_keeps_generation_and_assignment_and_fences_the_old_id() {
    let mut session = Session::new();
    let old = stable_instance(&mut session);
    assert_eq!(&*old, "i1-00000000-0000-0000-0000-000000000001");
    let joined = session.joins(&instance()).expect("joined");
    assert_ne!(joined.member_id, old);
    assert_eq!((joined.generation, joined.skip_assignment), (1, true));
    assert_eq!(joined.leader, joined.member_id);
    assert_eq!(joined.members.len(), 1);

    assert_eq!(as_instance(&mut session, 1, &old), Err(GroupError::FencedInstance));
    assert_eq!(session.heartbeat("g", 1, &old), Err(GroupError::UnknownMember));
    let old_sync = SyncRequest { instance_id: Some("i1".into()), ..sync(1, &old, &[]) };
    assert_eq!(session.syncs(&old_sync), Err(GroupError::FencedInstance));
    let old_join = JoinRequest { member_id: old.to_string(), ..instance() };
    let refusal = session.joins(&old_join).expect_err("fenced");
    assert_eq!((refusal.error, refusal.member_id), (GroupError::FencedInstance, old.clone()));
    let old_commit = CommitRequest { instance_id: Some("i1".into()), ..commit(1, &old, vec![offset(0, 1)]) };
    assert_eq!(session.commit(&old_commit), Err(GroupError::FencedInstance));

    assert_eq!(as_instance(&mut session, 1, &joined.member_id), Ok(()));
    assert_eq!(session.syncs(&sync(1, &joined.member_id, &[])).expect("synced").assignment, "A");
}

/// GROUP-12
#[test]
fn leader_that_cannot_skip_the_assignment_is_shown_its_old_id() {
    let mut session = Session::new();
    let old = stable_instance(&mut session);
    let joined = session.joins(&JoinRequest { can_skip_assignment: false, ..instance() }).expect("joined");
    assert_eq!(joined.leader, old);
    assert!(joined.members.is_empty() && !joined.skip_assignment);
}

/// GROUP-12
#[test]
fn changed_metadata_alone_is_no_rebalance() {
    let mut session = Session::new();
    stable_instance(&mut session);
    let protocols = vec![("range".into(), Bytes::from_static(b"\x02"))];
    let joined = session.joins(&JoinRequest { protocols, ..instance() }).expect("joined");
    assert_eq!(joined.generation, 1);
    assert_eq!(joined.members[0].metadata, "\x02");
    assert_eq!(session.groups.describe("g").expect("there").members[0].metadata, "\x02");
}

#[test]
fn return_before_the_assignment_is_a_rebalance() {
    let mut session = Session::new();
    assert_eq!(session.joins(&instance()).expect("joined").generation, 1);
    assert_eq!(session.joins(&instance()).expect("joined").generation, 2);
}

#[test]
fn whoever_waits_under_the_old_id_is_fenced() {
    let mut session = Session::new();
    stable(&mut session, &consumer());
    let waiting = session.join(&instance());
    let second = session.join(&instance());
    let refusal = session.heard_join(waiting).expect("answered").expect_err("fenced");
    assert_eq!(refusal.error, GroupError::FencedInstance);
    assert_eq!(session.heard_join(second), None);
}

/// GROUP-14
#[test]
fn static_member_stays_until_its_session_ends_or_an_administrator_removes_it() {
    let mut session = Session::new();
    let member = stable_instance(&mut session);
    session.advance(9999);
    assert_eq!(as_instance(&mut session, 1, &member), Ok(()));
    let by_instance = |member: &str| Leaving { member_id: member.into(), instance_id: Some("i1".into()) };
    assert_eq!(session.leave("g", &[by_instance("nope")]), [Err(GroupError::FencedInstance)]);
    assert_eq!(session.leave("g", &[by_instance("")]), [Ok(())]);
    assert_eq!(session.leave("g", &[by_instance("")]), [Err(GroupError::UnknownMember)]);
    assert_eq!(session.state("g"), Some(State::Empty));

    let member = stable_instance(&mut session);
    session.advance(10_000);
    assert_eq!(as_instance(&mut session, 3, &member), Err(GroupError::UnknownMember));
}

#[test]
fn instance_ids_of_nobody_and_of_others_are_told_apart() {
    let mut session = Session::new();
    let (member, _) = stable(&mut session, &consumer());
    let request = JoinRequest { instance_id: Some("nobody".into()), ..known(&member) };
    assert_eq!(session.joins(&request).expect_err("unknown").error, GroupError::UnknownMember);
}

#[test]
fn absent_static_member_is_kept_through_a_rebalance_with_its_assignment() {
    let mut session = Session::new();
    let fixed = JoinRequest { session_timeout_ms: 600_000, ..instance() };
    let first = session.joins(&fixed).expect("joined");
    session.syncs(&sync(1, &first.member_id, &[(&first.member_id, b"A")])).expect("synced");
    let (_, waiting) = session.enters(&consumer());
    session.advance(20_000);
    let joined = session.generation_of(waiting);
    assert_eq!((joined.generation, joined.members.len()), (2, 2));
    assert_eq!(joined.leader, joined.member_id, "an absent member does not lead");
}
