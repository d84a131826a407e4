//! Classic consumer groups: joining, syncing, rebalances, sessions (`GROUP-*`).

use crate::member::{Member, join_together};
use bytes::Bytes;
use integration_tests::{Daybook, eventually, group_id, text};
use kafka_protocol::messages::{leave_group_request::MemberIdentity, *};
use std::time::{Duration, Instant};

const UNKNOWN_MEMBER: i16 = 25;
const ILLEGAL_GENERATION: i16 = 22;
const REBALANCE: i16 = 27;
const FENCED_INSTANCE: i16 = 82;
const SOON: Duration = Duration::from_secs(10);

/// Sessions short enough for a test to see them end.
fn with_short_sessions() -> Daybook {
    Daybook::start(&[("group.min.session.timeout.ms", "200")])
}

/// GROUP-01: from version 4 an empty member id gets error 79 and an id; below it joins directly.
#[test]
fn a_member_id_is_given_before_the_join() {
    let daybook = Daybook::start(&[]);
    let mut member = Member::new(&daybook, "new");
    let answer = member.connection.ask(4, &member.join_request());
    assert_eq!(answer.error_code, 79);
    assert!(answer.member_id.starts_with("raw-frames-"), "client id and a uuid: {:?}", answer.member_id);
    member.id = answer.member_id.to_string();
    assert_eq!(member.join().generation_id, 1);

    let mut old = Member::new(&daybook, "old");
    for version in [0, 3] {
        let mut request = old.join_request();
        if version == 0 {
            request.rebalance_timeout_ms = -1;
        }
        let answer = old.connection.ask(version, &request);
        assert_eq!((answer.error_code, answer.generation_id > 0), (0, true), "version {version}");
        old.id = answer.member_id.to_string();
    }
}

/// GROUP-01: an id that was given and never used does not hold the group up.
#[test]
fn a_pending_member_does_not_block_the_group() {
    let daybook = with_short_sessions();
    let mut pending = Member { session_timeout_ms: 300, ..Member::new(&daybook, "g") };
    let answer = pending.connection.ask(9, &pending.join_request());
    assert_eq!(answer.error_code, 79);
    let mut member = Member::new(&daybook, "g");
    let asked_at = Instant::now();
    member.join();
    assert!(asked_at.elapsed() < SOON);
    let own = member.id.clone();
    assert_eq!(member.sync(&[(&own, "")]).error_code, 0);
}

/// GROUP-02: a session timeout outside the limits is error 26; the limits are settings.
#[test]
fn session_timeouts_have_limits() {
    let daybook = Daybook::start(&[]);
    for (session_timeout_ms, error_code) in [(5_999, 26), (1_800_001, 26), (6_000, 79), (1_800_000, 79)] {
        let mut member = Member { session_timeout_ms, ..Member::new(&daybook, "g") };
        let answer = member.connection.ask(9, &member.join_request());
        assert_eq!(answer.error_code, error_code, "{session_timeout_ms} ms");
    }
    let daybook = Daybook::start(&[("group.min.session.timeout.ms", "1000")]);
    let mut member = Member { session_timeout_ms: 1_000, ..Member::new(&daybook, "g") };
    assert_eq!(member.connection.ask(9, &member.join_request()).error_code, 79);
}

/// GROUP-03: the first coordinator look-up of an empty broker is answered with the broker, at once.
#[test]
fn the_coordinator_is_there_from_the_first_moment() {
    let daybook = Daybook::start(&[("offsets.topic.replication.factor", "3")]);
    let find = FindCoordinatorRequest::default().with_coordinator_keys(vec![text("g")]);
    let found = daybook.connect().ask(4, &find).coordinators.remove(0);
    assert_eq!((found.error_code, found.node_id.0, found.port), (0, 1, i32::from(daybook.address().port())));
}

