//! Who gets in, and what a rebalance does.

use super::*;

/// GROUP-01
#[test]
fn new_member_gets_its_id_first_and_joins_with_it() {
    let mut session = Session::new();
    let refusal = session.joins(&consumer()).expect_err("no id yet");
    assert_eq!(refusal.error, GroupError::MemberIdRequired);
    assert_eq!(&*refusal.member_id, "client-00000000-0000-0000-0000-000000000001");
    assert_eq!(session.state("g"), Some(State::Empty));

    let joined = session.joins(&known(&refusal.member_id)).expect("with its id it is in");
    assert_eq!(joined.generation, 1);
    assert_eq!(joined.leader, refusal.member_id);
    assert_eq!(joined.member_id, refusal.member_id);
    assert_eq!(joined.protocol.as_deref(), Some("range"));
    assert_eq!(joined.members.len(), 1);
}

/// GROUP-01
#[test]
fn old_client_joins_without_an_id() {
    let mut session = Session::new();
    assert_eq!(session.joins(&old_consumer()).expect("joined").generation, 1);
}

/// GROUP-01
#[test]
fn id_that_was_given_out_ends_with_the_session_timeout_and_blocks_nobody() {
    let mut session = Session::new();
    let (leader, generation) = stable(&mut session, &consumer());
    let late = session.joins(&consumer()).expect_err("no id yet").member_id;
    assert_eq!(session.heartbeat("g", generation, &leader), Ok(()), "no rebalance yet");
    assert_eq!(session.heartbeat("g", generation, &late), Err(GroupError::UnknownMember));

    // A rebalance waits for the id, but not longer than it lives.
    let waiting = session.join(&known(&leader));
    assert_eq!(session.heard_join(waiting), None);
    session.advance(10_000);
    assert_eq!(session.generation_of(waiting).generation, generation + 1);
    assert_eq!(session.joins(&known(&late)).expect_err("too late").error, GroupError::UnknownMember);
}

/// GROUP-02
#[test]
fn session_timeout_has_bounds_that_can_be_set() {
    let error = |session: &mut Session, session_timeout_ms| {
        let request = JoinRequest { session_timeout_ms, ..old_consumer() };
        session.joins(&request).err().map(|refusal| refusal.error)
    };
    let mut session = Session::new();
    for refused in [999, 5999, 1_800_001] {
        assert_eq!(error(&mut session, refused), Some(GroupError::InvalidSessionTimeout));
    }
    assert_eq!(session.state("g"), None, "a refused time-out creates no group");
    let mut lenient =
        Session::with(GroupSettings { min_session_timeout_ms: 1000, ..GroupSettings::default() });
    assert_eq!(error(&mut lenient, 1000), None);
}

/// GROUP-04
#[test]
fn first_members_gather_while_others_keep_coming() {
    let mut session =
        Session::with(GroupSettings { initial_rebalance_delay_ms: 1000, ..GroupSettings::default() });
    let one = session.join(&old_consumer());
    session.advance(900);
    let other = session.join(&old_consumer());
    session.advance(1099);
    assert_eq!(session.heard_join(one), None, "the second member extended the wait");
    session.advance(1);
    assert_eq!(session.generation_of(one).generation, 1);
    assert_eq!(session.generation_of(other).generation, 1);
}

/// GROUP-04
#[test]
fn gathering_ends_with_the_rebalance_timeout() {
    let mut session =
        Session::with(GroupSettings { initial_rebalance_delay_ms: 1000, ..GroupSettings::default() });
    let request = JoinRequest { rebalance_timeout_ms: 2500, ..old_consumer() };
    let first = session.join(&request);
    for _ in 0..4 {
        session.advance(600);
        session.join(&request);
    }
    assert_eq!(session.heard_join(first), None);
    session.advance(100);
    assert_eq!(session.generation_of(first).members.len(), 5);
}

