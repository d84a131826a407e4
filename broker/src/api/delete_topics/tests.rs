use super::*;
use crate::catalog::testing::{Fixture, over_the_wire};
use kafka_protocol::messages::delete_topics_request::DeleteTopicState;

fn topic_name(name: &str) -> TopicName {
    TopicName(StrBytes::from_string(name.to_owned()))
}

fn by_names(names: &[&str]) -> DeleteTopicsRequest {
    DeleteTopicsRequest::default()
        .with_topic_names(names.iter().map(|name| topic_name(name)).collect())
        .with_timeout_ms(5000)
}

fn states(entries: &[(Option<&str>, Uuid)]) -> DeleteTopicsRequest {
    let state = |(name, id): &(Option<&str>, Uuid)| {
        DeleteTopicState::default().with_name(name.map(topic_name)).with_topic_id(*id)
    };
    DeleteTopicsRequest::default().with_topics(entries.iter().map(state).collect()).with_timeout_ms(5000)
}

/// Name, id and error of each answer, sorted.
async fn ask(
    fixture: &Fixture,
    version: i16,
    request: DeleteTopicsRequest,
) -> Vec<(Option<String>, Uuid, i16)> {
    let response = over_the_wire(&handle(version, request, &fixture.topics).await, version);
    let mut results: Vec<_> = response
        .responses
        .into_iter()
        .map(|topic| {
            let failed = topic.error_code != 0;
            if version >= 5 {
                assert_eq!(topic.error_message.is_some(), failed);
            }
            (topic.name.map(|name| name.to_string()), topic.topic_id, topic.error_code)
        })
        .collect();
    results.sort();
    results
}

fn some(name: &str) -> Option<String> {
    Some(name.to_owned())
}

/// ADM-13, by name
#[tokio::test]
async fn each_name_is_answered() {
    let fixture = Fixture::new();
    for version in 1..=5 {
        fixture.create("a", 1).await;
        let results = ask(&fixture, version, by_names(&["a", "ax"])).await;
        assert_eq!(results, [(some("a"), Uuid::nil(), 0), (some("ax"), Uuid::nil(), 3)]);
        fixture.create("a", 1).await;
        assert_eq!(ask(&fixture, version, by_names(&["a", "a"])).await, [(some("a"), Uuid::nil(), 42)]);
        assert_eq!(ask(&fixture, version, by_names(&["a"])).await.len(), 1);
    }
    assert!(fixture.host.partitions.lock().is_empty());
}

/// ADM-13, by id, and everything that can be wrong, as Apache Kafka 4.4.0 answers it.
#[tokio::test]
async fn each_entry_of_version_6_is_answered() {
    let fixture = Fixture::new();
    let (a, b) = (fixture.create("a", 1).await, fixture.create("b", 1).await);
    let (nil, unknown) = (Uuid::nil(), Uuid::from_u128(7));
    for (asked, expected) in [
        (vec![(Some("a"), a)], (some("a"), a, 42)),
        (vec![(Some("a"), unknown)], (some("a"), unknown, 42)),
        (vec![(None, nil)], (None, nil, 42)),
        (vec![(None, unknown)], (None, unknown, 100)),
        (vec![(Some("ax"), nil)], (some("ax"), nil, 3)),
        (vec![(Some("a b"), nil)], (some("a b"), nil, 3)),
        (vec![(Some("__cluster_metadata"), nil)], (some("__cluster_metadata"), nil, 3)),
        (vec![(Some("a"), nil), (Some("a"), nil)], (some("a"), nil, 42)),
        (vec![(None, a), (None, a)], (None, a, 42)),
        (vec![(Some("a"), nil), (None, a)], (some("a"), a, 42)),
        (vec![(None, a)], (some("a"), a, 0)),
        (vec![(Some("b"), nil)], (some("b"), b, 0)),
        (vec![(None, a)], (None, a, 100)),
    ] {
        assert_eq!(ask(&fixture, 6, states(&asked)).await, [expected], "{asked:?}");
    }
    assert!(fixture.topics.image().topics.is_empty());
}

#[tokio::test]
async fn deletion_can_be_switched_off() {
    let fixture = Fixture::with(|settings| settings.delete_enabled = false);
    fixture.create("a", 1).await;
    for version in 1..=6 {
        let request = if version < 6 { by_names(&["a"]) } else { states(&[(Some("a"), Uuid::nil())]) };
        let response = over_the_wire(&handle(version, request, &fixture.topics).await, version);
        assert_eq!(response.responses[0].error_code, if version >= 3 { 73 } else { 42 });
    }
    assert_eq!(fixture.topics.image().topics.len(), 1);
}
