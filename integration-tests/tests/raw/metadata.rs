//! Metadata, topic names, automatic creation and topic ids (`META-*`).

use integration_tests::{Connection, Daybook, batch::Batch, text, topic_name, verbs::fetch_request};
use kafka_protocol::messages::{fetch_request::FetchPartition, fetch_request::FetchTopic, *};
use metadata_request::MetadataRequestTopic;
use uuid::Uuid;

fn by_name(names: &[&str]) -> MetadataRequest {
    let topics =
        names.iter().map(|name| MetadataRequestTopic::default().with_name(Some(topic_name(name)))).collect();
    MetadataRequest::default().with_topics(Some(topics)).with_allow_auto_topic_creation(true)
}

fn names(answer: &MetadataResponse) -> Vec<String> {
    answer.topics.iter().map(|topic| topic.name.as_ref().expect("named").to_string()).collect()
}

/// META-01: null asks for all topics, an empty list for none; in version 0 an empty list means all.
#[test]
fn null_means_all_topics_and_empty_means_none() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let empty = MetadataRequest::default().with_topics(Some(Vec::new())).with_allow_auto_topic_creation(true);
    assert_eq!(names(&connection.ask(0, &empty)), ["t"]);
    for version in [1, 9, 12] {
        assert!(names(&connection.ask(version, &empty)).is_empty(), "version {version}");
        let all = MetadataRequest::default().with_topics(None).with_allow_auto_topic_creation(true);
        assert_eq!(names(&connection.ask(version, &all)), ["t"], "version {version}");
    }
}

/// META-02: each listener answers with its own address, in Metadata, FindCoordinator and DescribeCluster.
#[test]
fn the_address_answered_is_the_one_of_the_listener_asked() {
    let daybook = Daybook::start(&[
        ("listeners", "INSIDE://127.0.0.1:0,OUTSIDE_ONE://127.0.0.1:0"),
        ("listener.security.protocol.map", "INSIDE:PLAINTEXT,OUTSIDE_ONE:PLAINTEXT"),
        ("inter.broker.listener.name", "INSIDE"),
    ]);
    assert_eq!(daybook.addresses().len(), 2);
    for address in daybook.addresses() {
        let mut connection = Connection::open(*address);
        let expected = ("127.0.0.1".to_owned(), i32::from(address.port()));
        let broker = connection.all_topics().brokers.remove(0);
        assert_eq!((broker.host.to_string(), broker.port), expected);
        let cluster = connection.ask(1, &DescribeClusterRequest::default());
        assert_eq!((cluster.brokers[0].host.to_string(), cluster.brokers[0].port), expected);
        let find = FindCoordinatorRequest::default().with_coordinator_keys(vec![text("g")]);
        let found = connection.ask(4, &find).coordinators.remove(0);
        assert_eq!((found.host.to_string(), found.port), expected);
    }
}

/// META-02: an advertised address replaces the one that was bound.
#[test]
fn the_advertised_address_is_answered() {
    let daybook = Daybook::start(&[
        ("listeners", "PLAINTEXT://127.0.0.1:0,HOST://127.0.0.1:0"),
        ("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT"),
        ("advertised.listeners", "PLAINTEXT://broker.lab:29092,HOST://localhost:9092"),
    ]);
    let expected = [("broker.lab", 29092), ("localhost", 9092)];
    for (address, (host, port)) in daybook.addresses().iter().zip(expected) {
        let broker = Connection::open(*address).all_topics().brokers.remove(0);
        assert_eq!((broker.host.as_str(), broker.port), (host, port));
    }
}

/// META-03: a topic made by asking for it has a leader in that very answer, and the next produce succeeds.
#[test]
fn a_topic_created_by_asking_can_be_used_at_once() {
    let daybook = Daybook::start(&[("num.partitions", "2")]);
    let mut connection = daybook.connect();
    for number in 0..50 {
        let name = format!("fresh-{number}");
        let topic = connection.ask(12, &by_name(&[&name])).topics.remove(0);
        assert_eq!((topic.error_code, topic.partitions.len()), (0, 2), "{name}");
        assert!(
            topic.partitions.iter().all(|partition| partition.leader_id == 1 && partition.error_code == 0)
        );
        assert_eq!(connection.produce(&name, 1, &Batch::of(&["x"])), 0);
    }
}

/// META-04: with allow_auto_topic_creation=false a missing topic stays missing.
#[test]
fn asking_without_auto_creation_creates_nothing() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for version in [4, 9, 12] {
        let request = by_name(&["missing"]).with_allow_auto_topic_creation(false);
        assert_eq!(connection.ask(version, &request).topics[0].error_code, 3);
    }
    assert_eq!(connection.try_fetch("missing", 0, 0).error_code, 3);
    assert!(names(&connection.all_topics()).is_empty());
}

