//! Committing and fetching offsets (`OFFS-*`).

use crate::member::Member;
use integration_tests::{Daybook, group_id, text, topic_name, verbs::commit_request};
use kafka_protocol::messages::{
    offset_fetch_request::{OffsetFetchRequestGroup, OffsetFetchRequestTopic},
    *,
};

fn with_topic() -> (Daybook, integration_tests::Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 3, &[]);
    (daybook, connection)
}

/// OFFS-01: null asks for all of a group's offsets, an empty list for none; an unknown group has none, no error.
#[test]
fn null_means_every_offset_and_empty_means_none() {
    let (_daybook, mut connection) = with_topic();
    assert_eq!(connection.commit("g", "t", &[(0, 5), (2, 7)]), [0, 0]);
    for version in [2, 7] {
        let request = OffsetFetchRequest::default().with_group_id(group_id("g")).with_topics(None);
        let all = connection.ask(version, &request);
        assert_eq!((all.error_code, all.topics[0].partitions.len()), (0, 2), "version {version}");
        let none = connection.ask(version, &request.clone().with_topics(Some(Vec::new())));
        assert_eq!((none.error_code, none.topics.len()), (0, 0), "version {version}");
        let unknown = connection.ask(version, &request.with_group_id(group_id("unknown")));
        assert_eq!((unknown.error_code, unknown.topics.len()), (0, 0), "version {version}");
    }
    assert_eq!(connection.committed("g"), [("t".to_owned(), 0, 5), ("t".to_owned(), 2, 7)]);
    assert!(connection.committed("unknown").is_empty());
}

/// OFFS-01: from version 8 several groups are asked in one request, each with its own answer.
#[test]
fn several_groups_are_asked_at_once() {
    let (_daybook, mut connection) = with_topic();
    connection.commit("one", "t", &[(0, 1)]);
    connection.commit("two", "t", &[(0, 2)]);
    let groups = ["one", "two", "none"]
        .map(|group| OffsetFetchRequestGroup::default().with_group_id(group_id(group)).with_topics(None));
    let answer = connection.ask(8, &OffsetFetchRequest::default().with_groups(groups.to_vec()));
    let found: Vec<_> = answer
        .groups
        .iter()
        .map(|group| {
            let offset = group.topics.first().map(|topic| topic.partitions[0].committed_offset);
            (group.group_id.to_string(), group.error_code, offset)
        })
        .collect();
    let expected = [("one", Some(1)), ("two", Some(2)), ("none", None)];
    assert_eq!(found, expected.map(|(group, offset)| (group.to_owned(), 0, offset)));
}

/// OFFS-02: a partition without a commit is -1 with empty, not null, metadata and no error: sarama reads it so.
#[test]
fn no_commit_is_minus_one_and_empty_metadata() {
    let (_daybook, mut connection) = with_topic();
    for version in 1..=7 {
        let topic =
            OffsetFetchRequestTopic::default().with_name(topic_name("t")).with_partition_indexes(vec![0, 99]);
        let request =
            OffsetFetchRequest::default().with_group_id(group_id("g")).with_topics(Some(vec![topic]));
        let answer = connection.ask(version, &request);
        assert_eq!(answer.topics[0].partitions.len(), 2);
        for partition in &answer.topics[0].partitions {
            assert_eq!((partition.committed_offset, partition.error_code), (-1, 0), "version {version}");
            assert_eq!(partition.committed_leader_epoch, -1);
            assert_eq!(partition.metadata, Some(text("")), "version {version}");
        }
    }
}

/// OFFS-03: metadata is limited in UTF-16 units; the partition beside it is stored.
#[test]
fn too_much_metadata_is_refused_alone() {
    let (_daybook, mut connection) = with_topic();
    let mut request = commit_request("g", "t", &[(0, 1), (1, 2), (2, 3)]);
    let partitions = &mut request.topics[0].partitions;
    partitions[0].committed_metadata = Some(text(&"x".repeat(4096)));
    partitions[1].committed_metadata = Some(text(&"x".repeat(4097)));
    // 2,048 characters outside the basic plane are 4,096 units and 8,192 bytes.
    partitions[2].committed_metadata = Some(text(&"𝄞".repeat(2048)));
    let answer = connection.ask(8, &request);
    let mut codes: Vec<_> =
        answer.topics[0].partitions.iter().map(|p| (p.partition_index, p.error_code)).collect();
    codes.sort_unstable();
    assert_eq!(codes, [(0, 0), (1, 12), (2, 0)]);
    assert_eq!(connection.committed("g").len(), 2);
}

/// OFFS-04: unknown topics and partitions are error 3, the others are stored.
#[test]
fn unknown_partitions_are_refused_alone() {
    let (_daybook, mut connection) = with_topic();
    assert_eq!(connection.commit("g", "t", &[(0, 1), (9, 2)]), [0, 3]);
    assert_eq!(connection.commit("g", "nope", &[(0, 1)]), [3]);
    assert_eq!(connection.committed("g"), [("t".to_owned(), 0, 1)]);
}

