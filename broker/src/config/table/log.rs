//! How partitions are kept on disk.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "compression.gzip.level" Int "-1", Cluster, GzipLevel, "Level for gzip when compression.type asks for it; -1 is its usual level.";
    "compression.lz4.level" Int "9", Cluster, Between(1, 17), "Level for lz4 when compression.type asks for it.";
    "compression.type" String "producer", Cluster, OneOf(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), "Codec that batches are stored in; producer keeps what the client chose.";
    "compression.zstd.level" Int "3", Cluster, Between(-131_072, 22), "Level for zstd when compression.type asks for it.";
    "cordoned.log.dirs" List "", PerBroker, Any, INERT;
    "log.cleaner.backoff.ms" Long "15000", Cluster, AtLeast(0), INERT;
    "log.cleaner.dedupe.buffer.size" Long "134217728", Cluster, Any, INERT;
    "log.cleaner.delete.retention.ms" Long "86400000", Cluster, AtLeast(0), INERT;
    "log.cleaner.enable" Boolean "true", Static, Any, INERT;
    "log.cleaner.io.buffer.load.factor" Double "0.9", Cluster, Any, INERT;
    "log.cleaner.io.buffer.size" Int "524288", Cluster, AtLeast(0), INERT;
    "log.cleaner.io.max.bytes.per.second" Double "1.7976931348623157E308", Cluster, Any, INERT;
    "log.cleaner.max.compaction.lag.ms" Long "9223372036854775807", Cluster, AtLeast(1), "A segment of a compacted topic is closed at this age at the latest.";
    "log.cleaner.min.cleanable.ratio" Double "0.5", Cluster, Within(0.0, 1.0), INERT;
    "log.cleaner.min.compaction.lag.ms" Long "0", Cluster, AtLeast(0), INERT;
    "log.cleaner.threads" Int "1", Cluster, AtLeast(0), INERT;
    "log.cleanup.policy" List "delete", Cluster, ListOf(&["compact", "delete"]), "What happens to old segments: delete removes them, compact keeps them and does not compact them yet.";
    "log.dir" List "./daybook-data", Static, Any, "The data folder, unless log.dirs is set.";
    "log.dir.failure.timeout.ms" Long "30000", Static, AtLeast(1), INERT;
    "log.dirs" List null, Static, Any, "The data folder. One folder for now.";
    "log.flush.interval.messages" Long "9223372036854775807", Cluster, AtLeast(1), "Sync to disk after so many records, before they are acknowledged.";
    "log.flush.interval.ms" Long null, Cluster, AtLeast(0), "Sync to disk at least so often; 0 syncs before every acknowledgement.";
    "log.flush.offset.checkpoint.interval.ms" Int "60000", Static, AtLeast(0), "How often the point up to which logs are on disk is noted.";
    "log.flush.scheduler.interval.ms" Long "9223372036854775807", Static, AtLeast(0), "Stands in for log.flush.interval.ms when that is not set.";
    "log.flush.start.offset.checkpoint.interval.ms" Int "60000", Static, AtLeast(0), "How often the first offset of each log is noted.";
    "log.index.interval.bytes" Int "4096", Cluster, AtLeast(0), "Bytes of records between two index entries.";
    "log.index.size.max.bytes" Int "10485760", Cluster, AtLeast(4), "Largest index of a segment; a full index closes the segment.";
    internal "log.initial.task.delay.ms" Long "30000", Static, AtLeast(0), "How long after the start the first retention check runs.";
    "log.message.timestamp.after.max.ms" Long "3600000", Cluster, AtLeast(0), "How far a record's time may lie in the future.";
    "log.message.timestamp.before.max.ms" Long "9223372036854775807", Cluster, AtLeast(0), "How far a record's time may lie in the past.";
    "log.message.timestamp.type" String "CreateTime", Cluster, OneOf(&["CreateTime", "LogAppendTime"]), "Whose time records carry: the client's (CreateTime) or the broker's (LogAppendTime).";
    "log.preallocate" Boolean "false", Cluster, Any, "Reserve the disk space of a segment when it is begun.";
    "log.retention.bytes" Long "-1", Cluster, Any, "Size a partition may grow to before old segments go; -1 without bound.";
    "log.retention.check.interval.ms" Long "300000", Static, AtLeast(1), "How often old segments are looked for.";
    "log.retention.hours" Int "168", Static, Any, "How long records are kept, in hours.";
    "log.retention.minutes" Int null, Static, Any, "How long records are kept, in minutes. Before log.retention.hours.";
    "log.retention.ms" Long null, Cluster, Any, "How long records are kept; -1 for ever. Before log.retention.minutes.";
    "log.roll.hours" Int "168", Static, AtLeast(1), "Age at which a segment is closed, in hours.";
    "log.roll.jitter.hours" Int "0", Static, AtLeast(0), "Largest random amount taken off the roll time, in hours.";
    "log.roll.jitter.ms" Long null, Cluster, AtLeast(0), "Largest random amount taken off the roll time; before log.roll.jitter.hours.";
    "log.roll.ms" Long null, Cluster, AtLeast(1), "Age at which a segment is closed; before log.roll.hours.";
    "log.segment.bytes" Int "1073741824", Cluster, AtLeast(1_048_576), "Size at which a segment is closed and a new one begun.";
    "log.segment.delete.delay.ms" Long "60000", Cluster, AtLeast(0), "How long the files of a deleted segment or topic stay.";
    "max.decompressed.message.bytes" Int "2147483639", Cluster, Between(1, 2_147_483_639), "Most bytes a compressed batch may unpack to.";
    "message.max.bytes" Int "1048588", Cluster, AtLeast(0), "Largest record batch accepted, in bytes.";
    "min.insync.replicas" Int "1", Cluster, AtLeast(1), "Replicas that must have a batch before acks=all is answered; counts as the number of replicas when that is lower.";
    "num.recovery.threads.per.data.dir" Int "2", Cluster, AtLeast(1), INERT;
}