/// auto.create.topics.enable=false wins over what the client asks.
#[test]
fn auto_creation_can_be_switched_off() {
    let daybook = Daybook::start(&[("auto.create.topics.enable", "false")]);
    let mut connection = daybook.connect();
    assert_eq!(connection.ask(12, &by_name(&["missing"])).topics[0].error_code, 3);
    assert!(names(&connection.all_topics()).is_empty());
}

/// META-06: names that are none get error 17 and create nothing; 249 characters are allowed.
#[test]
fn invalid_names_are_refused() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let too_long = "x".repeat(250);
    for name in [".", "..", "a b", "ü", "a/b", too_long.as_str()] {
        assert_eq!(connection.ask(12, &by_name(&[name])).topics[0].error_code, 17, "Metadata {name:?}");
        assert_eq!(connection.try_create_topic(name, 1, &[]).error_code, 17, "CreateTopics {name:?}");
    }
    assert_eq!(connection.try_create_topic("", 1, &[]).error_code, 17);
    assert!(names(&connection.all_topics()).is_empty());
    connection.create_topic(&"x".repeat(249), 1, &[]);
}

/// META-07: names that differ only in dot and underscore collide.
#[test]
fn dot_and_underscore_collide() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("a.b", 1, &[]);
    connection.create_topic("x_y.z", 1, &[]);
    assert_eq!(connection.try_create_topic("a_b", 1, &[]).error_code, 17);
    assert_eq!(connection.try_create_topic("x.y_z", 1, &[]).error_code, 17);
    connection.create_topic("a-b", 1, &[]);
}

/// META-09: topic ids are there, stay over restarts, and can be asked for.
#[test]
fn topic_ids_are_stable_and_can_be_asked_for() {
    let mut daybook = Daybook::start(&[]);
    let id = daybook.connect().create_topic("t", 1, &[]);
    assert!(!id.is_nil());
    daybook.restart();
    let mut connection = daybook.connect();
    assert_eq!(connection.topic("t").topic_id, id);

    let topics = vec![
        MetadataRequestTopic::default().with_topic_id(id).with_name(None),
        MetadataRequestTopic::default().with_topic_id(Uuid::from_u128(7)).with_name(None),
    ];
    let mut answer = connection.ask(12, &MetadataRequest::default().with_topics(Some(topics))).topics;
    answer.sort_by_key(|topic| topic.error_code);
    assert_eq!((answer[0].error_code, answer[0].name.as_ref()), (0, Some(&topic_name("t"))));
    assert_eq!((answer[1].error_code, answer[1].name.as_ref()), (100, None));
}

/// META-10: a re-created topic has a new id, and fetching by the old one gets error 100.
#[test]
fn the_old_id_of_a_recreated_topic_is_unknown() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let old = connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["old"]));
    assert_eq!(connection.delete_topic("t"), 0);
    let new = connection.create_topic("t", 1, &[]);
    assert_ne!(old, new);
    assert_eq!(connection.offsets("t", 0), (0, 0));

    for (id, error_code) in [(old, 100), (new, 0)] {
        let partition = FetchPartition::default().with_partition_max_bytes(1 << 20);
        let topic = FetchTopic::default().with_topic_id(id).with_partitions(vec![partition]);
        let answer = connection.ask(13, &fetch_request("t", &[]).with_topics(vec![topic]));
        assert_eq!(answer.error_code, 0);
        assert_eq!(answer.responses[0].partitions[0].error_code, error_code, "{id}");
    }
}

/// META-12: deleted means gone when the answer says so, and the name is free.
#[test]
fn a_deleted_topic_is_gone_and_can_be_made_again_at_once() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for round in 0..100 {
        connection.create_topic("t", 2, &[]);
        assert_eq!(connection.produce("t", 1, &Batch::of(&["x"])), 0, "round {round}");
        assert_eq!(connection.delete_topic("t"), 0, "round {round}");
        assert!(names(&connection.all_topics()).is_empty(), "round {round}");
    }
}

/// META-13: a cluster id in Kafka's form that survives restarts, and a controller that is a broker.
#[test]
fn the_cluster_has_an_id_and_a_controller() {
    let mut daybook = Daybook::start(&[]);
    let first = daybook.connect().all_topics();
    let id = first.cluster_id.clone().expect("a cluster id").to_string();
    assert_eq!(id.len(), 22, "{id}");
    assert!(first.brokers.iter().any(|broker| broker.node_id == first.controller_id));
    daybook.restart();
    assert_eq!(daybook.connect().all_topics().cluster_id, first.cluster_id);
}

/// META-13: a cluster id from the settings is taken by a new folder.
#[test]
fn a_configured_cluster_id_is_used() {
    let daybook = Daybook::start(&[("cluster.id", "MkU3OEVBNTcwNTJENDM2Qk")]);
    let answer = daybook.connect().all_topics();
    assert_eq!(answer.cluster_id.as_deref(), Some("MkU3OEVBNTcwNTJENDM2Qk"));
}
