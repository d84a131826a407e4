use super::*;
use crate::catalog::Topic;
use bytes::BytesMut;
use kafka_protocol::protocol::{Decodable, Encodable};
use std::{pin::pin, task::Poll};

/// What the handler looks at; with one topic, `t`.
struct Broker {
    image: Image,
    layers: Layers,
    loggers: LogLevels,
}

fn broker() -> Broker {
    let configs = ConfigMap::from([("retention.ms".to_owned(), "604800000".to_owned())]);
    let topic =
        Topic { name: "t".into(), id: uuid::Uuid::from_u128(1), partitions: vec![], configs: configs.into() };
    let mut image = Image::default();
    image.topics.insert("t".into(), topic.into());
    Broker { image, layers: Layers::default(), loggers: LogLevels::detached() }
}

fn request(kind: i8, name: &str, keys: Option<&[&'static str]>) -> DescribeConfigsRequest {
    let keys = keys.map(|keys| keys.iter().map(|key| StrBytes::from_static_str(key)).collect());
    let resource = DescribeConfigsResource::default()
        .with_resource_type(kind)
        .with_resource_name(StrBytes::from_string(name.into()))
        .with_configuration_keys(keys);
    DescribeConfigsRequest::default().with_resources(vec![resource])
}

impl Broker {
    /// Answers, and puts the answer through the wire at that version.
    fn answer(&self, version: i16, request: DescribeConfigsRequest) -> DescribeConfigsResponse {
        let others = HashMap::new();
        let settings = Settings {
            image: &self.image,
            others: &others,
            layers: &self.layers,
            node_id: 1,
            loggers: &self.loggers,
        };
        let mut answer = pin!(handle(version, request, settings));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let Poll::Ready(response) = answer.as_mut().poll(&mut context) else {
            panic!("describing waits for nothing")
        };
        let mut bytes = BytesMut::new();
        response.encode(&mut bytes, version).expect("every version can be encoded");
        let mut bytes = bytes.freeze();
        let decoded = DescribeConfigsResponse::decode(&mut bytes, version).expect("it is well-formed");
        assert!(bytes.is_empty());
        decoded
    }

    fn one(&self, request: DescribeConfigsRequest) -> DescribeConfigsResult {
        self.answer(4, request).results.remove(0)
    }

    fn error(&self, kind: i8, name: &str) -> i16 {
        let result = self.one(request(kind, name, None));
        assert!(result.error_code == 0 || result.configs.is_empty());
        result.error_code
    }
}

#[test]
fn every_version_answers_with_what_it_knows() {
    for version in 1..=4 {
        let mut request = request(resource::TOPIC, "t", None);
        request.include_synonyms = true;
        request.include_documentation = version >= 3;
        let result = broker().answer(version, request).results.remove(0);
        assert_eq!((result.error_code, result.error_message.as_deref()), (0, Some("")));
        assert_eq!(result.configs.len(), 37);
        let retention = result.configs.iter().find(|config| config.name.as_str() == "retention.ms");
        let retention = retention.expect("listed");
        assert_eq!((retention.config_source, retention.synonyms.len()), (1, 1));
        assert_eq!(retention.config_type, if version >= 3 { 5 } else { 0 });
        assert_eq!(version >= 3, retention.documentation.as_deref().is_some_and(|text| !text.is_empty()));
    }
}

#[test]
fn every_resource_type_can_be_encoded_at_every_version() {
    for version in 1..=4 {
        for (kind, name) in [(4, "1"), (4, ""), (8, "1"), (16, "m"), (32, "g"), (2, "missing"), (9, "x")] {
            let mut request = request(kind, name, None);
            request.include_synonyms = true;
            broker().answer(version, request);
        }
    }
}

#[test]
fn synonyms_and_documentation_come_only_when_asked_for() {
    let result = broker().one(request(resource::TOPIC, "t", Some(&["retention.ms"])));
    assert_eq!(result.configs.len(), 1);
    assert_eq!((result.configs[0].synonyms.len(), &result.configs[0].documentation), (0, &None));
}

#[test]
fn no_keys_are_all_keys_and_unknown_ones_are_passed_over() {
    let count = |keys| broker().one(request(resource::TOPIC, "t", keys)).configs.len();
    assert_eq!((count(None), count(Some(&[]))), (37, 37));
    assert_eq!(count(Some(&["nope", "retention.ms", "retention.ms"])), 1);
}

/// ADM-12
#[test]
fn what_cannot_be_described_is_an_error_of_that_resource() {
    let broker = broker();
    let errors = [
        (2, "missing", 3),
        (2, "a b", 17),
        (2, "", 17),
        (4, "1", 0),
        (4, "", 0),
        (4, "99", 42),
        (4, "abc", 42),
        (4, "-1", 42),
        (4, "1 ", 42),
        (8, "1", 0),
        (8, "", 42),
        (8, "99", 42),
        (16, "", 42),
        (16, "nope", 0),
        (32, "", 42),
        (32, "nope", 0),
    ];
    for (kind, name, expected) in errors {
        assert_eq!(broker.error(kind, name), expected, "{kind} {name:?}");
    }
    for kind in [0, 1, 3, 5, 64, -1] {
        assert_eq!(broker.error(kind, "x"), 42, "{kind}");
    }
    assert_eq!(broker.one(request(2, "missing", None)).error_message.as_deref(), Some(""));
}

/// ADM-10: on a node that never saw it set, min.insync.replicas is a default like any other.
#[test]
fn the_brokers_dynamic_settings_show_where_they_were_set() {
    let mut broker = broker();
    let set =
        |value: &str| Arc::new(ConfigMap::from([("log.cleaner.backoff.ms".to_owned(), value.to_owned())]));
    let source = |broker: &Broker| {
        let config = broker.one(request(4, "1", Some(&["log.cleaner.backoff.ms"]))).configs.remove(0);
        (config.value.map(|value| value.to_string()).unwrap_or_default(), config.config_source)
    };
    assert_eq!(source(&broker), ("15000".into(), 5));
    broker.image.broker_configs.insert(String::new(), set("16000"));
    assert_eq!(source(&broker), ("16000".into(), 3));
    broker.image.broker_configs.insert("1".into(), set("17000"));
    assert_eq!(source(&broker), ("17000".into(), 2));
    assert_eq!(broker.one(request(4, "", None)).configs.len(), 1);
    let replicas = broker.one(request(2, "t", Some(&["min.insync.replicas"]))).configs.remove(0);
    assert_eq!(replicas.config_source, 5);
}

#[test]
fn a_resource_asked_about_twice_is_answered_twice() {
    let mut request = request(resource::TOPIC, "t", Some(&["retention.ms"]));
    request.resources.push(request.resources[0].clone());
    assert_eq!(broker().answer(4, request).results.len(), 2);
}

#[test]
fn a_small_request_cannot_ask_for_an_answer_without_bound() {
    let mut request = request(resource::BROKER, "1", None);
    request.resources = vec![request.resources[0].clone(); 2000];
    let results = broker().answer(4, request).results;
    assert_eq!((results[0].error_code, results[1999].error_code), (0, 42));
    let entries: usize = results.iter().map(|result| result.configs.len()).sum();
    assert!((MAX_ENTRIES..MAX_ENTRIES + 350).contains(&entries));
}

#[test]
fn keys_that_nobody_knows_do_not_make_the_work_free() {
    let mut request = request(resource::BROKER, "1", Some(&["nope"]));
    request.resources = vec![request.resources[0].clone(); 20_000];
    let results = broker().answer(4, request).results;
    assert_eq!((results[0].error_code, results[19_999].error_code), (0, 42));
}

#[test]
fn loggers_are_listed_with_their_levels() {
    let result =
        broker().one(request(resource::BROKER_LOGGER, "1", Some(&["root", "broker", "org.apache.kafka"])));
    let shown: Vec<_> = result
        .configs
        .iter()
        .map(|config| {
            (config.name.as_str(), config.value.as_deref(), config.config_source, config.config_type)
        })
        .collect();
    assert_eq!(shown, [("broker", Some("INFO"), 6, 0), ("root", Some("WARN"), 6, 0)]);
}
