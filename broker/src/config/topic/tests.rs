use super::*;

fn map(pairs: &[(&str, &str)]) -> ConfigMap {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// What a Kafka 4.4 broker accepts (true) and refuses when a topic is created with it.
const KAFKA_SAYS: &[(&str, &str, bool)] = &[
    ("retention.ms", "abc", false),
    ("retention.ms", "", false),
    ("retention.ms", " 5 ", true),
    ("retention.ms", "-2", false),
    ("retention.ms", "-1", true),
    ("retention.ms", "1.5", false),
    ("retention.ms", "9223372036854775808", false),
    ("retention.ms", "+5", true),
    ("retention.ms", "0x10", false),
    ("cleanup.policy", "foo", false),
    ("cleanup.policy", "", true),
    ("cleanup.policy", "delete, compact", true),
    ("cleanup.policy", "delete,delete", true),
    ("cleanup.policy", "Delete", false),
    ("cleanup.policy", "none", false),
    ("preallocate", "yes", false),
    ("preallocate", "TRUE", true),
    ("preallocate", "", false),
    ("compression.type", "GZIP", false),
    ("compression.type", "none", false),
    ("compression.type", "gzip ", true),
    ("compression.gzip.level", "0", false),
    ("compression.gzip.level", "9", true),
    ("compression.gzip.level", "-1", true),
    ("compression.lz4.level", "0", false),
    ("compression.lz4.level", "18", false),
    ("compression.zstd.level", "23", false),
    ("compression.zstd.level", "-131073", false),
    ("min.insync.replicas", "0", false),
    ("min.insync.replicas", "5", true),
    ("segment.bytes", "1000", false),
    ("segment.bytes", "1048575", false),
    ("segment.bytes", "1048576", true),
    ("max.message.bytes", "-1", false),
    ("max.message.bytes", "0", true),
    ("min.cleanable.dirty.ratio", "1.1", false),
    ("min.cleanable.dirty.ratio", "0", true),
    ("max.compaction.lag.ms", "0", false),
    ("segment.ms", "0", false),
    ("segment.jitter.ms", "-1", false),
    ("flush.messages", "0", false),
    ("flush.ms", "-1", false),
    ("delete.retention.ms", "-1", false),
    ("index.interval.bytes", "-1", false),
    ("segment.index.bytes", "3", false),
    ("message.timestamp.type", "createtime", false),
    ("message.timestamp.after.max.ms", "-1", false),
    ("local.retention.ms", "-3", false),
    ("local.retention.ms", "5", true),
    ("local.retention.bytes", "99", true),
    ("remote.storage.enable", "true", false),
    ("remote.log.copy.disable", "true", true),
    ("leader.replication.throttled.replicas", "0:1", true),
    ("leader.replication.throttled.replicas", "foo", false),
    ("leader.replication.throttled.replicas", "*", true),
    ("message.format.version", "3.0", false),
    ("message.downconversion.enable", "true", false),
    ("message.timestamp.difference.max.ms", "5", false),
    ("Retention.ms", "5", false),
    ("", "5", false),
    ("unclean.leader.election.enable", "true", true),
    ("errors.deadletterqueue.group.enable", "true", true),
    ("file.delete.delay.ms", "-1", false),
    ("retention.bytes", "-5", true),
    ("retention.bytes", "0", true),
    ("remote.copy.lag.ms", "-1", true),
    ("remote.copy.lag.ms", "-2", false),
    ("log.retention.ms", "5", false),
    ("min.compaction.lag.ms", "-1", false),
];

/// ADM-06: a bad value or an unknown name is never passed over.
#[test]
fn topic_overrides_are_accepted_exactly_when_kafka_accepts_them() {
    for (name, value, accepted) in KAFKA_SAYS {
        let checked = check_topic_overrides(&map(&[(name, value)]));
        assert_eq!(checked.is_ok(), *accepted, "{name}={value:?}: {checked:?}");
    }
}

#[test]
fn a_refusal_names_the_setting_the_value_and_what_is_allowed() {
    let refused = |name, value| check_topic_overrides(&map(&[(name, value)])).expect_err("refused");
    assert_eq!(
        refused("segment.bytes", "1000"),
        "Invalid value 1000 for configuration segment.bytes: Value must be at least 1048576."
    );
    assert_eq!(
        refused("preallocate", "yes"),
        "Invalid value yes for configuration preallocate: Value must be true or false."
    );
    assert_eq!(refused("nope", "1"), "Unknown topic config name: nope");
}

#[test]
fn the_least_compaction_lag_cannot_exceed_the_most() {
    let overrides = map(&[("min.compaction.lag.ms", "100"), ("max.compaction.lag.ms", "50")]);
    assert!(check_topic_overrides(&overrides).is_err());
}

#[test]
fn of_a_name_given_twice_the_last_value_counts_and_null_is_refused() {
    let twice = overrides_from_request([("retention.ms", Some("5")), ("retention.ms", Some("6"))]);
    assert_eq!(twice, Ok(map(&[("retention.ms", "6")])));
    assert!(overrides_from_request([("retention.ms", None)]).is_err());
    assert!(overrides_from_request([("nope", None)]).is_err());
}

fn layers(broker: &[(&str, &str)], cluster: &[(&str, &str)], fixed: &[(&str, &str)]) -> Layers {
    Layers { broker: map(broker).into(), cluster: map(cluster).into(), fixed: map(fixed).into() }
}

#[test]
fn without_any_setting_a_topic_has_kafkas_defaults() {
    let config = topic_config(&ConfigMap::new(), &Layers::default());
    assert_eq!(config.log.segment_bytes, 1 << 30);
    assert_eq!(config.log.retention_ms, 7 * 24 * 3_600_000);
    assert_eq!(config.log.segment_ms, 7 * 24 * 3_600_000);
    assert_eq!(config.log.flush_ms, i64::MAX);
    assert_eq!(config.log.max_batch_bytes, 1_048_588);
    assert_eq!(config.log.target, TargetCodec::Producer);
    assert_eq!(config.log.timestamp_type, TimestampType::CreateTime);
    assert!(config.log.delete && !config.log.compact);
    assert_eq!(config.min_insync_replicas, 1);
}

#[test]
fn the_topics_value_beats_every_layer_and_a_stronger_layer_a_weaker_one() {
    let retention =
        |overrides: &[(&str, &str)], layers: &Layers| topic_config(&map(overrides), layers).log.retention_ms;
    let all = layers(
        &[("log.retention.ms", "2")],
        &[("log.retention.ms", "3")],
        &[("log.retention.ms", "4"), ("log.retention.hours", "1")],
    );
    assert_eq!(retention(&[("retention.ms", "1")], &all), 1);
    assert_eq!(retention(&[], &all), 2);
    assert_eq!(retention(&[], &layers(&[], &[("log.retention.ms", "3")], &[])), 3);
}

#[test]
fn hours_and_minutes_stand_in_for_milliseconds() {
    let retention =
        |fixed: &[(&str, &str)]| topic_config(&ConfigMap::new(), &layers(&[], &[], fixed)).log.retention_ms;
    assert_eq!(retention(&[("log.retention.hours", "2")]), 7_200_000);
    assert_eq!(retention(&[("log.retention.hours", "2"), ("log.retention.minutes", "3")]), 180_000);
    assert_eq!(retention(&[("log.retention.minutes", "3"), ("log.retention.ms", "4")]), 4);
    assert_eq!(retention(&[("log.retention.minutes", "-1")]), -1);
    let config =
        topic_config(&ConfigMap::new(), &layers(&[], &[], &[("log.flush.scheduler.interval.ms", "9")]));
    assert_eq!(config.log.flush_ms, 9);
}

#[test]
fn a_value_that_cannot_be_read_gives_way_to_the_next() {
    let odd = layers(&[], &[("log.segment.bytes", "odd")], &[("log.segment.bytes", "2097152")]);
    assert_eq!(topic_config(&map(&[("segment.bytes", "14")]), &odd).log.segment_bytes, 2_097_152);
}

#[test]
fn the_codec_and_its_level_come_from_two_settings() {
    let target = |overrides: &[(&str, &str)]| topic_config(&map(overrides), &Layers::default()).log.target;
    let fixed = |codec, level| TargetCodec::Fixed { codec, level };
    assert_eq!(target(&[("compression.type", "gzip")]), fixed(Codec::Gzip, None));
    let level_five = [("compression.type", "gzip"), ("compression.gzip.level", "5")];
    assert_eq!(target(&level_five), fixed(Codec::Gzip, Some(5)));
    assert_eq!(target(&[("compression.type", "zstd")]), fixed(Codec::Zstd, Some(3)));
    assert_eq!(target(&[("compression.type", "uncompressed")]), fixed(Codec::None, None));
}
