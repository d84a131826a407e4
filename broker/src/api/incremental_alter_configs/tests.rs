use super::*;
use crate::catalog::Topic;
use bytes::BytesMut;
use kafka_protocol::{
    messages::incremental_alter_configs_request::AlterableConfig,
    protocol::{Decodable, Encodable},
};
use parking_lot::Mutex;
use tracing::level_filters::LevelFilter;

const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;

/// Keeps settings in memory, as the catalog would; with one topic, `t`.
struct Store {
    image: Mutex<Image>,
    others: Mutex<HashMap<(i8, String), Arc<ConfigMap>>>,
    loggers: LogLevels,
    broken: bool,
}

impl Store {
    fn new() -> Store {
        let topic = Topic {
            name: "t".into(),
            id: uuid::Uuid::from_u128(1),
            partitions: vec![],
            configs: Arc::default(),
        };
        let mut image = Image::default();
        image.topics.insert("t".into(), topic.into());
        Store { image: image.into(), others: Mutex::default(), loggers: LogLevels::detached(), broken: false }
    }

    async fn alter(
        &self,
        version: i16,
        request: IncrementalAlterConfigsRequest,
    ) -> Vec<(i16, Option<String>)> {
        let response = handle(version, request, self, &Layers::default(), 1, &self.loggers).await;
        let mut bytes = BytesMut::new();
        response.encode(&mut bytes, version).expect("every version can be encoded");
        let decoded =
            IncrementalAlterConfigsResponse::decode(&mut bytes.freeze(), version).expect("well-formed");
        let answers = decoded.responses.into_iter();
        answers.map(|one| (one.error_code, one.error_message.map(|text| text.to_string()))).collect()
    }

    async fn error(&self, kind: i8, name: &str, changes: &[(&str, i8, Option<&str>)]) -> i16 {
        let answers = self.alter(1, request(&[(kind, name, changes)])).await;
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].0 == 0, answers[0].1.is_none(), "an error and only an error has a message");
        answers[0].0
    }

    fn topic(&self) -> ConfigMap {
        (*self.image.lock().topics["t"].configs).clone()
    }
}

impl ConfigStore for Store {
    async fn configure<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&Present<'_>) -> (Vec<Write>, T) + Send + 'static,
    ) -> Result<T, String> {
        if self.broken {
            return Err("the disk is gone".into());
        }
        let (mut image, mut others) = (self.image.lock(), self.others.lock());
        let (writes, answer) = decide(&Present { image: &image, others: &others });
        for write in writes {
            let settings = match write.resource_type {
                2 => {
                    &mut Arc::make_mut(image.topics.get_mut(write.resource_name.as_str()).expect("known"))
                        .configs
                }
                4 => image.broker_configs.entry(write.resource_name).or_default(),
                other => others.entry((other, write.resource_name)).or_default(),
            };
            let settings = Arc::make_mut(settings);
            match write.value {
                Some(value) => drop(settings.insert(write.name, value)),
                None => drop(settings.remove(&write.name)),
            }
        }
        Ok(answer)
    }
}

type Asked<'a> = (i8, &'a str, &'a [(&'a str, i8, Option<&'a str>)]);

