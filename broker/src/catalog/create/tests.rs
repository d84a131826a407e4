use super::*;
use crate::catalog::image::Local;
use protocol_glue::records::metadata::Topic as TopicRecord;

fn check_configs(configs: &ConfigMap) -> Result<(), String> {
    match configs.keys().find(|name| *name == "nope") {
        Some(name) => Err(format!("unknown setting {name}")),
        None => Ok(()),
    }
}

const RULES: Rules =
    Rules { node_id: 1, default_partitions: 3, default_replication_factor: 1, check_configs };

fn image(names: &[&str]) -> Image {
    let mut image = Image::new(Local { node_id: 1, directory_id: Uuid::from_u128(500) });
    for (offset, name) in (0..).zip(names) {
        let record =
            TopicRecord { name: (*name).to_owned(), topic_id: Uuid::from_u128(1000 + offset as u128) };
        image.apply(&record.into(), offset).expect("a new topic");
    }
    image
}

fn topic(name: &str, partitions: i32, replication_factor: i16) -> Wanted {
    Wanted {
        name: name.to_owned(),
        partitions,
        replication_factor,
        assignments: Vec::new(),
        configs: Vec::new(),
    }
}

fn assigned(assignments: &[(i32, &[i32])], partitions: i32, replication_factor: i16) -> Wanted {
    Wanted {
        assignments: assignments.iter().map(|(index, brokers)| (*index, brokers.to_vec())).collect(),
        ..topic("as", partitions, replication_factor)
    }
}

fn configured(name: &str, partitions: i32, factor: i16, configs: &[(&str, Option<&str>)]) -> Wanted {
    let configs = configs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect();
    Wanted { configs, ..topic(name, partitions, factor) }
}

/// Error code and partitions of each outcome.
fn decided(image: &Image, wanted: &[Wanted]) -> Vec<(String, i16, i32)> {
    decide(image, wanted, &RULES, || Uuid::from_u128(77))
        .into_iter()
        .map(|(name, outcome)| match outcome {
            Ok(topic) => (name, 0, topic.partitions),
            Err(refusal) => (name, refusal.code(), -1),
        })
        .collect()
}

/// ADM-01, ADM-02, ADM-03, META-06, META-07: error codes as Apache Kafka 4.4.0 gives them, which of two errors
/// included.
#[test]
fn each_wrong_topic_gets_kafkas_code() {
    let image = image(&["there", "c.d", "c_d.e", "__consumer_offsets"]);
    let long = "x".repeat(249);
    let too_long = "x".repeat(250);
    let table = [
        (topic("new", 2, 1), 0, 2),
        (topic("new", -1, 1), 0, 3),
        (topic("new", 1, -1), 0, 1),
        (topic("there", 1, 1), 36, -1),
        (topic("new", 0, 1), 37, -1),
        (topic("new", -2, 1), 37, -1),
        (topic("new", 1, 0), 38, -1),
        (topic("new", 1, -2), 38, -1),
        (topic("new", 1, 2), 38, -1),
        (topic("new", 1, 3), 38, -1),
        (topic("new", 0, 0), 38, -1),
        (topic("new", -1, 3), 38, -1),
        (topic("new", i32::MAX, 1), 44, -1),
        (topic("new", 10_001, 1), 44, -1),
        (topic("new", 10_000, 1), 0, 10_000),
        (topic("", 1, 1), 17, -1),
        (topic(".", 1, 1), 17, -1),
        (topic("..", 1, 1), 17, -1),
        (topic(&long, 1, 1), 0, 1),
        (topic(&too_long, 1, 1), 17, -1),
        (topic("a b", 1, 1), 17, -1),
        (topic("é", 1, 1), 17, -1),
        (topic("a/b", 1, 1), 17, -1),
        (topic("__consumer_offsets", 1, 1), 36, -1),
        (topic("__cluster_metadata", 1, 1), 42, -1),
        (topic("__transaction_state", 1, 1), 0, 1),
        (topic("c_d", 1, 1), 17, -1),
        (topic("c_d_e", 1, 1), 17, -1),
        (topic("c-d", 1, 1), 0, 1),
        (topic("C.D", 1, 1), 0, 1),
        (assigned(&[(0, &[1]), (1, &[1])], -1, -1), 0, 2),
        (assigned(&[(1, &[1]), (0, &[1])], -1, -1), 0, 2),
        (assigned(&[(0, &[1])], 1, -1), 42, -1),
        (assigned(&[(0, &[1])], -1, 1), 42, -1),
        (assigned(&[(0, &[1]), (2, &[1])], -1, -1), 39, -1),
        (assigned(&[(1, &[1])], -1, -1), 39, -1),
        (assigned(&[(-1, &[1])], -1, -1), 39, -1),
        (assigned(&[(0, &[1]), (0, &[1])], -1, -1), 39, -1),
        (assigned(&[(0, &[])], -1, -1), 39, -1),
        (assigned(&[(0, &[7])], -1, -1), 39, -1),
        (assigned(&[(0, &[1, 1])], -1, -1), 39, -1),
        (assigned(&[(0, &[-1])], -1, -1), 39, -1),
        (assigned(&[(0, &[1]), (1, &[1, 7])], -1, -1), 39, -1),
        (configured("new", 1, 1, &[("retention.ms", Some("5"))]), 0, 1),
        (configured("new", 1, 1, &[("retention.ms", None)]), 40, -1),
        (configured("new", 1, 1, &[("nope", None)]), 40, -1),
        (configured("a b", 0, 0, &[]), 17, -1),
        (configured("there", 1, 1, &[("nope", Some("1"))]), 36, -1),
        (configured("there", 0, 1, &[]), 36, -1),
        (configured("new", 0, 1, &[("nope", Some("1"))]), 40, -1),
        (configured("new", 1, 3, &[("nope", Some("1"))]), 40, -1),
    ];
    for (wanted, code, partitions) in table {
        let expected = vec![(wanted.name.clone(), code, partitions)];
        assert_eq!(decided(&image, std::slice::from_ref(&wanted)), expected, "{wanted:?}");
    }
}

