//! Creating, growing and deleting topics (`ADM-*`).

use integration_tests::{Daybook, batch::Batch, topic_name};
use kafka_protocol::messages::{
    create_partitions_request::CreatePartitionsTopic,
    create_topics_request::{CreatableReplicaAssignment, CreatableTopic},
    delete_topics_request::DeleteTopicState,
    *,
};

fn creatable(name: &str, partitions: i32, replication_factor: i16) -> CreatableTopic {
    CreatableTopic::default()
        .with_name(topic_name(name))
        .with_num_partitions(partitions)
        .with_replication_factor(replication_factor)
}

fn create(topics: Vec<CreatableTopic>) -> CreateTopicsRequest {
    CreateTopicsRequest::default().with_topics(topics).with_timeout_ms(10_000)
}

/// ADM-01: validate_only checks everything and makes nothing.
#[test]
fn validate_only_makes_nothing() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("there", 1, &[]);
    let request = create(vec![creatable("there", 1, 1), creatable("new", 1, 1)]).with_validate_only(true);
    let codes: Vec<_> = connection.ask(7, &request).topics.iter().map(|topic| topic.error_code).collect();
    assert_eq!(codes, [36, 0]);
    assert_eq!(connection.topic("new").error_code, 3);
}

/// ADM-02: -1 asks for the broker's defaults; the answer has the real counts and all settings in force.
#[test]
fn defaults_are_filled_in_and_told() {
    let daybook = Daybook::start(&[("num.partitions", "3")]);
    let mut connection = daybook.connect();
    for version in [4, 5, 7] {
        let name = format!("t{version}");
        let answer = connection.ask(version, &create(vec![creatable(&name, -1, -1)]));
        let topic = &answer.topics[0];
        assert_eq!(topic.error_code, 0, "version {version}");
        assert_eq!(connection.topic(&name).partitions.len(), 3);
        if version >= 5 {
            assert_eq!((topic.num_partitions, topic.replication_factor), (3, 1));
            let configs = topic.configs.as_ref().expect("all settings in force");
            assert!(configs.iter().any(|config| config.name.as_str() == "retention.ms"));
        }
    }
}

/// ADM-03: more replicas than brokers is error 38, and so is 0; too few partitions is 37.
#[test]
fn impossible_counts_are_refused() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for (partitions, replication_factor, error_code) in
        [(1, 3, 38), (1, 2, 38), (1, 0, 38), (1, -2, 38), (0, 1, 37), (-2, 1, 37), (10_001, 1, 44)]
    {
        let answer = connection.ask(7, &create(vec![creatable("t", partitions, replication_factor)]));
        assert_eq!(
            answer.topics[0].error_code, error_code,
            "{partitions} partitions, {replication_factor} replicas"
        );
        assert!(answer.topics[0].error_message.is_some());
    }
    assert!(connection.all_topics().topics.is_empty());
}

/// A replica assignment by hand: this broker only, numbered without gaps.
#[test]
fn assignments_by_hand_are_checked() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let assigned = |indexes: &[i32], broker: i32| {
        let assignments = indexes
            .iter()
            .map(|index| {
                CreatableReplicaAssignment::default()
                    .with_partition_index(*index)
                    .with_broker_ids(vec![BrokerId(broker)])
            })
            .collect();
        creatable("t", -1, -1).with_assignments(assignments)
    };
    for (topic, error_code) in [
        (assigned(&[0, 2], 1), 39),
        (assigned(&[0, 0], 1), 39),
        (assigned(&[0], 7), 39),
        (assigned(&[0], 1).with_num_partitions(1), 42),
        (assigned(&[0, 1], 1), 0),
    ] {
        assert_eq!(
            connection.ask(7, &create(vec![topic.clone()])).topics[0].error_code,
            error_code,
            "{topic:?}"
        );
    }
    assert_eq!(connection.topic("t").partitions.len(), 2);
}

/// A name twice in one request is error 42, the others are made; a name that is there is error 36.
#[test]
fn a_name_twice_is_refused() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let request = create(vec![creatable("twice", 1, 1), creatable("once", 1, 1), creatable("twice", 1, 1)]);
    let mut codes: Vec<_> = connection
        .ask(7, &request)
        .topics
        .iter()
        .map(|topic| (topic.name.to_string(), topic.error_code))
        .collect();
    codes.sort();
    codes.dedup();
    assert_eq!(codes, [("once".to_owned(), 0), ("twice".to_owned(), 42)]);
    assert_eq!(connection.try_create_topic("once", 1, &[]).error_code, 36);
}