/// GROUP-08
#[test]
fn follower_that_says_the_same_keeps_the_generation_and_leader_asks_for_a_new_one() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    let joined = session.joins(&known(&follower)).expect("joined");
    assert_eq!((joined.generation, joined.members.len()), (generation, 0));
    assert_eq!(session.heartbeat("g", generation, &leader), Ok(()));

    let waiting = session.join(&known(&leader));
    assert_eq!(session.heard_join(waiting), None);
    assert_eq!(session.state("g"), Some(State::PreparingRebalance));
    let joined = session.joins(&known(&follower)).expect("joined");
    assert_eq!(joined.generation, generation + 1);
}

/// GROUP-08
#[test]
fn follower_that_says_something_else_starts_a_rebalance() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    let protocols = vec![("range".into(), Bytes::from_static(b"\x02"))];
    let waiting = session.join(&JoinRequest { protocols, ..known(&follower) });
    assert_eq!(session.heard_join(waiting), None);
    assert_eq!(session.heartbeat("g", generation, &leader), Err(GroupError::RebalanceInProgress));
}

/// GROUP-09, GROUP-20
#[test]
fn only_the_leader_sees_the_members_and_their_bytes_as_they_came() {
    let mut session = Session::new();
    let (leader, _) = stable(&mut session, &consumer());
    let metadata = Bytes::from_static(b"\x00\x07not a subscription\xff");
    let request = JoinRequest { protocols: vec![("range".into(), metadata.clone())], ..consumer() };
    let (follower, waiting) = session.enters(&request);
    let joined = session.joins(&known(&leader)).expect("joined");
    let of_follower = joined.members.iter().find(|member| member.member_id == follower).expect("listed");
    assert_eq!(of_follower.metadata, metadata);
    assert_eq!(joined.members.len(), 2);
    assert!(session.generation_of(waiting).members.is_empty());
}

#[test]
fn member_that_joins_again_before_the_assignment_hears_of_the_same_generation() {
    let mut session = Session::new();
    let (member, token) = session.enters(&consumer());
    let first = session.generation_of(token);
    assert_eq!(session.joins(&known(&member)), Ok(first));
}

#[test]
fn group_takes_only_protocols_that_all_members_know() {
    let mut session = Session::new();
    stable(&mut session, &consumer());
    let error =
        |session: &mut Session, request: JoinRequest| session.joins(&request).expect_err("refused").error;
    let other_type = JoinRequest { protocol_type: "connect".into(), ..consumer() };
    assert_eq!(error(&mut session, other_type), GroupError::InconsistentProtocol);
    let other_protocol = JoinRequest { protocols: vec![("rr".into(), Bytes::new())], ..consumer() };
    assert_eq!(error(&mut session, other_protocol), GroupError::InconsistentProtocol);
    let nothing = JoinRequest { group_id: "new".into(), protocols: Vec::new(), ..consumer() };
    assert_eq!(error(&mut session, nothing), GroupError::InconsistentProtocol);
    assert_eq!(session.state("new"), Some(State::Empty), "the group is there nevertheless");
}

#[test]
fn protocol_is_what_most_members_prefer_of_what_all_know() {
    let protocols = |names: &[&str]| names.iter().map(|name| ((*name).into(), Bytes::new())).collect();
    let mut session =
        Session::with(GroupSettings { initial_rebalance_delay_ms: 10, ..GroupSettings::default() });
    let mut join =
        |names: &[&str]| session.join(&JoinRequest { protocols: protocols(names), ..old_consumer() });
    join(&["only-mine", "a", "b"]);
    join(&["b", "a"]);
    let last = join(&["b", "a"]);
    session.advance(1000);
    assert_eq!(session.generation_of(last).protocol.as_deref(), Some("b"));
}

#[test]
fn full_group_lets_nobody_in_but_its_members() {
    let mut session = Session::with(GroupSettings { max_size: 1, ..GroupSettings::default() });
    let (member, generation) = stable(&mut session, &consumer());
    let refusal = session.joins(&consumer()).expect_err("full");
    assert_eq!((refusal.error, &*refusal.member_id), (GroupError::GroupFull, ""));
    assert_eq!(session.joins(&known(&member)).expect("a member").generation, generation + 1);
}

