use super::*;
use crate::{
    api::this_broker::tests::this_broker,
    catalog::testing::{Fixture, over_the_wire},
};

const VERSIONS: std::ops::RangeInclusive<i16> = 0..=13;

fn request(names: Option<&[&str]>, auto: bool) -> MetadataRequest {
    let topic = |name: &&str| MetadataRequestTopic::default().with_name(Some(topic_name(name)));
    MetadataRequest::default()
        .with_topics(names.map(|names| names.iter().map(topic).collect()))
        .with_allow_auto_topic_creation(auto)
}

fn by_ids(entries: &[(Option<&str>, Uuid)]) -> MetadataRequest {
    let topic = |(name, id): &(Option<&str>, Uuid)| {
        MetadataRequestTopic::default().with_name(name.map(topic_name)).with_topic_id(*id)
    };
    MetadataRequest::default().with_topics(Some(entries.iter().map(topic).collect()))
}

async fn ask(fixture: &Fixture, version: i16, request: MetadataRequest) -> MetadataResponse {
    over_the_wire(&handle(version, request, &this_broker(), &fixture.topics).await, version)
}

/// Name, error and number of partitions of each topic.
fn topics(response: &MetadataResponse) -> Vec<(String, i16, usize)> {
    let name = |topic: &MetadataResponseTopic| {
        topic.name.as_ref().map_or("null".to_owned(), |name| name.to_string())
    };
    response.topics.iter().map(|topic| (name(topic), topic.error_code, topic.partitions.len())).collect()
}

fn listed(entries: &[(&str, i16, usize)]) -> Vec<(String, i16, usize)> {
    entries.iter().map(|(name, error, partitions)| ((*name).to_owned(), *error, *partitions)).collect()
}

/// META-01
#[tokio::test]
async fn null_means_all_and_empty_means_none_but_in_version_0() {
    let fixture = Fixture::new();
    fixture.create("b", 2).await;
    fixture.create("a", 1).await;
    let all = listed(&[("a", 0, 1), ("b", 0, 2)]);
    for version in VERSIONS {
        let empty = ask(&fixture, version, request(Some(&[]), false)).await;
        if version == 0 {
            assert_eq!(topics(&empty), all);
        } else {
            assert_eq!(topics(&empty), []);
            assert_eq!(topics(&ask(&fixture, version, request(None, false)).await), all, "version {version}");
        }
        assert_eq!(empty.brokers.len(), 1);
    }
}

/// META-13, META-09
#[tokio::test]
async fn each_version_tells_what_it_can() {
    let fixture = Fixture::new();
    let id = fixture.create("a", 2).await;
    for version in VERSIONS {
        let mut asked = request(Some(&["a", "a"]), false);
        if version >= 8 {
            asked = asked.with_include_topic_authorized_operations(true);
        }
        if (8..=10).contains(&version) {
            asked = asked.with_include_cluster_authorized_operations(true);
        }
        let response = ask(&fixture, version, asked).await;
        let broker = &response.brokers[0];
        assert_eq!((broker.node_id.0, &*broker.host, broker.port), (1, "example", 19092));
        if version >= 1 {
            assert_eq!(response.controller_id.0, 1);
            assert_eq!(broker.rack.as_deref(), Some("r1"));
        }
        if version >= 2 {
            assert_eq!(response.cluster_id.as_deref(), Some("flt0PYs4SR2gOGjX6lgW5w"));
        }
        let operations = if (8..=10).contains(&version) { 8096 } else { i32::MIN };
        assert_eq!(response.cluster_authorized_operations, operations, "version {version}");
        let [topic] = &response.topics[..] else { panic!("a duplicate is answered once") };
        assert_eq!(topic.topic_id, if version >= 10 { id } else { Uuid::nil() });
        assert_eq!(topic.topic_authorized_operations, if version >= 8 { 3576 } else { i32::MIN });
        let partition = &topic.partitions[1];
        assert_eq!((partition.error_code, partition.partition_index, partition.leader_id.0), (0, 1, 1));
        assert_eq!(partition.leader_epoch, if version >= 7 { 0 } else { -1 });
        assert_eq!(
            (&partition.replica_nodes[..], &partition.isr_nodes[..]),
            (&[BrokerId(1)][..], &[BrokerId(1)][..])
        );
        assert_eq!(response.error_code, 0);
    }
}

/// META-03: on purpose not Kafka's first answer, which is 3.
#[tokio::test]
async fn a_missing_topic_is_created_before_the_answer() {
    let fixture = Fixture::new();
    fixture.create("old", 1).await;
    for version in VERSIONS {
        let name = format!("new{version}");
        let response = ask(&fixture, version, request(Some(&[&name, "old", &name]), true)).await;
        assert_eq!(topics(&response), listed(&[("old", 0, 1), (&name, 0, 1)]));
        assert!(fixture.host.partitions.lock().contains(&(name, 0)));
    }
}

