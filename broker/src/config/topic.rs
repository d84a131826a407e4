//! A topic's settings: checking what a client wants to set, and working out what is in force.

use super::{
    ConfigMap,
    layers::Layers,
    table::{self, ScopedSetting},
    value::{Type, Value},
};
use storage::{
    batch::{Codec, TargetCodec, TimestampType},
    log::LogConfig,
};

/// A topic's settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicConfig {
    pub log: LogConfig,
    pub min_insync_replicas: i32,
}

/// The settings in force for a topic with these overrides. Overrides were checked when they were set.
pub fn topic_config(overrides: &ConfigMap, layers: &Layers) -> TopicConfig {
    let topic = InForce { overrides, layers };
    let cleanup_policy = topic.list("cleanup.policy");
    let log = LogConfig {
        segment_bytes: topic.size("segment.bytes"),
        segment_ms: topic.integer("segment.ms"),
        segment_jitter_ms: topic.integer("segment.jitter.ms"),
        segment_index_bytes: topic.size("segment.index.bytes"),
        index_interval_bytes: topic.size("index.interval.bytes"),
        retention_ms: topic.integer("retention.ms"),
        retention_bytes: topic.integer("retention.bytes"),
        delete: cleanup_policy.iter().any(|policy| policy == "delete"),
        compact: cleanup_policy.iter().any(|policy| policy == "compact"),
        file_delete_delay_ms: topic.integer("file.delete.delay.ms"),
        flush_messages: topic.integer("flush.messages"),
        flush_ms: topic.integer("flush.ms"),
        preallocate: topic.value("preallocate") == Value::Boolean(true),
        max_batch_bytes: topic.int("max.message.bytes"),
        timestamp_type: timestamp_type(&topic),
        timestamp_before_max_ms: topic.integer("message.timestamp.before.max.ms"),
        timestamp_after_max_ms: topic.integer("message.timestamp.after.max.ms"),
        max_decompressed_bytes: topic.int("max.decompressed.message.bytes"),
        target: target_codec(&topic),
        producer_id_expiration_ms: layers.integer("producer.id.expiration.ms"),
        max_compaction_lag_ms: topic.integer("max.compaction.lag.ms"),
    };
    TopicConfig { log, min_insync_replicas: topic.int("min.insync.replicas") }
}

/// Checks a topic's overrides as CreateTopics and the alter APIs must; the error is the message for code 40.
pub fn check_topic_overrides(overrides: &ConfigMap) -> Result<(), String> {
    for (name, text) in overrides {
        let scoped = table::topic(name).ok_or_else(|| format!("Unknown topic config name: {name}"))?;
        scoped.setting.read(text)?;
    }
    check_together(overrides)
}

/// The overrides of a topic that is being created, checked. Of a name given twice the last value counts;
/// the error is the message for code 40.
pub fn overrides_from_request<'a>(
    entries: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<ConfigMap, String> {
    let mut overrides = ConfigMap::new();
    for (name, value) in entries {
        let value = value.ok_or_else(|| format!("Null value not supported for topic configs: {name}"))?;
        overrides.insert(name.to_owned(), value.to_owned());
    }
    check_topic_overrides(&overrides)?;
    Ok(overrides)
}

/// Values that are fine one by one, but not together.
fn check_together(overrides: &ConfigMap) -> Result<(), String> {
    let defaults = Layers::default();
    let topic = InForce { overrides, layers: &defaults };
    if topic.value("remote.storage.enable") == Value::Boolean(true) {
        return Err("remote.storage.enable cannot be true: Daybook has no tiered storage.".into());
    }
    let (least, most) = (topic.integer("min.compaction.lag.ms"), topic.integer("max.compaction.lag.ms"));
    if least > most {
        return Err(format!(
            "min.compaction.lag.ms ({least}) cannot be more than max.compaction.lag.ms ({most})."
        ));
    }
    Ok(())
}

/// A topic's overrides over the broker's layers.
struct InForce<'a> {
    overrides: &'a ConfigMap,
    layers: &'a Layers,
}

impl InForce<'_> {
    fn value(&self, name: &str) -> Value {
        let scoped = table::topic(name).expect("asked for by a name of the table");
        value_in_force(scoped, self.overrides, self.layers).expect("topic settings have defaults")
    }

    fn integer(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Integer(number) => number,
            other => unreachable!("{name} is an integer setting, not {other:?}"),
        }
    }

    fn int(&self, name: &str) -> i32 {
        i32::try_from(self.integer(name)).expect("an INT setting was read as one")
    }

    fn size(&self, name: &str) -> u32 {
        u32::try_from(self.integer(name)).expect("sizes are checked to be positive")
    }

    fn list(&self, name: &str) -> Vec<String> {
        match self.value(name) {
            Value::List(items) => items,
            other => unreachable!("{name} is a list setting, not {other:?}"),
        }
    }
}

/// The value of a topic's or group's setting: its own, else the broker's, else the table's default.
pub(super) fn value_in_force(
    scoped: &ScopedSetting,
    overrides: &ConfigMap,
    layers: &Layers,
) -> Option<Value> {
    let setting = &scoped.setting;
    let own = overrides.get(setting.name).and_then(|text| setting.read(text).ok());
    let brokers =
        || layers.first_of(scoped.synonyms).map(|value| first_when_one_is_wanted(setting.kind, value));
    own.or_else(|| brokers().filter(|value| setting.check.accepts(value)))
        .or_else(|| setting.default.and_then(|text| setting.read(text).ok()))
}

/// A group uses one assignor of the broker's list: the first.
fn first_when_one_is_wanted(kind: Type, value: Value) -> Value {
    match value {
        Value::List(items) if kind == Type::String => {
            Value::Text(items.into_iter().next().unwrap_or_default())
        }
        other => other,
    }
}

fn timestamp_type(topic: &InForce<'_>) -> TimestampType {
    if topic.value("message.timestamp.type").to_text() == "LogAppendTime" {
        TimestampType::LogAppendTime
    } else {
        TimestampType::CreateTime
    }
}

fn target_codec(topic: &InForce<'_>) -> TargetCodec {
    let fixed = |codec, level| TargetCodec::Fixed { codec, level };
    match topic.value("compression.type").to_text().as_str() {
        "uncompressed" => fixed(Codec::None, None),
        // -1 is gzip's own word for its usual level.
        "gzip" => fixed(Codec::Gzip, Some(topic.int("compression.gzip.level")).filter(|level| *level != -1)),
        "snappy" => fixed(Codec::Snappy, None),
        "lz4" => fixed(Codec::Lz4, Some(topic.int("compression.lz4.level"))),
        "zstd" => fixed(Codec::Zstd, Some(topic.int("compression.zstd.level"))),
        _ => TargetCodec::Producer,
    }
}

#[cfg(test)]
mod tests;