/// Kafka's tools are scripted against these.
#[test]
fn refusals_are_worded_as_kafka_words_them() {
    let image = image(&["c.d"]);
    let message = |wanted: Wanted| {
        let outcome = decide(&image, &[wanted], &RULES, || Uuid::from_u128(77)).remove(0).1;
        outcome.err().and_then(|refusal| refusal.message).unwrap_or_default()
    };
    assert_eq!(message(topic("c_d", 1, 1)), "Topic 'c_d' collides with existing topic: c.d");
    let replicas = message(topic("new", 1, 3));
    assert!(replicas.starts_with("Unable to replicate the partition 3 time(s): "), "{replicas}");
    assert!(replicas.contains("cannot be reached because only 1 broker(s) are registered"), "{replicas}");
}

#[test]
fn a_name_that_comes_twice_is_answered_once() {
    let wanted = [topic("dup", 1, 1), topic("ok", 1, 1), topic("dup", 2, 1)];
    let outcomes = decide(&image(&[]), &wanted, &RULES, || Uuid::from_u128(77));
    let codes: Vec<_> =
        outcomes.iter().map(|(name, outcome)| (&**name, outcome.as_ref().err().map(Refusal::code))).collect();
    assert_eq!(codes, [("dup", Some(42)), ("ok", None)]);
    let refusal = outcomes[0].1.as_ref().expect_err("a duplicate");
    assert_eq!(refusal.message.as_deref(), Some("Duplicate topic name."));
}

#[test]
fn too_many_partitions_refuse_the_whole_request() {
    let wanted = [topic("a", 5_000, 1), topic("b", 5_000, 1), topic("a b", 1, 1)];
    let codes: Vec<_> = decided(&image(&[]), &wanted).into_iter().map(|(_, code, _)| code).collect();
    assert_eq!(codes, [44, 44, 44]);
}

#[test]
fn the_last_of_two_values_counts() {
    let wanted = configured("t", 1, 1, &[("retention.ms", Some("5")), ("retention.ms", Some("6"))]);
    let outcomes = decide(&image(&[]), &[wanted], &RULES, || Uuid::from_u128(77));
    let topic = outcomes[0].1.as_ref().expect("created");
    assert_eq!(*topic.configs, ConfigMap::from([("retention.ms".to_owned(), "6".to_owned())]));
}
