//! A restart is a replay: what is true of the living groups is true of those read back.

use std::collections::BTreeMap;

use proptest::prelude::*;
use protocol_glue::records::offsets::GroupMetadataValue;

use super::*;
use crate::coordinator::group::{group::Group, offsets::GroupOffsets};

/// What must survive: settled groups as they would be written now, and all offsets.
fn durable_view(
    groups: &Groups,
) -> (BTreeMap<Arc<str>, GroupMetadataValue>, BTreeMap<Arc<str>, GroupOffsets>) {
    let has_something = |group: &&Group| {
        // Groups between two generations are as they were written before; those without anything may be forgotten.
        let is_settled = matches!(group.state, State::Stable | State::Empty);
        is_settled && (group.protocol_type.is_some() || groups.offsets.contains_key(&group.id))
    };
    let view = groups.groups.values().filter(has_something).map(|group| {
        let record = Record::group(group, |member| member.assignment.clone());
        let Record::Group { value: Some(mut value), .. } = record else { unreachable!("a group's record") };
        if group.state == State::Stable || group.protocol_type.is_none() {
            // Written before the state was entered, and of no use in it.
            value.current_state_timestamp = 0;
        }
        (group.id.clone(), value)
    });
    (view.collect(), groups.offsets.clone().into_iter().collect())
}

fn assert_survives(session: &Session) {
    let (live, live_offsets) = durable_view(&session.groups);
    let (mut replayed, replayed_offsets) = durable_view(&session.restarted());
    // A group that is between two generations now was settled when it was written last.
    replayed.retain(|id, _| matches!(session.state(id), Some(State::Stable | State::Empty) | None));
    assert_eq!(live, replayed);
    assert_eq!(live_offsets, replayed_offsets);
}

#[test]
fn members_go_on_after_a_restart_with_fresh_sessions() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    session.advance(9999);
    assert_survives(&session);
    session.groups = session.restarted();
    assert!(session.groups.begin(session.now).is_empty());
    session.advance(9999);
    assert_eq!(session.heartbeat("g", generation, &leader), Ok(()), "the session began with the restart");
    assert_eq!(session.syncs(&sync(generation, &follower, &[])).expect("synced").assignment, "F");
    assert_eq!(session.joins(&known(&follower)).expect("joined").generation, generation);
    session.advance(1);
    assert_eq!(session.heartbeat("g", generation, &follower), Err(GroupError::UnknownMember));
}

#[test]
fn group_that_is_larger_than_allowed_now_has_to_shrink() {
    let mut session = Session::new();
    let (leader, _, generation) = stable_pair(&mut session);
    session.groups.settings = Arc::new(GroupSettings { max_size: 1, ..GroupSettings::default() });
    session.groups = session.restarted();
    for step in session.groups.begin(session.now) {
        session.follow(step);
    }
    assert_eq!(session.heartbeat("g", generation, &leader), Err(GroupError::RebalanceInProgress));
}

#[test]
fn records_of_other_kinds_are_skipped_and_broken_ones_are_not() {
    assert!(Record::decode(&[0, 3, 0, 1, b'g'], Some(&[0, 0])).expect("skipped").is_none());
    assert!(Record::decode(&[0, 99], None).expect("skipped").is_none());
    let (key, value) = Record::no_group(&"g".into()).encode();
    assert_eq!(value, None);
    assert!(Record::decode(&key, Some(&[0, 9, 0, 0])).is_err(), "a version that nobody knows");
    assert!(Record::decode(&key[..1], None).is_err());
}

#[derive(Clone, Debug)]
enum Act {
    Join { group: u8, slot: u8, instance: bool, old: bool, metadata: u8 },
    Sync { group: u8, slot: u8 },
    Leave { group: u8, slot: u8 },
    Commit { group: u8, slot: u8, outsider: bool, retention: bool, value: i64 },
    DeleteOffsets { group: u8 },
    DeleteGroup { group: u8 },
    Expire,
    Fail,
    Advance { ms: u16 },
}