/// META-04
#[tokio::test]
async fn nothing_is_created_that_was_not_asked_for() {
    let fixture = Fixture::new();
    for version in 4..=13 {
        let response = ask(&fixture, version, request(Some(&["nope"]), false)).await;
        assert_eq!(topics(&response), listed(&[("nope", 3, 0)]));
    }
    let never = Fixture::with(|settings| settings.auto_create_enabled = false);
    assert_eq!(topics(&ask(&never, 0, request(Some(&["nope"]), true)).await), listed(&[("nope", 3, 0)]));
    assert!(fixture.topics.image().topics.is_empty() && never.topics.image().topics.is_empty());
}

/// META-06
#[tokio::test]
async fn illegal_names_are_told_apart_from_missing_ones() {
    let fixture = Fixture::new();
    let (long, too_long) = ("a".repeat(249), "a".repeat(250));
    let table = [
        ("", 17),
        (".", 17),
        ("..", 17),
        (&long, 3),
        (&too_long, 17),
        ("a b", 17),
        ("é", 17),
        ("a/b", 17),
        ("__foo", 3),
    ];
    for (name, error) in table {
        assert_eq!(
            topics(&ask(&fixture, 9, request(Some(&[name]), false)).await),
            listed(&[(name, error, 0)])
        );
        if error == 17 {
            assert_eq!(
                topics(&ask(&fixture, 9, request(Some(&[name]), true)).await),
                listed(&[(name, 17, 0)])
            );
        }
    }
    let response = ask(&fixture, 9, request(Some(&["__cluster_metadata"]), true)).await;
    assert_eq!(topics(&response), listed(&[("__cluster_metadata", 3, 0)]));
    let response = ask(&fixture, 9, request(Some(&[&long, "__consumer_offsets"]), true)).await;
    assert_eq!(topics(&response), listed(&[(&long, 0, 1), ("__consumer_offsets", 0, 5)]));
    assert!(response.topics[1].is_internal && !response.topics[0].is_internal);
}

/// META-06
#[tokio::test]
async fn names_without_a_topic_have_operations_and_ids_have_none() {
    let fixture = Fixture::new();
    for version in 8..=13 {
        let asked = request(Some(&["nope", "a b"]), false).with_include_topic_authorized_operations(true);
        let response = ask(&fixture, version, asked).await;
        let operations = response.topics.iter().map(|topic| topic.topic_authorized_operations);
        assert_eq!(operations.collect::<Vec<_>>(), [3576; 2], "version {version}");
    }
    let asked = by_ids(&[(None, Uuid::from_u128(7))]).with_include_topic_authorized_operations(true);
    assert_eq!(ask(&fixture, 12, asked).await.topics[0].topic_authorized_operations, i32::MIN);
}

/// META-07
#[tokio::test]
async fn a_name_that_collides_is_not_created() {
    let fixture = Fixture::new();
    fixture.create("a.b", 1).await;
    assert_eq!(topics(&ask(&fixture, 4, request(Some(&["a_b"]), true)).await), listed(&[("a_b", 17, 0)]));
}

/// META-09: by id from version 12; before, the whole request is wrong.
#[tokio::test]
async fn topics_are_found_by_id() {
    let fixture = Fixture::new();
    let id = fixture.create("a", 2).await;
    fixture.create("b", 1).await;
    let unknown = Uuid::from_u128(7);
    for version in 12..=13 {
        for (asked, expected) in [
            (vec![(None, id)], vec![("a", 0, 2)]),
            (vec![(None, unknown)], vec![("null", 100, 0)]),
            (vec![(Some("a"), id)], vec![("a", 0, 2)]),
            (vec![(Some("a"), unknown)], vec![("null", 100, 0)]),
            (vec![(None, id), (Some("a"), Uuid::nil())], vec![("a", 0, 2)]),
            (
                vec![(None, id), (None, unknown), (Some("b"), Uuid::nil())],
                vec![("null", 100, 0), ("a", 0, 2)],
            ),
        ] {
            assert_eq!(topics(&ask(&fixture, version, by_ids(&asked)).await), listed(&expected), "{asked:?}");
        }
        let response = ask(&fixture, version, by_ids(&[(None, Uuid::nil())])).await;
        assert_eq!(topics(&response), listed(&[("", -1, 0)]));
        assert_eq!((response.brokers.len(), response.controller_id.0, response.cluster_id), (0, -1, None));
        assert_eq!(response.error_code, if version == 13 { -1 } else { 0 });
    }
    for version in 10..=11 {
        let response = ask(&fixture, version, by_ids(&[(None, id), (Some("a"), Uuid::nil())])).await;
        assert_eq!(topics(&response), listed(&[("", 42, 0), ("a", 42, 0)]));
        assert_eq!(response.topics[0].topic_id, id);
        assert!(response.brokers.is_empty());
    }
}