#[test]
fn member_that_joins_twice_hears_once_and_the_first_wait_ends() {
    let mut session = Session::new();
    let (leader, _, _) = stable_pair(&mut session);
    let first = session.join(&known(&leader));
    let second = session.join(&known(&leader));
    let ended = session.heard_join(first).expect("answered").expect_err("not accepted");
    assert_eq!(ended.error, GroupError::RebalanceInProgress);
    assert_eq!(session.heard_join(second), None);
}

/// GROUP-17
#[test]
fn member_that_does_not_join_again_is_given_up_at_the_rebalance_timeout() {
    let mut session = Session::new();
    let (leader, follower, generation) = stable_pair(&mut session);
    let waiting = session.join(&known(&leader));
    for _ in 0..4 {
        session.advance(4999);
        assert_eq!(session.heartbeat("g", generation, &follower), Err(GroupError::RebalanceInProgress));
    }
    assert_eq!(session.heard_join(waiting), None);
    session.advance(4);
    let joined = session.generation_of(waiting);
    assert_eq!((joined.generation, joined.members.len()), (generation + 1, 1));
    assert_eq!(session.heartbeat("g", generation + 1, &follower), Err(GroupError::UnknownMember));
}

#[test]
fn new_member_that_waits_for_minutes_is_dismissed() {
    let mut session = Session::new();
    let long = JoinRequest { rebalance_timeout_ms: 3_600_000, session_timeout_ms: 1_800_000, ..consumer() };
    stable(&mut session, &long);
    let (_, waiting) = session.enters(&long);
    session.advance(299_999);
    assert_eq!(session.heard_join(waiting), None);
    session.advance(1);
    let refusal = session.heard_join(waiting).expect("answered").expect_err("dismissed");
    assert_eq!(refusal.error, GroupError::UnknownMember);
}

#[test]
fn rebalance_timeouts_of_nothing_and_less_are_endured() {
    let mut session = Session::new();
    for rebalance_timeout_ms in [0, -1, i32::MIN] {
        let group_id = format!("g{rebalance_timeout_ms}");
        let request = JoinRequest { group_id: group_id.clone(), rebalance_timeout_ms, ..old_consumer() };
        assert_eq!(session.joins(&request).expect("joined").generation, 1);
        assert_eq!(
            session.state(&group_id),
            Some(State::Empty),
            "no time was left to ask for the assignment"
        );
    }
}

#[test]
fn text_that_no_record_can_carry_is_refused() {
    let mut session = Session::new();
    let long = "x".repeat(40_000);
    for request in [
        JoinRequest { group_id: long.clone(), ..old_consumer() },
        JoinRequest { protocol_type: long.clone(), ..old_consumer() },
        JoinRequest { instance_id: Some(long.clone()), ..old_consumer() },
    ] {
        assert_eq!(session.joins(&request).expect_err("refused").error, GroupError::InvalidRequest);
    }
    let client_id = "é".repeat(16_383);
    let joined = session.joins(&JoinRequest { client_id, ..old_consumer() }).expect("joined");
    assert!(joined.member_id.len() <= 32_767);
    assert!(session.syncs(&sync(1, &joined.member_id, &[])).is_ok());
}

#[test]
fn what_a_join_leaves_in_memory_is_bounded() {
    let mut session = Session::new();
    let long = JoinRequest { client_id: "é".repeat(16_000), ..consumer() };
    let id = session.joins(&long).expect_err("no id yet").member_id;
    assert_eq!((id.len(), id.starts_with("éé")), (254 + 37, true));
    let protocols = (0..1001).map(|number| (format!("p{number}"), Bytes::new()));
    let many = JoinRequest { group_id: "many".into(), protocols: protocols.collect(), ..consumer() };
    assert_eq!(session.joins(&many).expect_err("too many").error, GroupError::InvalidRequest);
    assert_eq!(session.state("many"), None);
}