/// GROUP-04: without an initial delay a lone member is assigned at once; with one, early joiners share a generation.
#[test]
fn the_initial_delay_gathers_members() {
    let daybook = Daybook::start(&[]);
    let asked_at = Instant::now();
    Member::stable(&daybook, "g");
    assert!(asked_at.elapsed() < Duration::from_secs(2), "{:?}", asked_at.elapsed());

    let daybook = Daybook::start(&[("group.initial.rebalance.delay.ms", "1000")]);
    let (mut one, mut two) = (Member::new(&daybook, "g"), Member::new(&daybook, "g"));
    let asked_at = Instant::now();
    one.send_join();
    one.connection.assert_silent(Duration::from_millis(200));
    two.send_join();
    let (first, second) = (one.finish_join(), two.finish_join());
    assert_eq!((first.generation_id, second.generation_id), (1, 1));
    assert!(asked_at.elapsed() >= Duration::from_millis(950));
}

/// GROUP-05: followers wait for the leader's assignment; one that it forgot gets an empty one.
#[test]
fn followers_wait_for_the_leaders_assignment() {
    let daybook = Daybook::start(&[]);
    let mut one = Member::stable(&daybook, "g");
    let (mut two, mut three) = (Member::new(&daybook, "g"), Member::new(&daybook, "g"));
    two.send_join();
    three.send_join();
    eventually("a rebalance", SOON, || one.heartbeat() == REBALANCE);
    one.send_join();
    let answer = one.finish_join();
    two.finish_join();
    three.finish_join();
    assert_eq!((answer.leader.as_str(), answer.members.len()), (one.id.as_str(), 3));

    two.send_sync(&[]);
    two.connection.assert_silent(Duration::from_millis(100));
    let (own, second) = (one.id.clone(), two.id.clone());
    let lead = one.sync(&[(&own, "for one"), (&second, "for two"), ("stranger", "?")]);
    assert_eq!((lead.error_code, &lead.assignment[..]), (0, &b"for one"[..]));
    assert_eq!(lead.protocol_type, Some(text("consumer")));
    assert_eq!(lead.protocol_name, Some(text("range")));
    assert_eq!(&two.finish_sync().assignment[..], b"for two");
    let forgotten = three.sync(&[]);
    assert_eq!((forgotten.error_code, forgotten.assignment.len()), (0, 0));
    assert_eq!(&two.sync(&[]).assignment[..], b"for two", "asking again is safe");
}

/// GROUP-06: old generations, strangers, and a sync in the middle of a rebalance; sync and heartbeat alike.
#[test]
fn stale_and_foreign_ids_are_told() {
    let daybook = Daybook::start(&[]);
    let mut member = Member::stable(&daybook, "g");
    let right = member.generation;
    for wrong in [right - 1, right + 1] {
        member.generation = wrong;
        assert_eq!(member.heartbeat(), ILLEGAL_GENERATION);
        assert_eq!(member.sync(&[]).error_code, ILLEGAL_GENERATION);
    }
    member.generation = right;
    let mut stranger = Member::new(&daybook, "g");
    stranger.id = "stranger".to_owned();
    stranger.generation = right;
    assert_eq!(stranger.heartbeat(), UNKNOWN_MEMBER);
    assert_eq!(stranger.sync(&[]).error_code, UNKNOWN_MEMBER);
    let join = stranger.join_request();
    assert_eq!(stranger.connection.ask(9, &join).error_code, UNKNOWN_MEMBER);

    let mut other = Member::new(&daybook, "g");
    other.send_join();
    eventually("a rebalance", SOON, || member.heartbeat() == REBALANCE);
    assert_eq!(member.sync(&[]).error_code, REBALANCE);
}