fn act() -> impl Strategy<Value = Act> {
    let (group, slot) = (0..2u8, 0..3u8);
    prop_oneof![
        6 => (group.clone(), slot.clone(), any::<bool>(), any::<bool>(), 0..3u8).prop_map(
            |(group, slot, instance, old, metadata)| Act::Join { group, slot, instance, old, metadata }
        ),
        5 => (group.clone(), slot.clone()).prop_map(|(group, slot)| Act::Sync { group, slot }),
        2 => (group.clone(), slot.clone()).prop_map(|(group, slot)| Act::Leave { group, slot }),
        3 => (group.clone(), slot, any::<bool>(), any::<bool>(), -5..5i64).prop_map(
            |(group, slot, outsider, retention, value)| Act::Commit { group, slot, outsider, retention, value }
        ),
        1 => group.clone().prop_map(|group| Act::DeleteOffsets { group }),
        1 => group.prop_map(|group| Act::DeleteGroup { group }),
        1 => Just(Act::Expire),
        1 => Just(Act::Fail),
        3 => any::<u16>().prop_map(|ms| Act::Advance { ms }),
    ]
}

/// Clients that remember what they were told.
struct Crowd {
    session: Session,
    members: HashMap<(u8, u8), (Arc<str>, Token)>,
}

impl Crowd {
    fn act(&mut self, act: &Act) {
        let session = &mut self.session;
        match *act {
            Act::Join { group, slot, instance, old, metadata } => {
                self.join(group, slot, instance, old, metadata)
            }
            Act::Sync { group, slot } => {
                if let Some((member, generation)) = self.member(group, slot) {
                    let request = sync(generation, &member, &[(&member, b"mine")]);
                    self.session.sync(&SyncRequest { group_id: name(group), ..request });
                }
            }
            Act::Leave { group, slot } => {
                if let Some((member, _)) = self.members.remove(&(group, slot)) {
                    session.leave(&name(group), &[leaving(&member)]);
                }
            }
            Act::Commit { group, slot, outsider, retention, value } => {
                let by = self.member(group, slot).filter(|_| !outsider);
                let (member, generation) = by.unwrap_or_else(|| ("".into(), -1));
                let request = CommitRequest {
                    group_id: name(group),
                    retention_ms: retention.then_some(5000),
                    ..commit(generation, &member, vec![offset(i32::from(slot), value)])
                };
                let _ = self.session.commit(&request);
            }
            Act::DeleteOffsets { group } => {
                if let Ok(decision) = session.groups.delete_offsets(&name(group), &[("t".into(), vec![0, 1])])
                {
                    let _ = session.write(decision.records);
                }
            }
            Act::DeleteGroup { group } => {
                if let Ok(decision) = session.groups.delete_group(&name(group)) {
                    session.write(decision.records).expect("appended");
                }
            }
            Act::Expire => {
                let records = session.groups.expired(session.now);
                session.write(records).expect("appended");
            }
            // The record of an emptied group may be lost, and is made up for by the next; all others are tried.
            Act::Fail => {
                session.failure = Some(AppendFailure::Storage);
                let _ = session.commit(&commit(-1, "", vec![offset(0, 1)]));
                session.failure = None;
            }
            Act::Advance { ms } => session.advance(ms.into()),
        }
    }

    fn join(&mut self, group: u8, slot: u8, instance: bool, old: bool, metadata: u8) {
        let known = self.members.get(&(group, slot)).map(|(member, _)| member.to_string());
        let request = JoinRequest {
            group_id: name(group),
            member_id: if instance { String::new() } else { known.unwrap_or_default() },
            instance_id: instance.then(|| format!("i{slot}")),
            requires_known_member_id: !old,
            protocols: vec![("range".into(), Bytes::from(vec![metadata]))],
            ..consumer()
        };
        let token = self.session.join(&request);
        match self.session.heard_join(token) {
            Some(Ok(joined)) => drop(self.members.insert((group, slot), (joined.member_id, token))),
            Some(Err(refusal)) if refusal.error == GroupError::MemberIdRequired => {
                self.members.insert((group, slot), (refusal.member_id, token));
            }
            Some(Err(_)) => drop(self.members.remove(&(group, slot))),
            None => drop(self.members.insert((group, slot), (request.member_id.as_str().into(), token))),
        }
    }

    /// A member as it knows itself.
    fn member(&self, group: u8, slot: u8) -> Option<(Arc<str>, i32)> {
        let (_, token) = self.members.get(&(group, slot))?;
        let joined = self.session.heard_join(*token)?.ok()?;
        Some((joined.member_id, joined.generation))
    }
}

fn name(group: u8) -> String {
    format!("g{group}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_survives_a_restart(acts in proptest::collection::vec(act(), 1..60)) {
        let mut crowd = Crowd { session: Session::new(), members: HashMap::new() };
        for act in &acts {
            crowd.act(act);
            assert_survives(&crowd.session);
        }
    }
}
