//! Settings through the API: describing and altering (`ADM-06`, `ADM-08` … `ADM-12`).

use integration_tests::{Connection, Daybook, batch::Batch, text};
use kafka_protocol::messages::{
    describe_configs_request::DescribeConfigsResource,
    describe_configs_response::DescribeConfigsResult,
    incremental_alter_configs_request::{AlterConfigsResource, AlterableConfig},
    *,
};

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;
/// Where a value comes from, as DescribeConfigs tells it.
const DYNAMIC_TOPIC: i8 = 1;
const DEFAULT: i8 = 5;

fn describe(connection: &mut Connection, kind: i8, name: &str) -> DescribeConfigsResult {
    let resource = DescribeConfigsResource::default()
        .with_resource_type(kind)
        .with_resource_name(text(name))
        .with_configuration_keys(None);
    let request =
        DescribeConfigsRequest::default().with_resources(vec![resource]).with_include_synonyms(true);
    connection.ask(4, &request).results.remove(0)
}

/// (value, source) of one setting of a topic.
fn setting(connection: &mut Connection, topic: &str, name: &str) -> (String, i8) {
    let all = describe(connection, TOPIC, topic);
    assert_eq!(all.error_code, 0);
    let found = all.configs.iter().find(|config| config.name.as_str() == name).expect("listed");
    (found.value.as_ref().expect("never null").to_string(), found.config_source)
}

/// One IncrementalAlterConfigs for one topic; the error code.
fn alter(connection: &mut Connection, topic: &str, changes: &[(&str, i8, Option<&str>)]) -> i16 {
    let configs = changes
        .iter()
        .map(|(name, operation, value)| {
            AlterableConfig::default()
                .with_name(text(name))
                .with_config_operation(*operation)
                .with_value(value.map(text))
        })
        .collect();
    let resource = AlterConfigsResource::default()
        .with_resource_type(TOPIC)
        .with_resource_name(text(topic))
        .with_configs(configs);
    let request = IncrementalAlterConfigsRequest::default().with_resources(vec![resource]);
    connection.ask(1, &request).responses[0].error_code
}

fn with_topic() -> (Daybook, Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    (daybook, connection)
}

/// ADM-06: an unknown name or a bad value is error 40 and makes no topic.
#[test]
fn a_topic_with_a_bad_setting_is_not_made() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for (name, value) in [
        ("no.such.setting", "1"),
        ("retention.ms", "abc"),
        ("retention.ms", "-2"),
        ("cleanup.policy", "foo"),
        ("preallocate", "yes"),
        ("segment.bytes", "100"),
        ("compression.type", "lzma"),
        ("min.insync.replicas", "0"),
    ] {
        let answer = connection.try_create_topic("bad", 1, &[(name, value)]);
        assert_eq!(answer.error_code, 40, "{name}={value}");
        let message = answer.error_message.expect("what is wrong").to_string();
        assert!(message.contains(name), "{message}");
    }
    assert_eq!(connection.topic("bad").error_code, 3);
}

/// ADM-08: only the settings named change; DELETE brings the default back.
#[test]
fn incremental_changes_touch_only_what_they_name() {
    let (mut daybook, mut connection) = with_topic();
    assert_eq!(
        alter(
            &mut connection,
            "t",
            &[("retention.ms", SET, Some("1000")), ("segment.ms", SET, Some("5000"))]
        ),
        0
    );
    assert_eq!(alter(&mut connection, "t", &[("max.message.bytes", SET, Some("2000"))]), 0);
    daybook.restart();
    let mut connection = daybook.connect();
    assert_eq!(setting(&mut connection, "t", "retention.ms"), ("1000".to_owned(), DYNAMIC_TOPIC));
    assert_eq!(setting(&mut connection, "t", "segment.ms"), ("5000".to_owned(), DYNAMIC_TOPIC));
    assert_eq!(alter(&mut connection, "t", &[("retention.ms", DELETE, None)]), 0);
    assert_eq!(setting(&mut connection, "t", "retention.ms"), ("604800000".to_owned(), DEFAULT));
    assert_eq!(setting(&mut connection, "t", "max.message.bytes"), ("2000".to_owned(), DYNAMIC_TOPIC));
    // And the change is in force.
    let large = Batch::of(&["x".repeat(3_000).as_str()]).encode();
    assert_eq!(connection.try_produce("t", 0, large).error_code, 10);
}

