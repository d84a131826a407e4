//! Handing out assignments; heartbeats.

use super::*;

/// GROUP-05
#[test]
fn followers_wait_for_the_leader_and_one_left_out_gets_nothing() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let (one, _) = session.enters(&consumer());
    let (other, _) = session.enters(&consumer());
    let generation = session.joins(&known(&leader)).expect("joined").generation;
    let of_one = session.sync(&sync(generation, &one, &[]));
    let of_other = session.sync(&sync(generation, &other, &[]));
    assert_eq!((session.heard_sync(of_one), session.heard_sync(of_other)), (None, None));

    let brought: [(&str, &[u8]); 3] = [(&leader, b"L"), (&one, b"1"), ("ghost", b"G")];
    let synced = session.syncs(&sync(generation, &leader, &brought)).expect("synced");
    assert_eq!(synced.assignment, "L");
    assert_eq!(synced.protocol_type.as_deref(), Some("consumer"));
    assert_eq!(synced.protocol.as_deref(), Some("range"));
    assert_eq!(session.heard_sync(of_one).expect("answered").expect("synced").assignment, "1");
    assert_eq!(session.heard_sync(of_other).expect("answered").expect("synced").assignment, "");
    assert_eq!(session.state("g"), Some(State::Stable));
    assert_eq!(session.syncs(&sync(generation, &one, &[])).expect("again").assignment, "1");
}

/// GROUP-06
#[test]
fn stale_and_foreign_ids_are_told_apart() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    for wrong in [generation - 1, generation + 1, -1] {
        assert_eq!(session.syncs(&sync(wrong, &leader, &[])), Err(GroupError::IllegalGeneration));
        assert_eq!(session.heartbeat("g", wrong, &leader), Err(GroupError::IllegalGeneration));
    }
    for foreign in ["nobody", ""] {
        assert_eq!(session.syncs(&sync(generation, foreign, &[])), Err(GroupError::UnknownMember));
        assert_eq!(session.heartbeat("g", generation, foreign), Err(GroupError::UnknownMember));
    }
    assert_eq!(session.heartbeat("none", 1, &leader), Err(GroupError::UnknownMember));
    assert_eq!(session.heartbeat("", 1, &leader), Err(GroupError::InvalidGroupId));

    session.join(&known(&leader));
    assert_eq!(session.syncs(&sync(generation, &follower, &[])), Err(GroupError::RebalanceInProgress));
    assert_eq!(session.heartbeat("g", generation, &follower), Err(GroupError::RebalanceInProgress));
}

#[test]
fn protocols_of_a_sync_must_be_the_groups() {
    let mut session = Session::new();
    let (member, token) = session.enters(&consumer());
    let good = sync(session.generation_of(token).generation, &member, &[]);
    let other_type = SyncRequest { protocol_type: Some("connect".into()), ..good.clone() };
    assert_eq!(session.syncs(&other_type), Err(GroupError::InconsistentProtocol));
    let other_protocol = SyncRequest { protocol: Some("rr".into()), ..good.clone() };
    assert_eq!(session.syncs(&other_protocol), Err(GroupError::InconsistentProtocol));
    let silent = SyncRequest { protocol_type: None, protocol: None, ..good };
    assert!(session.syncs(&silent).is_ok());
}

/// GROUP-06
#[test]
fn sync_that_waits_hears_of_a_new_rebalance() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let (follower, _) = session.enters(&consumer());
    let generation = session.joins(&known(&leader)).expect("joined").generation;
    let waiting = session.sync(&sync(generation, &follower, &[]));
    session.enters(&consumer());
    assert_eq!(session.heard_sync(waiting), Some(Err(GroupError::RebalanceInProgress)));
}

/// GROUP-17
#[test]
fn member_that_never_syncs_is_given_up_at_the_rebalance_timeout() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let (follower, _) = session.enters(&consumer());
    let generation = session.joins(&known(&leader)).expect("joined").generation;
    assert!(session.syncs(&sync(generation, &leader, &[])).is_ok());
    for _ in 0..4 {
        session.advance(4999);
        assert_eq!(session.heartbeat("g", generation, &leader), Ok(()));
        assert_eq!(session.heartbeat("g", generation, &follower), Ok(()));
    }
    session.advance(4);
    assert_eq!(session.heartbeat("g", generation, &follower), Err(GroupError::UnknownMember));
    assert_eq!(session.heartbeat("g", generation, &leader), Err(GroupError::RebalanceInProgress));
}

/// GROUP-17
#[test]
fn lone_member_that_never_syncs_leaves_an_empty_group() {
    let mut session = Session::new();
    let (member, token) = session.enters(&JoinRequest { rebalance_timeout_ms: 1000, ..consumer() });
    assert_eq!(session.generation_of(token).generation, 1);
    session.advance(1000);
    assert_eq!(session.heartbeat("g", 1, &member), Err(GroupError::UnknownMember));
    assert_eq!(session.state("g"), Some(State::Empty));
}

#[test]
fn silence_ends_the_session_and_heartbeats_keep_it() {
    let mut session = Session::new();
    let (member, generation) = stable(&mut session, &consumer());
    for _ in 0..5 {
        session.advance(9999);
        assert_eq!(session.heartbeat("g", generation, &member), Ok(()));
    }
    session.advance(10_000);
    assert_eq!(session.heartbeat("g", generation, &member), Err(GroupError::UnknownMember));
    assert_eq!(session.state("g"), Some(State::Empty));
}

#[test]
fn member_that_waits_for_the_leader_is_held() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    session.join(&known(&follower));
    let protocols = vec![("range".into(), Bytes::from_static(b"\x02"))];
    let waiting = session.join(&JoinRequest { protocols, ..known(&follower) });
    session.advance(9999);
    assert_eq!(session.heartbeat("g", generation, &leader), Err(GroupError::RebalanceInProgress));
    session.advance(9999);
    // Twice its session time-out has passed; only the leader's silence counts.
    assert_eq!(session.heard_join(waiting), None);
    session.advance(2);
    let joined = session.generation_of(waiting);
    assert_eq!((&joined.leader, joined.members.len()), (&follower, 1));
}