/// GROUP-08: in a stable group a follower that joins again changes nothing; the leader starts a rebalance.
#[test]
fn only_the_leader_rebalances_by_joining_again() {
    let daybook = Daybook::start(&[]);
    let (mut one, mut two) = (Member::new(&daybook, "g"), Member::new(&daybook, "g"));
    one.join();
    two.send_join();
    eventually("a rebalance", SOON, || one.heartbeat() == REBALANCE);
    let leader = {
        one.send_join();
        let answer = one.finish_join();
        two.finish_join();
        answer.leader.to_string()
    };
    let (leader, follower) = if leader == one.id { (&mut one, &mut two) } else { (&mut two, &mut one) };
    let own = leader.id.clone();
    assert_eq!(leader.sync(&[(&own, "all")]).error_code, 0);
    assert_eq!(follower.sync(&[]).error_code, 0);

    let generation = follower.generation;
    let again = follower.join();
    assert_eq!((again.generation_id, again.members.len()), (generation, 0), "the same generation");
    assert_eq!(leader.heartbeat(), 0, "no rebalance");

    leader.send_join();
    eventually("a rebalance", SOON, || follower.heartbeat() == REBALANCE);
    follower.send_join();
    leader.finish_join();
    follower.finish_join();
    assert_eq!(follower.generation, generation + 1);
}

/// GROUP-09, GROUP-20: only the leader gets the members, with their metadata byte for byte.
#[test]
fn only_the_leader_gets_the_members_and_their_metadata() {
    let daybook = Daybook::start(&[]);
    let metadata = Bytes::from_static(b"\x00\x03\x00\x00\xff\xfe anything");
    let with_metadata = || Member {
        protocols: vec![("cooperative-sticky".into(), metadata.clone())],
        ..Member::new(&daybook, "g")
    };
    let (mut one, mut two) = (with_metadata(), with_metadata());
    one.join();
    two.send_join();
    eventually("a rebalance", SOON, || one.heartbeat() == REBALANCE);
    one.send_join();
    let answers = [one.finish_join(), two.finish_join()];
    let (leads, follows): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.leader == answer.member_id);
    assert_eq!((leads.len(), follows.len()), (1, 1));
    assert_eq!(leads[0].members.len(), 2);
    assert!(leads[0].members.iter().all(|member| member.metadata == metadata));
    assert!(follows[0].members.is_empty());
}

/// The protocol that all support, and that most prefer, is chosen; without a common one error 23.
#[test]
fn the_protocol_is_voted_for() {
    let daybook = Daybook::start(&[]);
    let with = |names: &[&str]| Member {
        protocols: names.iter().map(|name| (name.to_string(), Bytes::new())).collect(),
        ..Member::new(&daybook, "g")
    };
    let mut one = with(&["sticky", "range"]);
    assert_eq!(one.join().protocol_name, Some(text("sticky")));
    let mut two = with(&["range"]);
    two.send_join();
    eventually("a rebalance", SOON, || one.heartbeat() == REBALANCE);
    one.send_join();
    assert_eq!(one.finish_join().protocol_name, Some(text("range")));
    assert_eq!(two.finish_join().protocol_name, Some(text("range")));

    let mut other = with(&["custom"]);
    let request = other.join_request();
    assert_eq!(other.connection.ask(9, &request).error_code, 23);
}

/// GROUP-12: a static member that comes back gets its place without a rebalance; the old id is fenced.
#[test]
fn a_static_member_comes_back_to_its_place() {
    let daybook = Daybook::start(&[]);
    let mut old = Member::new(&daybook, "g").with_instance("till-1");
    let joined = old.join();
    let own = old.id.clone();
    old.sync(&[(&own, "its place")]);

    let mut new = Member::new(&daybook, "g").with_instance("till-1");
    let back = new.join();
    assert_ne!(new.id, old.id);
    assert_eq!(back.generation_id, joined.generation_id, "no rebalance");
    assert_eq!(&new.sync(&[]).assignment[..], b"its place");

    assert_eq!(old.heartbeat(), FENCED_INSTANCE);
    assert_eq!(old.sync(&[]).error_code, FENCED_INSTANCE);
    let mut without_instance = Member::new(&daybook, "g");
    without_instance.id = old.id.clone();
    without_instance.generation = old.generation;
    assert_eq!(without_instance.heartbeat(), UNKNOWN_MEMBER);
    assert_eq!(new.heartbeat(), 0);
}

