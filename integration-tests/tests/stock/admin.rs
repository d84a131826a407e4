//! librdkafka's admin client: topics, partitions, settings, records, groups.

use crate::librdkafka::{WITHIN, client};
use integration_tests::{Daybook, batch::Batch};
use rdkafka::{
    Offset, TopicPartitionList,
    admin::{
        AdminClient, AdminOptions, ConfigSource, NewPartitions, NewTopic, OwnedResourceSpecifier,
        ResourceSpecifier, TopicReplication,
    },
    client::DefaultClientContext,
    consumer::{BaseConsumer, Consumer},
    error::RDKafkaErrorCode,
};

type Admin = AdminClient<DefaultClientContext>;

fn options() -> AdminOptions {
    AdminOptions::new().operation_timeout(Some(WITHIN)).request_timeout(Some(WITHIN))
}

/// ADM-01, ADM-07, ADM-13: topics are made, grown and deleted.
#[tokio::test]
async fn topics_are_made_grown_and_deleted() {
    let daybook = Daybook::start(&[]);
    let admin: Admin = client(&daybook, &[]);
    let topic = NewTopic::new("t", 2, TopicReplication::Fixed(1)).set("retention.ms", "60000");
    let validated = admin.create_topics([&topic], &options().validate_only(true)).await.expect("an answer");
    assert_eq!(validated, [Ok("t".to_owned())]);
    assert_eq!(admin.create_topics([&topic], &options()).await.expect("an answer"), [Ok("t".to_owned())]);
    let again = admin.create_topics([&topic], &options()).await.expect("an answer");
    assert_eq!(again, [Err(("t".to_owned(), RDKafkaErrorCode::TopicAlreadyExists))]);
    let three_replicas = NewTopic::new("r", 1, TopicReplication::Fixed(3));
    let refused = admin.create_topics([&three_replicas], &options()).await.expect("an answer");
    assert_eq!(refused, [Err(("r".to_owned(), RDKafkaErrorCode::InvalidReplicationFactor))]);

    let grown = admin.create_partitions([&NewPartitions::new("t", 5)], &options()).await.expect("an answer");
    assert_eq!(grown, [Ok("t".to_owned())]);
    let consumer: BaseConsumer = client(&daybook, &[("group.id", "none")]);
    let metadata = consumer.fetch_metadata(Some("t"), WITHIN).expect("an answer");
    assert_eq!(metadata.topics()[0].partitions().len(), 5);

    let deleted = admin.delete_topics(&["t", "unknown"], &options()).await.expect("an answer");
    assert!(deleted.contains(&Ok("t".to_owned())));
    assert!(deleted.contains(&Err(("unknown".to_owned(), RDKafkaErrorCode::UnknownTopicOrPartition))));
    let left = consumer.fetch_metadata(None, WITHIN).expect("an answer");
    assert!(left.topics().iter().all(|topic| topic.name() != "t"));
}

/// ADM-10, ADM-12: settings of topics and of the broker are described with their sources.
#[tokio::test]
async fn settings_are_described() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[("retention.ms", "60000")]);
    let admin: Admin = client(&daybook, &[]);
    let asked = [ResourceSpecifier::Topic("t"), ResourceSpecifier::Broker(1)];
    let mut found = admin.describe_configs(&asked, &options()).await.expect("an answer").into_iter();
    let topic = found.next().expect("the topic").expect("no error");
    assert_eq!(topic.specifier, OwnedResourceSpecifier::Topic("t".to_owned()));
    let retention = topic.get("retention.ms").expect("listed");
    assert_eq!((retention.value.as_deref(), &retention.source), (Some("60000"), &ConfigSource::DynamicTopic));
    assert_eq!(topic.get("segment.bytes").expect("listed").source, ConfigSource::Default);
    let broker = found.next().expect("the broker").expect("no error");
    assert_eq!(broker.get("node.id").expect("listed").value.as_deref(), Some("1"));
    assert!(broker.entry_map().len() > 100, "the whole list of Kafka's broker settings");
}

/// TRIM-01: records are deleted up to an offset.
#[tokio::test]
async fn records_are_deleted() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    let admin: Admin = client(&daybook, &[]);
    let mut offsets = TopicPartitionList::new();
    offsets.add_partition_offset("t", 0, Offset::Offset(2)).expect("valid");
    let result = admin.delete_records(&offsets, &options()).await.expect("an answer");
    assert_eq!(result.find_partition("t", 0).expect("asked for").error(), Ok(()));
    assert_eq!(connection.offsets("t", 0), (2, 3));
}

/// GADM-04: groups are listed and deleted.
#[tokio::test]
async fn groups_are_listed_and_deleted() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.commit("g", "t", &[(0, 1)]);
    let consumer: BaseConsumer = client(&daybook, &[("group.id", "none")]);
    let listed = consumer.fetch_group_list(None, WITHIN).expect("an answer");
    assert_eq!(listed.groups().iter().map(|group| group.name()).collect::<Vec<_>>(), ["g"]);
    let admin: Admin = client(&daybook, &[]);
    let deleted = admin.delete_groups(&["g", "unknown"], &options()).await.expect("an answer");
    assert!(deleted.contains(&Ok("g".to_owned())));
    assert!(deleted.contains(&Err(("unknown".to_owned(), RDKafkaErrorCode::GroupIdNotFound))));
    assert!(connection.committed("g").is_empty());
}