/// ADM-07: a topic only grows; the new partitions follow the old ones and can be used at once.
#[test]
fn partitions_are_added_and_never_removed() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    let mut grow = |name: &str, count: i32, validate_only: bool| {
        let topic = CreatePartitionsTopic::default()
            .with_name(topic_name(name))
            .with_count(count)
            .with_assignments(None);
        let request = CreatePartitionsRequest::default()
            .with_topics(vec![topic])
            .with_timeout_ms(10_000)
            .with_validate_only(validate_only);
        connection.ask(3, &request).results[0].error_code
    };
    assert_eq!(grow("t", 2, false), 37);
    assert_eq!(grow("t", 1, false), 37);
    assert_eq!(grow("nope", 3, false), 3);
    assert_eq!(grow("t", 4, true), 0);
    assert_eq!(daybook.connect().topic("t").partitions.len(), 2, "validate_only");
    assert_eq!(grow("t", 4, false), 0);
    for restarted in [false, true] {
        if restarted {
            daybook.restart();
        }
        let mut connection = daybook.connect();
        let mut indexes: Vec<_> =
            connection.topic("t").partitions.iter().map(|p| p.partition_index).collect();
        indexes.sort_unstable();
        assert_eq!(indexes, [0, 1, 2, 3]);
        connection.produce("t", 3, &Batch::of(&["x"]));
    }
}

/// ADM-13: each topic asked for is in the answer: by name, by id, unknown, both, and twice.
#[test]
fn each_deletion_is_answered() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("by-name", 1, &[]);
    let by_id = connection.create_topic("by-id", 1, &[]);
    let both = connection.create_topic("both", 1, &[]);
    let name = |name: &str| DeleteTopicState::default().with_name(Some(topic_name(name)));
    let id = |id| DeleteTopicState::default().with_name(None).with_topic_id(id);
    let topics = vec![
        name("by-name"),
        id(by_id),
        name("unknown"),
        id(uuid::Uuid::from_u128(5)),
        name("both").with_topic_id(both),
    ];
    let request = DeleteTopicsRequest::default().with_topics(topics).with_timeout_ms(10_000);
    let mut codes: Vec<_> =
        connection.ask(6, &request).responses.iter().map(|response| response.error_code).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 0, 3, 42, 100]);
    let left: Vec<_> = connection.all_topics().topics.iter().map(|topic| topic.name.clone()).collect();
    assert_eq!(left, [Some(topic_name("both"))]);
}

/// delete.topic.enable=false: error 73 (42 before version 3), nothing deleted.
#[test]
fn deletion_can_be_switched_off() {
    let daybook = Daybook::start(&[("delete.topic.enable", "false")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    assert_eq!(connection.delete_topic("t"), 73);
    let old = DeleteTopicsRequest::default().with_topic_names(vec![topic_name("t")]).with_timeout_ms(1_000);
    assert_eq!(connection.ask(2, &old).responses[0].error_code, 42);
    assert_eq!(connection.topic("t").error_code, 0);
}

/// ADM-14: what is created can be used on any connection when the answer has come.
#[test]
fn a_created_topic_can_be_used_at_once_from_anywhere() {
    let daybook = Daybook::start(&[]);
    let mut admin = daybook.connect();
    let mut other = daybook.connect();
    for number in 0..100 {
        let name = format!("t{number}");
        admin.create_topic(&name, 1, &[]);
        assert_eq!(other.produce(&name, 0, &Batch::of(&["x"])), 0);
        assert_eq!(other.offsets(&name, 0), (0, 1));
        assert_eq!(other.topic(&name).partitions[0].leader_id.0, 1);
    }
}

/// A deleted topic's folder goes, and what it held does not come back with the name, nor with a restart.
#[test]
fn a_deleted_topics_records_do_not_come_back() {
    let mut daybook = Daybook::start(&[("log.segment.delete.delay.ms", "0")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("file.delete.delay.ms", "0")]);
    connection.produce("t", 0, &Batch::of(&["old"]));
    assert_eq!(connection.delete_topic("t"), 0);
    assert!(!daybook.folder().join("t-0").exists(), "renamed for deletion before the answer");
    daybook.restart();
    let mut connection = daybook.connect();
    assert_eq!(connection.topic("t").error_code, 3);
    connection.create_topic("t", 1, &[]);
    assert_eq!(connection.offsets("t", 0), (0, 0));
}
