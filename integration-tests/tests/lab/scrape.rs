//! kafka-ui's scrape: every 30 seconds, and one failing call makes the whole cluster OFFLINE.

use crate::kafka_ui::{KafkaUi, LATEST, connect, describe_cluster};
use integration_tests::{Daybook, batch::Batch, text};
use kafka_protocol::messages::{
    describe_configs_request::DescribeConfigsResource,
    list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
    *,
};

/// The keys that kafka-ui uses when they are advertised, and copes without when they are not.
const OPTIONAL_KEYS: [(i16, &str); 4] = [
    (55, "DescribeQuorum"),
    (69, "ConsumerGroupDescribe"),
    (71, "GetTelemetrySubscriptions"),
    (75, "DescribeTopicPartitions"),
];

/// What the dashboard shows.
#[derive(Debug, PartialEq, Eq)]
struct Dashboard {
    version: i16,
    topics: usize,
    partitions: usize,
    groups: usize,
    bytes: i64,
}

/// The whole scrape, as `ScrapedClusterState` does it. Whatever would make the cluster OFFLINE is a panic.
fn scrape(ui: &mut KafkaUi) -> Dashboard {
    // Detection.
    ui.admin.ask(1, &DescribeClusterRequest::default());
    let broker_configs = ui.describe_broker_configs();
    assert_eq!(broker_configs.error_code, 0);
    let features = ui.admin.ask(
        4,
        &ApiVersionsRequest::default()
            .with_client_software_name(text("apache-kafka-java"))
            .with_client_software_version(text("7.9.5-ccs")),
    );
    let version = features
        .finalized_features
        .iter()
        .find(|feature| feature.name.as_str() == "metadata.version")
        .map(|feature| feature.max_version_level)
        .expect("no version: Unknown, and half of the functions are switched off");
    let acls = DescribeAclsRequest::default()
        .with_resource_type_filter(1)
        .with_pattern_type_filter(1)
        .with_operation(1)
        .with_permission_type(1);
    assert_eq!(ui.admin.ask(3, &acls).error_code, 54, "the polite way to have no authorizer");

    // The scrape itself.
    let cluster = ui.admin.ask(1, &describe_cluster());
    assert_eq!(cluster.error_code, 0);
    assert!(cluster.brokers.iter().any(|broker| broker.broker_id == cluster.controller_id));
    let log_dirs = ui.admin.ask(4, &DescribeLogDirsRequest::default().with_topics(None));
    assert_eq!((log_dirs.error_code, log_dirs.results[0].error_code), (0, 0));
    let bytes = log_dirs.results[0].topics.iter().flat_map(|t| &t.partitions).map(|p| p.partition_size).sum();
    let all = MetadataRequest::default().with_topics(None).with_allow_auto_topic_creation(true);
    let topics = ui.admin.ask(12, &all).topics;
    ui.admin.ask(12, &all);
    let listed = ui.admin.ask(5, &ListGroupsRequest::default());
    assert_eq!(listed.error_code, 0);

    let names: Vec<String> =
        topics.iter().map(|topic| topic.name.as_ref().expect("named").to_string()).collect();
    describe_all_configs(ui, &names);
    for topic in &topics {
        assert_eq!(topic.error_code, 0);
        assert!(
            topic.partitions.iter().all(|partition| partition.error_code == 0 && partition.leader_id == 1)
        );
    }
    for at in [LATEST, -2] {
        list_all_offsets(ui, &topics, at);
    }
    for group in &listed.groups {
        let described = ui.describe_groups(&[group.group_id.as_str()]).remove(0);
        assert_eq!(described.error_code, 0);
        assert!(["", "consumer"].contains(&described.protocol_type.as_str()));
        ui.committed(group.group_id.as_str());
    }
    let partitions = topics.iter().map(|topic| topic.partitions.len()).sum();
    Dashboard { version, topics: topics.len(), partitions, groups: listed.groups.len(), bytes }
}

fn describe_all_configs(ui: &mut KafkaUi, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let resources = names
        .iter()
        .map(|name| {
            DescribeConfigsResource::default()
                .with_resource_type(2)
                .with_resource_name(text(name))
                .with_configuration_keys(None)
        })
        .collect();
    let request = DescribeConfigsRequest::default().with_resources(resources).with_include_synonyms(true);
    let answer = ui.admin.ask(4, &request);
    assert_eq!(answer.results.len(), names.len());
    for result in &answer.results {
        assert_eq!(result.error_code, 0);
        assert!(
            result.configs.iter().all(|config| config.value.is_some()),
            "cloning a topic needs every value"
        );
    }
}

fn list_all_offsets(ui: &mut KafkaUi, topics: &[metadata_response::MetadataResponseTopic], at: i64) {
    if topics.is_empty() {
        return;
    }
    let asked = topics
        .iter()
        .map(|topic| {
            let partitions = topic
                .partitions
                .iter()
                .map(|p| {
                    ListOffsetsPartition::default().with_partition_index(p.partition_index).with_timestamp(at)
                })
                .collect();
            ListOffsetsTopic::default()
                .with_name(topic.name.clone().expect("named"))
                .with_partitions(partitions)
        })
        .collect();
    let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(asked);
    let answer = ui.admin.ask(9, &request);
    assert!(
        answer.topics.iter().flat_map(|topic| &topic.partitions).all(|partition| partition.error_code == 0)
    );
}

/// ECO-03: an empty broker, a filled one, one with a group, and one that was restarted: online, with a version.
#[test]
fn the_cluster_is_online_from_the_first_scrape() {
    let mut daybook = Daybook::start(&[]);
    let mut ui = KafkaUi::open(&daybook);
    let empty = scrape(&mut ui);
    assert_eq!(empty, Dashboard { version: 30, topics: 0, partitions: 0, groups: 0, bytes: 0 });

    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    let batch = Batch::of(&["x"]);
    connection.produce("t", 0, &batch);
    connection.produce("t", 1, &batch);
    connection.commit("g", "t", &[(0, 1)]);
    let filled = scrape(&mut ui);
    // `__consumer_offsets` is there once a group committed, as in Kafka, and is counted.
    assert!(filled.topics >= 1 && filled.partitions >= 2, "{filled:?}");
    assert_eq!((filled.version, filled.groups), (30, 1));
    assert!(filled.bytes >= 2 * batch.encode().len() as i64);

    daybook.restart();
    assert_eq!(scrape(&mut KafkaUi::open(&daybook)), filled);
}

/// D5: a key is advertised when its whole API works; kafka-ui changes its ways by what is advertised.
#[test]
fn what_is_not_whole_is_not_advertised() {
    let daybook = Daybook::start(&[]);
    let mut connection = connect(daybook.address(), "adminclient-1");
    let request = ApiVersionsRequest::default()
        .with_client_software_name(text("apache-kafka-java"))
        .with_client_software_version(text("7.9.5-ccs"));
    let advertised = connection.ask(4, &request);
    let known = [
        0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 29, 32, 35, 37, 42, 44, 47, 60,
    ];
    for api in &advertised.api_keys {
        assert!(known.contains(&api.api_key), "key {} needs a place in the scrape above", api.api_key);
    }
    for (key, name) in OPTIONAL_KEYS {
        assert!(!advertised.api_keys.iter().any(|api| api.api_key == key), "{name}");
    }
}
