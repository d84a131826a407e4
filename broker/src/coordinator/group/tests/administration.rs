//! Descriptions, lists, deletion.

use super::*;

/// GADM-02
#[test]
fn description_shows_protocol_and_metadata_of_stable_groups_only() {
    let mut session = Session::new();
    let (leader, _, _) = stable_pair(&mut session);
    let description = session.groups.describe("g").expect("there");
    assert_eq!((description.state, &*description.protocol), (State::Stable, "range"));
    let member = description.members.iter().find(|member| member.member_id == leader).expect("shown");
    assert_eq!((&*member.client_id, &*member.client_host), ("client", "/127.0.0.1"));
    assert_eq!((&member.metadata[..], &member.assignment[..]), (&b"\x01"[..], &b"L"[..]));

    session.join(&known(&leader));
    let description = session.groups.describe("g").expect("there");
    assert_eq!((description.state, &*description.protocol), (State::PreparingRebalance, ""));
    let member = description.members.iter().find(|member| member.member_id == leader).expect("shown");
    assert_eq!((&member.metadata[..], &member.assignment[..]), (&b""[..], &b"L"[..]));
}

/// GADM-01
#[test]
fn group_that_is_not_there_has_no_description() {
    assert_eq!(Session::new().groups.describe("g"), None);
}

/// GADM-03
#[test]
fn list_shows_state_and_type() {
    let mut session = Session::new();
    stable(&mut session, &consumer());
    session
        .commit(&CommitRequest { group_id: "s".into(), ..commit(-1, "", vec![offset(0, 1)]) })
        .expect("ok");
    let mut listings: Vec<_> = session.groups.list().collect();
    listings.sort_by(|one, other| one.group_id.cmp(&other.group_id));
    let shown: Vec<_> = listings.iter().map(|it| (&*it.group_id, it.state, &*it.protocol_type)).collect();
    assert_eq!(shown, [("g", State::Stable, "consumer"), ("s", State::Empty, "")]);
}

/// GADM-04
#[test]
fn only_groups_without_members_are_deleted_and_their_offsets_with_them() {
    let mut session = Session::new();
    assert_eq!(session.groups.delete_group("g").err(), Some(GroupError::GroupNotFound));
    session.commit(&commit(-1, "", vec![offset(0, 5)])).expect("committed");
    let (member, _) = stable(&mut session, &consumer());
    assert_eq!(session.groups.delete_group("g").err(), Some(GroupError::NonEmptyGroup));
    session.leave("g", &[leaving(&member)]);
    let decision = session.groups.delete_group("g").expect("empty");
    session.write(decision.records).expect("appended");
    assert_eq!(session.state("g"), None);
    assert!(session.groups.fetch("g", None).is_empty());
    assert!(session.restarted().is_empty());
}

#[test]
fn deleting_a_group_ends_what_is_timed_for_it() {
    let mut session = Session::new();
    let pending = session.joins(&consumer()).expect_err("no id yet").member_id;
    let decision = session.groups.delete_group("g").expect("empty");
    session.write(decision.records).expect("appended");
    assert_eq!(session.groups.next_deadline_ms(), None);
    assert_eq!(session.joins(&known(&pending)).expect_err("gone").error, GroupError::UnknownMember);
}
