//! Committed offsets and their end.

use std::collections::BTreeSet;

use super::*;
use crate::coordinator::group::subscription::subscription_to;

const RETENTION_MS: i64 = 10_080 * 60_000;

fn committed(groups: &Groups, partition: i32) -> Option<i64> {
    let found = groups.fetch("g", Some(&[("t".into(), vec![partition])]));
    found[0].1[0].1.as_ref().map(|offset| offset.offset)
}

fn expire(session: &mut Session) {
    let records = session.groups.expired(session.now);
    session.write(records).expect("appended");
}

/// OFFS-01
#[test]
fn everything_nothing_and_unknown_groups_can_be_asked_for() {
    let mut session = Session::new();
    session.commit(&commit(-1, "", vec![offset(0, 5), offset(2, 7)])).expect("committed");
    let all = session.groups.fetch("g", None);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].1.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2]);
    assert!(session.groups.fetch("g", Some(&[])).is_empty());
    assert!(session.groups.fetch("none", None).is_empty());
}

/// OFFS-02
#[test]
fn partition_without_a_commit_has_nothing() {
    let mut session = Session::new();
    session.commit(&commit(-1, "", vec![offset(0, 5)])).expect("committed");
    assert_eq!(committed(&session.groups, 9), None);
}

/// OFFS-03
#[test]
fn metadata_is_measured_in_utf16_units_for_each_partition() {
    let mut session = Session::new();
    let with = |partition, metadata: String| OffsetToCommit { metadata, ..offset(partition, 5) };
    let offsets = vec![
        with(0, "x".repeat(4096)),
        with(1, "x".repeat(4097)),
        with(2, "é".repeat(4096)),
        with(3, "😀".repeat(2049)),
    ];
    let too_large = Err(GroupError::OffsetMetadataTooLarge);
    assert_eq!(session.commit(&commit(-1, "", offsets)), Ok(vec![Ok(()), too_large, Ok(()), too_large]));
    assert_eq!(committed(&session.groups, 0), Some(5));
    assert_eq!(committed(&session.groups, 1), None);
}

/// OFFS-05
#[test]
fn outsider_commits_while_nobody_is_in() {
    let mut session = Session::new();
    assert_eq!(session.commit(&commit(-1, "", vec![offset(0, 5)])), Ok(vec![Ok(())]));
    let listing = session.groups.list().next().expect("a simple group");
    assert_eq!((listing.state, &*listing.protocol_type), (State::Empty, ""));

    let (member, generation) = stable(&mut session, &consumer());
    let refused = session.commit(&commit(-1, "", vec![offset(0, 6)]));
    assert_eq!(refused, Err(GroupError::UnknownMember));
    assert_eq!(session.commit(&commit(generation, &member, vec![offset(0, 7)])), Ok(vec![Ok(())]));
    session.leave("g", &[leaving(&member)]);
    assert_eq!(session.commit(&commit(-1, "", vec![offset(0, 8)])), Ok(vec![Ok(())]));
    assert_eq!(committed(&session.groups, 0), Some(8));
    let stale = session.commit(&commit(generation, &member, vec![offset(0, 9)]));
    assert_eq!(stale, Err(GroupError::UnknownMember));
}

/// OFFS-05
#[test]
fn generation_of_a_group_that_is_not_there_is_answered_by_version() {
    let mut session = Session::new();
    let new = commit(3, "m", vec![offset(0, 5)]);
    assert_eq!(session.commit(&new), Err(GroupError::GroupNotFound));
    let old = CommitRequest { knows_group_not_found: false, ..new };
    assert_eq!(session.commit(&old), Err(GroupError::IllegalGeneration));
    assert_eq!(session.state("g"), None);
}

#[test]
fn members_commit_unless_the_assignment_is_awaited() {
    let mut session = Session::new();
    let (member, token) = session.enters(&consumer());
    let generation = session.generation_of(token).generation;
    let mine = commit(generation, &member, vec![offset(0, 5)]);
    assert_eq!(session.commit(&mine), Err(GroupError::RebalanceInProgress));
    session.syncs(&sync(generation, &member, &[])).expect("synced");
    assert!(session.commit(&mine).is_ok());
    for (generation, member, error) in [
        (generation + 1, &*member, GroupError::IllegalGeneration),
        (-1, &*member, GroupError::IllegalGeneration),
        (generation, "nobody", GroupError::UnknownMember),
    ] {
        assert_eq!(session.commit(&commit(generation, member, vec![offset(0, 6)])), Err(error));
    }
    session.enters(&consumer());
    assert!(session.commit(&mine).is_ok(), "clients commit what is taken from them");
}

#[test]
fn commit_is_a_sign_of_life() {
    let mut session = Session::new();
    let (member, generation) = stable(&mut session, &consumer());
    for _ in 0..3 {
        session.advance(9999);
        session.commit(&commit(generation, &member, vec![offset(0, 5)])).expect("committed");
    }
    assert_eq!(session.heartbeat("g", generation, &member), Ok(()));
}

