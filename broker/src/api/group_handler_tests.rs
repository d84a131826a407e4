//! The group and offset APIs as handlers: what depends on the request and not on the state of a group.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use kafka_protocol::{
    messages::{
        DescribeGroupsRequest, FindCoordinatorRequest, GroupId, OffsetCommitRequest, OffsetDeleteRequest,
        OffsetFetchRequest, TopicName,
        offset_commit_request::{OffsetCommitRequestPartition, OffsetCommitRequestTopic},
        offset_delete_request::OffsetDeleteRequestTopic,
        offset_fetch_request::OffsetFetchRequestGroup,
    },
    protocol::StrBytes,
};

use super::{
    describe_groups,
    find_coordinator::{self, Coordinated, CoordinatorTopics, NodeEndpoint},
    offset_commit, offset_delete, offset_fetch,
};
use crate::{
    coordinator::{
        GroupCoordinator,
        group::GroupSettings,
        tests::{MemoryLog, coordinator},
    },
    testing::Bench,
};

fn groups() -> Arc<GroupCoordinator> {
    coordinator(GroupSettings::default(), MemoryLog::new(1))
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

fn commit_of(topics: impl IntoIterator<Item = (String, Vec<i32>)>) -> OffsetCommitRequest {
    let partition = |index| OffsetCommitRequestPartition::default().with_partition_index(index);
    let topics = topics.into_iter().map(|(name, partitions)| {
        OffsetCommitRequestTopic::default()
            .with_name(TopicName(text(&name)))
            .with_partitions(partitions.into_iter().map(partition).collect())
    });
    OffsetCommitRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_generation_id_or_member_epoch(-1)
        .with_topics(topics.collect())
}

/// OFFS-04: what is not there is refused, and the rest is stored.
#[tokio::test]
async fn unknown_topics_and_partitions_do_not_hold_up_a_commit() {
    let (bench, groups) = (Bench::with_topic(2), groups());
    let request = commit_of([("t".into(), vec![0, 2, -1]), ("nope".into(), vec![0])]);
    let answer = offset_commit::handle(8, request, &bench.image, &groups).await;
    let mut codes: Vec<_> = answer
        .topics
        .iter()
        .flat_map(|topic| {
            topic.partitions.iter().map(|at| (topic.name.as_str(), at.partition_index, at.error_code))
        })
        .collect();
    codes.sort_unstable();
    assert_eq!(codes, [("nope", 0, 3), ("t", -1, 3), ("t", 0, 0), ("t", 2, 3)]);
    let stored = groups.fetch("g", None).expect("served");
    assert_eq!(stored[0].1.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0]);
}

/// Searching the answer for each of them took minutes.
#[tokio::test]
async fn a_hundred_thousand_unknown_topics_are_refused_in_no_time() {
    let (bench, groups) = (Bench::new(), groups());
    let names = || (0..100_000).map(|number| format!("topic-{number}"));
    let start = Instant::now();
    let request = commit_of(names().map(|name| (name, vec![0])));
    let committed = offset_commit::handle(8, request, &bench.image, &groups).await;
    let topics = names().map(|name| OffsetDeleteRequestTopic::default().with_name(TopicName(text(&name))));
    let request = OffsetDeleteRequest::default().with_topics(topics.collect());
    let deleted = offset_delete::handle(0, request, &bench.image, &groups).await;
    assert_eq!((committed.topics.len(), deleted.topics.len()), (100_000, 100_000));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test]
async fn one_request_cannot_fetch_the_same_offsets_without_bound() {
    let mut bench = Bench::new();
    bench.image = Bench::with_topic(1000).image;
    let groups = groups();
    offset_commit::handle(8, commit_of([("t".into(), (0..1000).collect())]), &bench.image, &groups).await;
    let group = OffsetFetchRequestGroup::default().with_group_id(GroupId(text("g"))).with_topics(None);
    let request = OffsetFetchRequest::default().with_groups(vec![group; 1002]);
    let answers = offset_fetch::handle(8, request, &groups).await.groups;
    assert_eq!((answers[0].error_code, answers[0].topics[0].partitions.len()), (0, 1000));
    assert_eq!((answers[1001].error_code, answers[1001].topics.len()), (42, 0));
}

#[tokio::test]
async fn groups_that_do_not_exist_can_be_described_in_any_number() {
    let request = DescribeGroupsRequest::default().with_groups(vec![GroupId(text("nope")); 10_000]);
    let answers = describe_groups::handle(5, request, &groups()).await.groups;
    assert!(answers.iter().all(|group| &*group.group_state == "Dead" && group.error_code == 0));
}

/// Counts how often the topic was asked for.
#[derive(Default)]
struct Made(AtomicUsize);

impl CoordinatorTopics for Made {
    async fn ensure(&self, _what: Coordinated) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst);
        true
    }
}

/// GROUP-19
#[tokio::test]
async fn each_key_is_answered_and_unknown_types_are_refused() {
    let node = NodeEndpoint { node_id: 7, host: "h", port: 9092 };
    let made = Made::default();
    let ask = |key_type, keys: &[&str]| {
        FindCoordinatorRequest::default()
            .with_key_type(key_type)
            .with_coordinator_keys(keys.iter().map(|key| text(key)).collect())
    };
    for (key_type, code, node_id) in [(0, 0, 7), (1, 0, 7), (2, 42, -1), (3, 42, -1), (-1, 42, -1)] {
        let found = find_coordinator::handle(4, ask(key_type, &["a", "b"]), node, &made).await.coordinators;
        let found: Vec<_> =
            found.iter().map(|one| (one.key.as_str(), one.error_code, one.node_id.0)).collect();
        assert_eq!(found, [("a", code, node_id), ("b", code, node_id)], "type {key_type}");
    }
    assert_eq!(made.0.load(Ordering::SeqCst), 2, "once a request, whatever the number of keys");
    let single = ask(9, &[]).with_key(text("a"));
    assert_eq!(find_coordinator::handle(1, single.clone(), node, &made).await.error_code, 42);
    assert_eq!(find_coordinator::handle(0, single, node, &made).await.error_code, 0, "v0 knows groups only");
}