/// GROUP-14: an administrator removes a static member by its instance id alone.
#[test]
fn a_static_member_is_removed_by_its_instance_id() {
    let daybook = Daybook::start(&[]);
    let mut member = Member::new(&daybook, "g").with_instance("till-1");
    member.join();
    let mut admin = Member::new(&daybook, "g").with_instance("till-1");
    assert_eq!(admin.leave(), (0, 0));
    assert_eq!(admin.connection.group_state("g"), "Empty");
    assert_eq!(member.heartbeat(), UNKNOWN_MEMBER);
}

/// GROUP-15: leaving: one error per member from version 3, one for all below.
#[test]
fn leaving_is_answered_member_by_member() {
    let daybook = Daybook::start(&[]);
    let mut good = Member::stable(&daybook, "g");
    let identity = |id: &str| MemberIdentity::default().with_member_id(text(id));
    let request = LeaveGroupRequest::default()
        .with_group_id(group_id("g"))
        .with_members(vec![identity("stranger"), identity(&good.id)]);
    let answer = good.connection.ask(3, &request);
    let codes: Vec<_> = answer.members.iter().map(|member| member.error_code).collect();
    assert_eq!((answer.error_code, codes), (0, vec![UNKNOWN_MEMBER, 0]));
    assert_eq!(good.heartbeat(), UNKNOWN_MEMBER);

    let old = LeaveGroupRequest::default().with_group_id(group_id("g")).with_member_id(text("stranger"));
    assert_eq!(good.connection.ask(2, &old).error_code, UNKNOWN_MEMBER);
    let missing =
        LeaveGroupRequest::default().with_group_id(group_id("missing")).with_members(vec![identity("a")]);
    let answer = good.connection.ask(3, &missing);
    assert_eq!((answer.error_code, answer.members[0].error_code), (0, UNKNOWN_MEMBER));
}

/// GROUP-17: who joined and never syncs, and who never joins again, is removed at the rebalance timeout.
#[test]
fn members_that_do_not_follow_are_removed() {
    let daybook = with_short_sessions();
    let short = |group| Member { rebalance_timeout_ms: 500, ..Member::new(&daybook, group) };
    // Never syncs.
    let mut silent = short("sync");
    silent.join();
    let mut next = short("sync");
    let asked_at = Instant::now();
    next.send_join();
    next.finish_join();
    assert!(asked_at.elapsed() < SOON);
    // Never joins again.
    let mut lost = short("join");
    lost.join();
    let own = lost.id.clone();
    lost.sync(&[(&own, "")]);
    let mut other = short("join");
    let answer = {
        other.send_join();
        other.finish_join()
    };
    assert_eq!(answer.members.len(), 1, "alone, and the leader");
    assert_eq!(lost.heartbeat(), UNKNOWN_MEMBER);
}

/// A session that ends without heartbeat removes the member and rebalances the others.
#[test]
fn a_silent_session_ends() {
    let daybook = with_short_sessions();
    let mut one = Member { session_timeout_ms: 10_000, ..Member::new(&daybook, "g") };
    let mut two = Member { session_timeout_ms: 1_000, ..Member::new(&daybook, "g") };
    one.join();
    two.send_join();
    eventually("a rebalance", SOON, || one.heartbeat() == REBALANCE);
    one.send_join();
    let leader = one.finish_join().leader.to_string();
    two.finish_join();
    if leader == one.id {
        one.send_sync(&[(&leader, "")]);
        two.send_sync(&[]);
    } else {
        two.send_sync(&[(&leader, "")]);
        one.send_sync(&[]);
    }
    one.finish_sync();
    two.finish_sync();
    eventually("the silent member's end", SOON, || one.heartbeat() == REBALANCE);
    one.send_join();
    assert_eq!(one.finish_join().members.len(), 1);
}