fn request(resources: &[Asked<'_>]) -> IncrementalAlterConfigsRequest {
    let text = |text: &str| StrBytes::from_string(text.to_owned());
    let resources = resources.iter().map(|(kind, name, changes)| {
        let configs = changes.iter().map(|(name, op, value)| {
            AlterableConfig::default()
                .with_name(text(name))
                .with_config_operation(*op)
                .with_value(value.map(text))
        });
        AlterConfigsResource::default()
            .with_resource_type(*kind)
            .with_resource_name(text(name))
            .with_configs(configs.collect())
    });
    IncrementalAlterConfigsRequest::default().with_resources(resources.collect())
}

fn map(pairs: &[(&str, &str)]) -> ConfigMap {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// ADM-08, ADM-09
#[tokio::test]
async fn a_topics_settings_change_step_by_step() {
    for version in 0..=1 {
        let store = Store::new();
        let steps: [(&str, i8, Option<&str>); 4] = [
            ("retention.ms", SET, Some("5000")),
            ("cleanup.policy", APPEND, Some("compact")),
            ("cleanup.policy", 3, Some("delete")),
            ("retention.ms", DELETE, None),
        ];
        for step in steps {
            assert_eq!(store.alter(version, request(&[(2, "t", &[step])])).await, [(0, None)]);
        }
        assert_eq!(store.topic(), map(&[("cleanup.policy", "compact")]));
    }
}

#[tokio::test]
async fn refusals_have_kafkas_codes() {
    let store = Store::new();
    let retention = [("retention.ms", SET, Some("1"))];
    let cases: &[(Asked<'_>, i16)] = &[
        ((2, "missing", &retention), 3),
        ((2, "a b", &retention), 17),
        ((2, "", &retention), 42),
        ((2, "t", &[("retention.ms", SET, Some("abc"))]), 40),
        ((2, "t", &[("nope", SET, Some("1"))]), 40),
        ((2, "t", &[("nope", DELETE, None)]), 0),
        ((2, "t", &[("retention.ms", APPEND, Some("1"))]), 40),
        ((2, "t", &[("retention.ms", 4, Some("1"))]), 42),
        ((2, "t", &[("retention.ms", -1, Some("1"))]), 42),
        ((2, "t", &[("retention.ms", SET, None)]), 42),
        ((2, "t", &[("retention.ms", SET, Some("1")), ("retention.ms", SET, Some("2"))]), 42),
        ((2, "t", &[]), 0),
        ((0, "x", &retention), 42),
        ((64, "x", &retention), 42),
        ((4, "99", &[("log.retention.ms", SET, Some("1000000"))]), 42),
        ((4, "abc", &[("log.retention.ms", SET, Some("1000000"))]), 42),
        ((4, "1", &[("node.id", SET, Some("5"))]), 42),
        ((4, "1", &[("nope.nope", SET, Some("5"))]), 0),
        ((4, "1", &[("num.io.threads", SET, Some("100"))]), 42),
        ((4, "", &[("listeners", SET, Some("PLAINTEXT://:1"))]), 42),
        ((4, "", &[("log.cleaner.backoff.ms", SET, Some("16000"))]), 0),
        ((8, "1", &[("broker", SET, Some("FOO"))]), 40),
        ((8, "1", &[("no.such.logger", SET, Some("INFO"))]), 40),
        ((8, "1", &[("root", APPEND, Some("INFO"))]), 42),
        ((8, "1", &[("root", DELETE, None)]), 42),
        ((8, "99", &[("root", SET, Some("INFO"))]), 42),
        ((16, "cm", &[("interval.ms", SET, Some("5000"))]), 0),
        ((16, "cm", &[("interval.ms", SET, Some("50"))]), 42),
        ((16, "cm", &[("nope", SET, Some("50"))]), 42),
        ((16, "cm", &[("match", SET, Some("nope=1"))]), 40),
        ((16, "", &[("interval.ms", SET, Some("5000"))]), 42),
        ((16, "cm", &[("interval.ms", DELETE, None)]), 0),
        ((32, "g", &[("consumer.session.timeout.ms", SET, Some("50000"))]), 0),
        ((32, "g", &[("consumer.session.timeout.ms", SET, Some("5"))]), 40),
        ((32, "g", &[("nope", SET, Some("5"))]), 40),
        ((32, "", &[("consumer.session.timeout.ms", SET, Some("50000"))]), 42),
    ];
    for ((kind, name, changes), expected) in cases {
        assert_eq!(store.error(*kind, name, changes).await, *expected, "{kind} {name:?} {changes:?}");
    }
    assert_eq!(store.topic(), ConfigMap::new(), "a refusal changes nothing");
}

/// ADM-09
#[tokio::test]
async fn a_resource_given_twice_is_refused_both_times() {
    let store = Store::new();
    let retention: &[_] = &[("retention.ms", SET, Some("1"))];
    let answers = store.alter(1, request(&[(2, "t", retention), (2, "t", &[])])).await;
    assert_eq!(answers.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [42, 42]);
    assert_eq!(store.topic(), ConfigMap::new());
}

#[tokio::test]
async fn resources_do_not_depend_on_each_other() {
    let store = Store::new();
    let answers =
        store.alter(1, request(&[(2, "t", &[("segment.ms", SET, Some("99"))]), (2, "missing", &[])])).await;
    assert_eq!(answers.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(store.topic(), map(&[("segment.ms", "99")]));
}

#[tokio::test]
async fn one_bad_setting_leaves_the_resource_as_it_was() {
    let store = Store::new();
    let changes = [("segment.ms", SET, Some("77")), ("nope", SET, Some("1"))];
    assert_eq!(store.error(2, "t", &changes).await, 40);
    assert_eq!(store.topic(), ConfigMap::new());
}

#[tokio::test]
async fn checking_only_changes_nothing() {
    let store = Store::new();
    let mut check = request(&[
        (2, "t", &[("segment.ms", SET, Some("88"))]),
        (8, "1", &[("storage", SET, Some("TRACE"))]),
    ]);
    check.validate_only = true;
    assert_eq!(store.alter(1, check).await, [(0, None), (0, None)]);
    assert_eq!(store.topic(), ConfigMap::new());
    assert_eq!(store.loggers.all()["storage"], LevelFilter::INFO);
}

#[tokio::test]
async fn levels_of_loggers_change_at_once() {
    let store = Store::new();
    assert_eq!(store.error(8, "1", &[("storage", SET, Some("DEBUG"))]).await, 0);
    assert_eq!(store.loggers.all()["storage"], LevelFilter::DEBUG);
    assert_eq!(store.error(8, "1", &[("storage", DELETE, None)]).await, 0);
    assert_eq!(store.loggers.all()["storage"], LevelFilter::WARN);
}

#[tokio::test]
async fn when_nothing_can_be_stored_nobody_is_told_otherwise() {
    let store = Store { broken: true, ..Store::new() };
    let answers = store.alter(1, request(&[(2, "t", &[]), (2, "t", &[]), (2, "u", &[])])).await;
    assert_eq!(answers.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [42, 42, 56]);
}

#[tokio::test]
async fn a_topic_that_does_not_exist_is_found_last() {
    let store = Store::new();
    let wrong_op = ("retention.ms", APPEND, Some("5"));
    let wrong_value = ("retention.ms", SET, Some("x"));
    let unknown = ("no.such.key", SET, Some("1"));
    let good = ("cleanup.policy", APPEND, Some("compact"));
    let table = [
        ("nope", [40, 40, 40, 3]),
        ("a b", [40, 17, 17, 17]),
        ("", [40, 42, 42, 42]),
        ("t", [40, 40, 40, 0]),
    ];
    for (name, expected) in table {
        for (change, code) in [wrong_op, wrong_value, unknown, good].into_iter().zip(expected) {
            assert_eq!(store.error(2, name, &[change]).await, code, "{name:?} {change:?}");
        }
    }
}