/// ADM-09: list operations work on the value in force; on other settings they are error 40; doubles are error 42.
#[test]
fn list_operations_start_from_the_value_in_force() {
    let (_daybook, mut connection) = with_topic();
    let policy = "cleanup.policy";
    assert_eq!(alter(&mut connection, "t", &[(policy, APPEND, Some("compact"))]), 0);
    assert_eq!(setting(&mut connection, "t", policy).0, "delete,compact");
    assert_eq!(alter(&mut connection, "t", &[(policy, SUBTRACT, Some("delete"))]), 0);
    assert_eq!(setting(&mut connection, "t", policy).0, "compact");
    assert_eq!(alter(&mut connection, "t", &[("retention.ms", APPEND, Some("1"))]), 40);
    assert_eq!(alter(&mut connection, "t", &[("retention.ms", SET, None)]), 42);
    let twice = [("retention.ms", SET, Some("1")), ("retention.ms", SET, Some("2"))];
    assert_eq!(alter(&mut connection, "t", &twice), 42);
    assert_eq!(alter(&mut connection, "t", &[("no.such.setting", SET, Some("1"))]), 40);
    assert_eq!(alter(&mut connection, "nope", &[("retention.ms", SET, Some("1"))]), 3);
    assert_eq!(setting(&mut connection, "t", "retention.ms"), ("604800000".to_owned(), DEFAULT));
}

/// ADM-10: never set is the default; set is an override, even to the default's value: tools compare this.
#[test]
fn the_source_tells_whether_a_value_was_set() {
    let (_daybook, mut connection) = with_topic();
    let (value, source) = setting(&mut connection, "t", "retention.ms");
    assert_eq!(source, DEFAULT);
    assert_eq!(alter(&mut connection, "t", &[("retention.ms", SET, Some(&value))]), 0);
    assert_eq!(setting(&mut connection, "t", "retention.ms"), (value, DYNAMIC_TOPIC));
}

/// A setting of the broker's is the topics' default: static broker source, and named as a synonym.
#[test]
fn broker_settings_are_the_topics_defaults() {
    let daybook = Daybook::start(&[("log.retention.ms", "7000")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let all = describe(&mut connection, TOPIC, "t");
    let retention = all.configs.iter().find(|config| config.name.as_str() == "retention.ms").expect("listed");
    assert_eq!((retention.value.as_deref(), retention.config_source), (Some("7000"), 4));
    assert!(retention.synonyms.iter().any(|synonym| synonym.name.as_str() == "log.retention.ms"));
}

/// ADM-12: the own broker, the cluster's defaults, another broker, an unknown topic, an unknown kind.
#[test]
fn each_kind_of_resource_is_answered() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let own = describe(&mut connection, BROKER, "1");
    assert_eq!(own.error_code, 0);
    let value = |name: &str| {
        own.configs.iter().find(|config| config.name.as_str() == name).and_then(|config| config.value.clone())
    };
    assert_eq!(value("node.id").as_deref(), Some("1"));
    assert_eq!(value("log.dirs").as_deref(), daybook.folder().to_str());
    assert_eq!(describe(&mut connection, BROKER, "").error_code, 0);
    assert_eq!(describe(&mut connection, BROKER, "7").error_code, 42);
    assert_eq!(describe(&mut connection, BROKER, "x").error_code, 42);
    assert_eq!(describe(&mut connection, TOPIC, "nope").error_code, 3);
    assert_eq!(describe(&mut connection, 99, "x").error_code, 42);
}

/// What DescribeConfigs tells of a topic can be given back to CreateTopics: kafka-ui clones topics so.
#[test]
fn described_settings_make_the_same_topic_again() {
    let (_daybook, mut connection) = with_topic();
    alter(&mut connection, "t", &[("cleanup.policy", SET, Some("compact"))]);
    let described = describe(&mut connection, TOPIC, "t");
    let pairs: Vec<(String, String)> = described
        .configs
        .iter()
        .map(|config| (config.name.to_string(), config.value.as_ref().expect("never null").to_string()))
        .collect();
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    connection.create_topic("clone", 1, &pairs);
    for (name, value) in pairs {
        assert_eq!(setting(&mut connection, "clone", name), (value.to_owned(), DYNAMIC_TOPIC), "{name}");
    }
}

/// Synonyms are told only when asked for, documentation too.
#[test]
fn synonyms_and_documentation_come_when_asked_for() {
    let (_daybook, mut connection) = with_topic();
    for (synonyms, documentation) in [(false, false), (true, false), (false, true)] {
        let resource = DescribeConfigsResource::default()
            .with_resource_type(TOPIC)
            .with_resource_name(text("t"))
            .with_configuration_keys(Some(vec![text("max.message.bytes")]));
        let request = DescribeConfigsRequest::default()
            .with_resources(vec![resource])
            .with_include_synonyms(synonyms)
            .with_include_documentation(documentation);
        let configs = connection.ask(4, &request).results.remove(0).configs;
        assert_eq!(configs.len(), 1, "only what was asked for");
        assert_eq!(!configs[0].synonyms.is_empty(), synonyms);
        assert_eq!(configs[0].documentation.is_some(), documentation);
    }
}