/// GROUP-18: members carry on after a crash of the broker, with their generation and their offsets.
#[test]
fn a_group_survives_a_crash() {
    let mut daybook = Daybook::start(&[]);
    let mut member = Member::stable(&daybook, "g");
    member.connection.create_topic("t", 1, &[]);
    let commit = integration_tests::verbs::commit_request("g", "t", &[(0, 42)])
        .with_generation_id_or_member_epoch(member.generation)
        .with_member_id(text(&member.id));
    assert_eq!(member.connection.ask(8, &commit).topics[0].partitions[0].error_code, 0);
    for crash in [true, false, true] {
        if crash {
            daybook.kill9();
            daybook.start_again();
        } else {
            daybook.restart();
        }
        member.connection = daybook.connect();
        assert_eq!(member.heartbeat(), 0, "crash: {crash}");
        assert_eq!(&member.sync(&[]).assignment[..], b"mine", "crash: {crash}");
        assert_eq!(member.connection.committed_offset("g", "t", 0), 42, "crash: {crash}");
    }
}

/// GROUP-19: one entry per key, the key echoed; an unknown key type is error 42.
#[test]
fn coordinators_are_found_one_by_one_or_in_a_list() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for version in 0..=3 {
        let answer = connection.ask(version, &FindCoordinatorRequest::default().with_key(text("g")));
        assert_eq!((answer.error_code, answer.node_id.0), (0, 1), "version {version}");
        assert_eq!(answer.port, i32::from(daybook.address().port()));
    }
    let keys = vec![text("one"), text("two"), text("")];
    let answer = connection.ask(4, &FindCoordinatorRequest::default().with_coordinator_keys(keys.clone()));
    let echoed: Vec<_> = answer.coordinators.iter().map(|found| found.key.clone()).collect();
    assert_eq!(echoed, keys);
    assert!(answer.coordinators.iter().all(|found| found.error_code == 0 && found.node_id.0 == 1));
    let unknown = FindCoordinatorRequest::default().with_key_type(9).with_coordinator_keys(vec![text("g")]);
    assert_eq!(connection.ask(4, &unknown).coordinators[0].error_code, 42);
}

/// An empty group id is error 24, in every request of the protocol.
#[test]
fn an_empty_group_id_is_invalid() {
    let daybook = Daybook::start(&[]);
    let mut member = Member::new(&daybook, "");
    let join = member.join_request();
    assert_eq!(member.connection.ask(9, &join).error_code, 24);
    assert_eq!(member.sync(&[]).error_code, 24);
    assert_eq!(member.heartbeat(), 24);
    assert_eq!(member.leave().0, 24);
}

/// Five members that join together share one generation and one leader.
#[test]
fn many_members_share_one_generation() {
    let daybook = Daybook::start(&[("group.initial.rebalance.delay.ms", "300")]);
    let mut members: Vec<_> = (0..5).map(|_| Member::new(&daybook, "g")).collect();
    let mut borrowed: Vec<_> = members.iter_mut().collect();
    let leader = join_together(&mut borrowed);
    let ids: Vec<_> = members.iter().map(|member| member.id.clone()).collect();
    let assignment: Vec<_> = ids.iter().map(|id| (id.as_str(), id.as_str())).collect();
    members[leader].send_sync(&assignment);
    for (index, member) in members.iter_mut().enumerate() {
        if index != leader {
            member.send_sync(&[]);
        }
    }
    for member in &mut members {
        assert_eq!(member.finish_sync().assignment, member.id.as_bytes());
        assert_eq!(member.heartbeat(), 0);
    }
}

/// `group.max.size`: one too many is error 81.
#[test]
fn a_group_has_a_largest_size() {
    let daybook = Daybook::start(&[("group.max.size", "1")]);
    let _first = Member::stable(&daybook, "g");
    let mut second = Member::new(&daybook, "g");
    let request = second.join_request();
    let answer = second.connection.ask(9, &request);
    let refused = match answer.error_code {
        79 => {
            second.id = answer.member_id.to_string();
            let request = second.join_request();
            second.connection.ask(9, &request).error_code
        }
        code => code,
    };
    assert_eq!(refused, 81);
}