/// OFFS-08
#[test]
fn retention_of_the_request_counts_and_none_means_the_brokers() {
    let mut session = Session::new();
    session.commit(&commit(-1, "", vec![offset(0, 5)])).expect("committed");
    let short = CommitRequest { retention_ms: Some(1000), ..commit(-1, "", vec![offset(1, 5)]) };
    session.commit(&short).expect("committed");
    let forever = CommitRequest { retention_ms: Some(i64::MAX), ..commit(-1, "", vec![offset(2, 5)]) };
    session.commit(&forever).expect("committed");
    session.advance(999);
    expire(&mut session);
    assert_eq!(committed(&session.groups, 1), Some(5));
    session.advance(1);
    expire(&mut session);
    assert_eq!(committed(&session.groups, 1), None);
    session.advance(RETENTION_MS);
    expire(&mut session);
    assert_eq!((committed(&session.groups, 0), committed(&session.groups, 2)), (None, Some(5)));
}

/// OFFS-09
#[test]
fn offsets_of_a_group_with_members_count_from_when_it_became_empty() {
    let mut session = Session::new();
    let subscribed = JoinRequest { protocols: vec![("range".into(), subscription_to(&["t"]))], ..consumer() };
    let (member, generation) = stable(&mut session, &subscribed);
    session.commit(&commit(generation, &member, vec![offset(0, 5)])).expect("committed");
    for _ in 0..3000 {
        session.advance(9000);
        session.heartbeat("g", generation, &member).expect("alive");
    }
    session.now.wall_ms += 10 * RETENTION_MS;
    expire(&mut session);
    assert_eq!(committed(&session.groups, 0), Some(5), "a quiet member loses nothing");

    let start = session.now;
    session.leave("g", &[leaving(&member)]);
    session.now.wall_ms = start.wall_ms + RETENTION_MS - 1;
    expire(&mut session);
    assert_eq!(committed(&session.groups, 0), Some(5));
    session.now.wall_ms += 1;
    expire(&mut session);
    assert_eq!(committed(&session.groups, 0), None);
    assert_eq!(session.state("g"), None, "nothing is left of the group");
}

/// OFFS-09
#[test]
fn consumers_lose_offsets_of_topics_they_dropped() {
    let mut session = Session::new();
    let subscribed = JoinRequest { protocols: vec![("range".into(), subscription_to(&["u"]))], ..consumer() };
    let (member, generation) = stable(&mut session, &subscribed);
    session.commit(&commit(generation, &member, vec![offset(0, 5)])).expect("committed");
    session.now.wall_ms += RETENTION_MS;
    expire(&mut session);
    assert_eq!(committed(&session.groups, 0), None);
    assert_eq!(session.state("g"), Some(State::Stable));
}

/// OFFS-12
#[test]
fn any_offset_is_stored_as_given() {
    let mut session = Session::new();
    for value in [100, 5, -1, -5, i64::MAX, 0] {
        session.commit(&commit(-1, "", vec![offset(0, value)])).expect("committed");
        assert_eq!(committed(&session.groups, 0), Some(value));
    }
    session.commit(&commit(-1, "", vec![offset(0, 7), offset(0, 8)])).expect("committed");
    assert_eq!(committed(&session.groups, 0), Some(8), "the last of two counts");
}

#[test]
fn offsets_of_deleted_topics_go() {
    let mut session = Session::new();
    session.commit(&commit(-1, "", vec![offset(0, 5), offset(1, 5)])).expect("committed");
    let records = session.groups.offsets_of_topics(&BTreeSet::from(["t", "other"]));
    assert_eq!(records.len(), 2);
    session.write(records).expect("appended");
    assert!(session.groups.fetch("g", None).is_empty());
}

#[test]
fn offsets_in_use_are_not_deleted() {
    let mut session = Session::new();
    let delete = |session: &Session, group: &str| {
        let decision = session.groups.delete_offsets(group, &[("t".into(), vec![0, 1])])?;
        Ok::<_, GroupError>((decision.answer[0].1.clone(), decision.records.len()))
    };
    assert_eq!(delete(&session, "g"), Err(GroupError::GroupNotFound));
    assert_eq!(delete(&session, ""), Err(GroupError::InvalidGroupId));
    session.commit(&commit(-1, "", vec![offset(0, 5)])).expect("committed");
    assert_eq!(delete(&session, "g"), Ok((vec![(0, Ok(())), (1, Ok(()))], 1)), "what is not there is gone");

    let (member, _) = stable(&mut session, &consumer());
    let subscribed = Err(GroupError::SubscribedToTopic);
    assert_eq!(delete(&session, "g"), Ok((vec![(0, subscribed), (1, subscribed)], 0)));
    session.leave("g", &[leaving(&member)]);
    assert!(delete(&session, "g").is_ok());

    let connect = JoinRequest { group_id: "c".into(), protocol_type: "connect".into(), ..consumer() };
    stable(&mut session, &connect);
    assert_eq!(delete(&session, "c"), Err(GroupError::NonEmptyGroup));
}

#[test]
fn group_without_anything_written_is_there_but_not_shown_until_something_is() {
    let mut session = Session::new();
    let too_long = OffsetToCommit { metadata: "x".repeat(5000), ..offset(0, 5) };
    let refused = session.commit(&commit(-1, "", vec![too_long]));
    assert_eq!(refused, Ok(vec![Err(GroupError::OffsetMetadataTooLarge)]));
    assert_eq!((session.state("g"), session.groups.list().count()), (None, 0));
    assert!(session.groups.delete_group("g").is_ok());

    let other = CommitRequest { group_id: "other".into(), ..commit(-1, "", vec![offset(0, 5)]) };
    session.commit(&other).expect("committed");
    assert_eq!(session.state("g"), Some(State::Empty));
}
