//! Listing, describing and deleting groups (`GADM-*`).

use crate::member::Member;
use integration_tests::{Daybook, group_id, text, topic_name};
use kafka_protocol::messages::{
    offset_delete_request::{OffsetDeleteRequestPartition, OffsetDeleteRequestTopic},
    *,
};

fn describe(
    connection: &mut integration_tests::Connection,
    version: i16,
    group: &str,
) -> describe_groups_response::DescribedGroup {
    connection
        .ask(version, &DescribeGroupsRequest::default().with_groups(vec![group_id(group)]))
        .groups
        .remove(0)
}

/// GADM-01: an unknown group is Dead without error up to version 5, and error 69 from version 6.
#[test]
fn an_unknown_group_is_dead() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for version in 0..=5 {
        let group = describe(&mut connection, version, "nope");
        assert_eq!((group.error_code, group.group_state.as_str()), (0, "Dead"), "version {version}");
    }
    let group = describe(&mut connection, 6, "nope");
    assert_eq!((group.error_code, group.group_state.as_str()), (69, "Dead"));
}

/// GADM-02: a stable group shows its protocol and its members; during a rebalance only assignments stay.
#[test]
fn a_described_group_shows_its_members() {
    let daybook = Daybook::start(&[]);
    let mut member = Member::stable(&daybook, "g");
    let mut connection = daybook.connect();
    let group = describe(&mut connection, 5, "g");
    assert_eq!((group.error_code, group.group_state.as_str()), (0, "Stable"));
    assert_eq!((group.protocol_type.as_str(), group.protocol_data.as_str()), ("consumer", "range"));
    let only = &group.members[0];
    assert_eq!(only.member_id.as_str(), member.id);
    assert_eq!(only.client_id.as_str(), "raw-frames");
    assert_eq!(only.client_host.as_str(), "/127.0.0.1");
    assert_eq!(&only.member_metadata[..], b"metadata");
    assert_eq!(&only.member_assignment[..], b"mine");

    member.join();
    let group = describe(&mut connection, 5, "g");
    assert_eq!((group.group_state.as_str(), group.protocol_data.as_str()), ("CompletingRebalance", ""));
    assert!(group.members[0].member_metadata.is_empty());

    assert_eq!(member.leave(), (0, 0));
    assert_eq!(describe(&mut connection, 5, "g").group_state.as_str(), "Empty");
}

/// GADM-03: groups are listed with state and type; filters that match nothing are no error.
#[test]
fn groups_are_listed_and_filtered() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.commit("simple", "t", &[(0, 1)]);
    let _member = Member::stable(&daybook, "live");
    let mut list = |states: &[&str], types: &[&str]| {
        let request = ListGroupsRequest::default()
            .with_states_filter(states.iter().map(|state| text(state)).collect())
            .with_types_filter(types.iter().map(|name| text(name)).collect());
        let answer = connection.ask(5, &request);
        assert_eq!(answer.error_code, 0);
        let mut groups: Vec<_> = answer
            .groups
            .iter()
            .map(|g| {
                format!("{}:{}:{}:{}", g.group_id.as_str(), g.protocol_type, g.group_state, g.group_type)
            })
            .collect();
        groups.sort();
        groups
    };
    let (live, simple) = ("live:consumer:Stable:classic".to_owned(), "simple::Empty:classic".to_owned());
    assert_eq!(list(&[], &[]), [live.clone(), simple.clone()]);
    assert_eq!(list(&["stable"], &[]), std::slice::from_ref(&live));
    assert_eq!(list(&["Empty", "nonsense"], &["CLASSIC"]), [simple]);
    assert!(list(&["nonsense"], &[]).is_empty());
    assert!(list(&[], &["consumer"]).is_empty());
    for version in 0..=3 {
        assert_eq!(
            connection.ask(version, &ListGroupsRequest::default()).groups.len(),
            2,
            "version {version}"
        );
    }
}

/// GADM-04: an active group is error 68, an empty one goes with its offsets, an unknown one is error 69.
#[test]
fn only_empty_groups_are_deleted() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.commit("empty", "t", &[(0, 1)]);
    let member = Member::stable(&daybook, "active");
    let names = ["active", "empty", "unknown"].map(group_id).to_vec();
    let answer = connection.ask(2, &DeleteGroupsRequest::default().with_groups_names(names));
    let mut codes: Vec<_> =
        answer.results.iter().map(|result| (result.group_id.to_string(), result.error_code)).collect();
    codes.sort();
    assert_eq!(codes, [("active".to_owned(), 68), ("empty".to_owned(), 0), ("unknown".to_owned(), 69)]);
    drop(member);
    for restarted in [false, true] {
        if restarted {
            daybook.restart();
        }
        assert!(daybook.connect().committed("empty").is_empty(), "restarted: {restarted}");
    }
}

/// OffsetDelete: per partition; a group that is not there is error 69, one that was never committed succeeds.
#[test]
fn single_offsets_are_deleted() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 3, &[]);
    connection.commit("g", "t", &[(0, 1), (1, 2)]);
    let partitions =
        [0, 2, 9].map(|index| OffsetDeleteRequestPartition::default().with_partition_index(index)).to_vec();
    let topic = OffsetDeleteRequestTopic::default().with_name(topic_name("t")).with_partitions(partitions);
    let request = OffsetDeleteRequest::default().with_group_id(group_id("g")).with_topics(vec![topic]);
    let answer = connection.ask(0, &request);
    assert_eq!(answer.error_code, 0);
    let mut codes: Vec<_> =
        answer.topics[0].partitions.iter().map(|p| (p.partition_index, p.error_code)).collect();
    codes.sort_unstable();
    assert_eq!(codes, [(0, 0), (2, 0), (9, 3)]);
    assert_eq!(connection.committed("g"), [("t".to_owned(), 1, 2)]);
    for topics in [request.topics.clone(), vec![]] {
        let of = |group| request.clone().with_group_id(group_id(group)).with_topics(topics.clone());
        assert_eq!(connection.ask(0, &of("nope")).error_code, 69, "{topics:?}");
        assert_eq!(connection.ask(0, &of("")).error_code, 24, "{topics:?}");
    }
}