/// OFFS-05: a commit without membership makes a simple group, and is refused while members are there.
#[test]
fn a_commit_without_membership_needs_an_empty_group() {
    let (daybook, mut connection) = with_topic();
    assert_eq!(connection.commit("simple", "t", &[(0, 1)]), [0]);
    let mut member = Member::stable(&daybook, "active");
    assert_eq!(connection.commit("active", "t", &[(0, 1)]), [25]);
    assert_eq!(member.leave(), (0, 0));
    assert_eq!(connection.commit("active", "t", &[(0, 1)]), [0]);
}

/// A member commits with its generation; a stale one is error 22, in the middle of a rebalance 27.
#[test]
fn a_member_commits_with_its_generation() {
    let (daybook, mut connection) = with_topic();
    let mut member = Member::stable(&daybook, "g");
    let mut commit = |generation, id: &str| {
        let request = commit_request("g", "t", &[(0, 3)])
            .with_generation_id_or_member_epoch(generation)
            .with_member_id(text(id));
        connection.ask(8, &request).topics[0].partitions[0].error_code
    };
    assert_eq!(commit(member.generation, &member.id), 0);
    assert_eq!(commit(member.generation + 1, &member.id), 22);
    assert_eq!(commit(member.generation, "stranger"), 25);
    let rejoined = member.join();
    assert_eq!(commit(rejoined.generation_id, &member.id), 27, "joined, not yet synced");
}

/// OFFS-08: retention -1 in versions 2 to 4 means the broker's default, not a time in the past.
#[test]
fn retention_minus_one_is_the_brokers_default() {
    let daybook = Daybook::start(&[("offsets.retention.check.interval.ms", "100")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for version in 2..=4 {
        let group = format!("g{version}");
        let request = commit_request(&group, "t", &[(0, 9)]).with_retention_time_ms(-1);
        assert_eq!(connection.ask(version, &request).topics[0].partitions[0].error_code, 0);
    }
    connection.assert_silent(std::time::Duration::from_millis(500));
    for version in 2..=4 {
        assert_eq!(connection.committed_offset(&format!("g{version}"), "t", 0), 9, "version {version}");
    }
}

/// OFFS-08, OFFS-09: an explicit retention of a version 2 commit is honoured: the offset expires.
#[test]
fn an_explicit_retention_expires() {
    let daybook = Daybook::start(&[("offsets.retention.check.interval.ms", "100")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let request = commit_request("g", "t", &[(0, 9)]).with_retention_time_ms(500);
    connection.ask(2, &request);
    assert_eq!(connection.committed_offset("g", "t", 0), 9);
    integration_tests::eventually("the offset expires", std::time::Duration::from_secs(10), || {
        connection.committed_offset("g", "t", 0) == -1
    });
}

/// OFFS-12: offsets are stored as given: lower than before, beyond the end, negative.
#[test]
fn offsets_are_stored_as_given() {
    let (mut daybook, mut connection) = with_topic();
    for offset in [10, 3, 1 << 40, 0] {
        assert_eq!(connection.commit("g", "t", &[(0, offset)]), [0]);
        assert_eq!(connection.committed_offset("g", "t", 0), offset);
    }
    connection.commit("g", "t", &[(0, 1 << 40)]);
    daybook.restart();
    assert_eq!(daybook.connect().committed_offset("g", "t", 0), 1 << 40);
}

/// Committed metadata and leader epoch come back as they were, also over a crash.
#[test]
fn metadata_and_leader_epoch_come_back() {
    let (mut daybook, mut connection) = with_topic();
    let mut request = commit_request("g", "t", &[(1, 4)]);
    request.topics[0].partitions[0].committed_metadata = Some(text("hello"));
    request.topics[0].partitions[0].committed_leader_epoch = 0;
    connection.ask(8, &request);
    daybook.kill9();
    daybook.start_again();
    let topic = OffsetFetchRequestTopic::default().with_name(topic_name("t")).with_partition_indexes(vec![1]);
    let request = OffsetFetchRequest::default().with_group_id(group_id("g")).with_topics(Some(vec![topic]));
    let found = daybook.connect().ask(7, &request).topics.remove(0).partitions.remove(0);
    assert_eq!((found.committed_offset, found.committed_leader_epoch), (4, 0));
    assert_eq!(found.metadata, Some(text("hello")));
}

/// Deleting a topic removes its committed offsets; one made again starts without.
#[test]
fn a_deleted_topic_has_no_offsets() {
    let (_daybook, mut connection) = with_topic();
    connection.commit("g", "t", &[(0, 5)]);
    assert_eq!(connection.delete_topic("t"), 0);
    connection.create_topic("t", 3, &[]);
    assert_eq!(connection.committed_offset("g", "t", 0), -1);
}
