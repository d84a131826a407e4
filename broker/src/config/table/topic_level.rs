//! The settings a topic can override, each with the broker settings that stand in for it.

use super::{ScopedSetting, Synonym};
use crate::config::setting::{
    Check::{self, *},
    Scope, Setting,
};
use crate::config::value::Type::{self, *};

const HOUR_MS: i64 = 60 * 60 * 1000;
const MINUTE_MS: i64 = 60 * 1000;
const INERT: &str = "Accepted; has no effect in Daybook.";

/// Every topic setting, by name.
pub fn topic_settings() -> &'static [ScopedSetting] {
    TABLE
}

/// The topic setting of that name.
pub fn topic(name: &str) -> Option<&'static ScopedSetting> {
    let found = TABLE.binary_search_by(|scoped| scoped.setting.name.cmp(name)).ok()?;
    Some(&TABLE[found])
}

/// One row: name, type, default, check, broker settings that stand in, documentation.
macro_rules! topic_settings {
    ($($name:literal $kind:ident $default:literal, $check:expr, [$($synonym:literal $(* $factor:ident)?),*], $doc:expr;)*) => {
        &[$(ScopedSetting {
            setting: row($name, $kind, $default, $check, $doc),
            synonyms: &[$(Synonym { name: $synonym, factor: 1 $(* $factor)? }),*],
        }),*]
    };
}

const fn row(
    name: &'static str,
    kind: Type,
    default: &'static str,
    check: Check,
    doc: &'static str,
) -> Setting {
    Setting { name, kind, default: Some(default), scope: Scope::Cluster, check, doc, listed: true }
}

const TABLE: &[ScopedSetting] = topic_settings! {
    "cleanup.policy" List "delete", ListOf(&["compact", "delete"]), ["log.cleanup.policy"], "What happens to old segments: delete removes them, compact keeps them and does not compact them yet; both or none may be given.";
    "compression.gzip.level" Int "-1", GzipLevel, ["compression.gzip.level"], "Level for gzip when compression.type asks for it; -1 is its usual level.";
    "compression.lz4.level" Int "9", Between(1, 17), ["compression.lz4.level"], "Level for lz4 when compression.type asks for it.";
    "compression.type" String "producer", OneOf(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), ["compression.type"], "Codec that batches are stored in; producer keeps what the client chose.";
    "compression.zstd.level" Int "3", Between(-131_072, 22), ["compression.zstd.level"], "Level for zstd when compression.type asks for it.";
    "delete.retention.ms" Long "86400000", AtLeast(0), ["log.cleaner.delete.retention.ms"], INERT;
    "errors.deadletterqueue.group.enable" Boolean "false", Any, [], INERT;
    "file.delete.delay.ms" Long "60000", AtLeast(0), ["log.segment.delete.delay.ms"], "How long the files of a deleted segment stay.";
    "flush.messages" Long "9223372036854775807", AtLeast(1), ["log.flush.interval.messages"], "Sync to disk after so many records, before they are acknowledged.";
    "flush.ms" Long "9223372036854775807", AtLeast(0), ["log.flush.interval.ms", "log.flush.scheduler.interval.ms"], "Sync to disk at least so often; 0 syncs before every acknowledgement.";
    "follower.replication.throttled.replicas" List "", ThrottledReplicas, [], INERT;
    "index.interval.bytes" Int "4096", AtLeast(0), ["log.index.interval.bytes"], "Bytes of records between two index entries.";
    "leader.replication.throttled.replicas" List "", ThrottledReplicas, [], INERT;
    "local.retention.bytes" Long "-2", AtLeast(-2), ["log.local.retention.bytes"], INERT;
    "local.retention.ms" Long "-2", AtLeast(-2), ["log.local.retention.ms"], INERT;
    "max.compaction.lag.ms" Long "9223372036854775807", AtLeast(1), ["log.cleaner.max.compaction.lag.ms"], "A segment of a compacted topic is closed at this age at the latest.";
    "max.decompressed.message.bytes" Int "2147483639", Between(1, 2_147_483_639), ["max.decompressed.message.bytes"], "Most bytes a compressed batch may unpack to.";
    "max.message.bytes" Int "1048588", AtLeast(0), ["message.max.bytes"], "Largest record batch accepted, in bytes.";
    "message.timestamp.after.max.ms" Long "3600000", AtLeast(0), ["log.message.timestamp.after.max.ms"], "How far a record's time may lie in the future.";
    "message.timestamp.before.max.ms" Long "9223372036854775807", AtLeast(0), ["log.message.timestamp.before.max.ms"], "How far a record's time may lie in the past.";
    "message.timestamp.type" String "CreateTime", OneOf(&["CreateTime", "LogAppendTime"]), ["log.message.timestamp.type"], "Whose time records carry: the client's (CreateTime) or the broker's (LogAppendTime).";
    "min.cleanable.dirty.ratio" Double "0.5", Within(0.0, 1.0), ["log.cleaner.min.cleanable.ratio"], INERT;
    "min.compaction.lag.ms" Long "0", AtLeast(0), ["log.cleaner.min.compaction.lag.ms"], INERT;
    "min.insync.replicas" Int "1", AtLeast(1), ["min.insync.replicas"], "Replicas that must have a batch before acks=all is answered; counts as the number of replicas when that is lower.";
    "preallocate" Boolean "false", Any, ["log.preallocate"], "Reserve the disk space of a segment when it is begun.";
    "remote.copy.lag.bytes" Long "-1", AtLeast(-1), ["log.remote.copy.lag.bytes"], INERT;
    "remote.copy.lag.ms" Long "0", AtLeast(-1), ["log.remote.copy.lag.ms"], INERT;
    "remote.log.copy.disable" Boolean "false", Any, [], INERT;
    "remote.log.delete.on.disable" Boolean "false", Any, [], INERT;
    "remote.storage.enable" Boolean "false", Any, [], "Must be false: Daybook has no tiered storage.";
    "retention.bytes" Long "-1", Any, ["log.retention.bytes"], "Size a partition may grow to before old segments go; negative without bound.";
    "retention.ms" Long "604800000", AtLeast(-1), ["log.retention.ms", "log.retention.minutes" * MINUTE_MS, "log.retention.hours" * HOUR_MS], "How long records are kept; -1 for ever.";
    "segment.bytes" Int "1073741824", AtLeast(1_048_576), ["log.segment.bytes"], "Size at which a segment is closed and a new one begun.";
    "segment.index.bytes" Int "10485760", AtLeast(4), ["log.index.size.max.bytes"], "Largest index of a segment; a full index closes the segment.";
    "segment.jitter.ms" Long "0", AtLeast(0), ["log.roll.jitter.ms", "log.roll.jitter.hours" * HOUR_MS], "Largest random amount taken off segment.ms.";
    "segment.ms" Long "604800000", AtLeast(1), ["log.roll.ms", "log.roll.hours" * HOUR_MS], "Age at which a segment is closed.";
    "unclean.leader.election.enable" Boolean "false", Any, ["unclean.leader.election.enable"], INERT;
};
