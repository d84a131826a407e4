use super::*;
use crate::catalog::testing::{Fixture, over_the_wire};
use kafka_protocol::messages::create_topics_request::CreatableTopicConfig;
use uuid::Uuid;

fn request(topics: &[(&str, i32, i16)]) -> CreateTopicsRequest {
    let topic = |(name, partitions, factor): &(&str, i32, i16)| {
        CreatableTopic::default()
            .with_name(topic_name(name))
            .with_num_partitions(*partitions)
            .with_replication_factor(*factor)
    };
    CreateTopicsRequest::default().with_topics(topics.iter().map(topic).collect()).with_timeout_ms(5000)
}

fn config(name: &str, value: &str) -> CreatableTopicConfig {
    let text = |text: &str| StrBytes::from_string(text.to_owned());
    CreatableTopicConfig::default().with_name(text(name)).with_value(Some(text(value)))
}

/// Stands for all settings in force: here the overrides only.
fn describe(overrides: &ConfigMap, _: &Layers) -> Vec<CreatableTopicConfigs> {
    let text = |text: &String| StrBytes::from_string(text.clone());
    let entry = |(name, value): (&String, &String)| {
        CreatableTopicConfigs::default()
            .with_name(text(name))
            .with_value(Some(text(value)))
            .with_config_source(1)
    };
    overrides.iter().map(entry).collect()
}

async fn ask(fixture: &Fixture, version: i16, request: CreateTopicsRequest) -> Vec<CreatableTopicResult> {
    over_the_wire(&handle(version, request, &fixture.topics, describe).await, version).topics
}

/// ADM-02: the answer has the real counts from version 5, the id in version 7.
#[tokio::test]
async fn each_version_tells_what_it_can() {
    let fixture = Fixture::with(|settings| settings.rules.default_partitions = 3);
    for version in 2..=7 {
        let name = format!("t{version}");
        let mut good = request(&[(&name, -1, -1)]);
        good.topics[0].configs = vec![config("retention.ms", "5"), config("retention.ms", "6")];
        let results = ask(&fixture, version, good).await;
        let [topic] = &results[..] else { panic!("one topic") };
        assert_eq!(
            (topic.name.as_str(), topic.error_code, topic.error_message.as_deref()),
            (&*name, 0, None)
        );
        let id = fixture.topics.image().topics[name.as_str()].id;
        assert_eq!(topic.topic_id, if version == 7 { id } else { Uuid::nil() });
        if version >= 5 {
            assert_eq!((topic.num_partitions, topic.replication_factor), (3, 1));
            assert_eq!(topic.configs.as_ref().expect("told")[0].value.as_deref(), Some("6"));
        }

        let refused = ask(&fixture, version, request(&[(&name, 1, 1), ("r", 1, 3)])).await;
        let codes: Vec<_> = refused.iter().map(|topic| topic.error_code).collect();
        assert_eq!(codes, [36, 38]);
        for topic in &refused {
            assert!(topic.error_message.is_some());
            assert_eq!(
                (topic.topic_id, topic.num_partitions, topic.replication_factor),
                (Uuid::nil(), -1, -1)
            );
            assert_eq!(topic.configs.as_deref(), Some(&[][..]));
        }
        assert_eq!(ask(&fixture, version, request(&[])).await, []);
    }
}

/// ADM-01
#[tokio::test]
async fn validate_only_checks_and_does_nothing() {
    let fixture = Fixture::new();
    fixture.create("there", 1).await;
    let results = ask(&fixture, 7, request(&[("there", 1, 1), ("new", 2, 1)]).with_validate_only(true)).await;
    assert_eq!((results[0].error_code, results[1].error_code), (36, 0));
    assert_eq!((results[1].num_partitions, results[1].topic_id.is_nil()), (2, false));
    assert_eq!(fixture.topics.image().topics.len(), 1);
    assert_eq!(fixture.host.partitions.lock().len(), 1);
}

#[tokio::test]
async fn a_time_out_that_is_over_creates_nothing() {
    let fixture = Fixture::new();
    for version in 2..=7 {
        let results = ask(&fixture, version, request(&[("t", 1, 1)]).with_timeout_ms(0)).await;
        assert_eq!((results[0].error_code, &results[0].error_message), (7, &None));
    }
    assert!(fixture.topics.image().topics.is_empty());
}

#[test]
fn settings_are_told_back_as_the_client_wrote_them() {
    let overrides = ConfigMap::from([("preallocate".into(), " TRUE ".into())]);
    let listed = described(&overrides, &Layers::default());
    let value = |name: &str| {
        let entry = listed.iter().find(|entry| *entry.name == *name).expect("listed");
        (entry.value.as_deref(), entry.config_source)
    };
    assert_eq!(value("preallocate"), (Some(" TRUE "), 1));
    assert_eq!(value("cleanup.policy"), (Some("delete"), 5));
}
