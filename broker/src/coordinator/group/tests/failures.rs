//! What happens when records cannot be appended.

use super::*;

#[test]
fn group_that_cannot_be_written_is_not_created() {
    let mut session = Session::new();
    for (failure, error) in [
        (AppendFailure::NotEnoughReplicas, GroupError::NotAvailable),
        (AppendFailure::Storage, GroupError::NotCoordinator),
        (AppendFailure::TooLarge, GroupError::StateTooLarge),
    ] {
        session.failure = Some(failure);
        let refusal = session.joins(&consumer()).expect_err("refused");
        assert_eq!((refusal.error, &*refusal.member_id), (error, ""));
        session.failure = Some(failure);
        assert_eq!(session.joins(&old_consumer()).expect_err("refused").error, error);
        assert_eq!(session.state("g"), None);
        assert_eq!(session.groups.next_deadline_ms(), None);
    }
}

#[test]
fn assignment_that_cannot_be_written_reaches_nobody_and_the_group_rebalances() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let (follower, _) = session.enters(&consumer());
    let generation = session.joins(&known(&leader)).expect("joined").generation;
    let waiting = session.sync(&sync(generation, &follower, &[]));
    session.failure = Some(AppendFailure::DiskFull);
    let error = Err(GroupError::NotCoordinator);
    assert_eq!(session.syncs(&sync(generation, &leader, &[(&leader, b"L"), (&follower, b"F")])), error);
    assert_eq!(session.heard_sync(waiting), Some(error));
    assert_eq!(session.state("g"), Some(State::PreparingRebalance));
    let members = session.groups.describe("g").expect("there").members;
    assert!(members.iter().all(|member| member.assignment.is_empty()));
    session.join(&known(&leader));
    assert_eq!(session.joins(&known(&follower)).expect("joined").generation, generation + 1);
}

#[test]
fn static_member_whose_return_cannot_be_written_stays_who_it_was() {
    let mut session = Session::new();
    let instance = JoinRequest { instance_id: Some("i1".into()), ..consumer() };
    let old = session.joins(&instance).expect("joined").member_id;
    session.syncs(&sync(1, &old, &[(&old, b"A")])).expect("synced");
    session.failure = Some(AppendFailure::TimedOut);
    let refusal = session.joins(&instance).expect_err("refused");
    assert_eq!((refusal.error, &*refusal.member_id), (GroupError::NotAvailable, ""));
    assert_eq!(session.heartbeat("g", 1, &old), Ok(()));
    assert_eq!(session.syncs(&sync(1, &old, &[])).expect("synced").assignment, "A");
}

#[test]
fn commit_that_cannot_be_written_changes_nothing() {
    let mut session = Session::new();
    session.failure = Some(AppendFailure::Storage);
    assert_eq!(session.commit(&commit(-1, "", vec![offset(0, 5)])), Err(GroupError::NotCoordinator));
    assert_eq!(session.state("g"), None);
    assert!(session.groups.fetch("g", None).is_empty());
}

#[test]
fn group_becomes_empty_even_if_that_cannot_be_written() {
    let mut session = Session::new();
    let (member, _) = stable(&mut session, &consumer());
    session.failure = Some(AppendFailure::Storage);
    assert_eq!(session.leave("g", &[leaving(&member)]), [Ok(())]);
    assert_eq!(session.state("g"), Some(State::Empty));
}
