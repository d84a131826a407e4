//! Tiered storage.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook, which keeps everything on the local disk.";

settings! { TABLE:
    "follower.fetch.last.tiered.offset.enable" Boolean "false", Cluster, Any, INERT;
    "log.local.retention.bytes" Long "-2", Cluster, AtLeast(-2), INERT;
    "log.local.retention.ms" Long "-2", Cluster, AtLeast(-2), INERT;
    "log.remote.copy.lag.bytes" Long "-1", Cluster, AtLeast(-1), INERT;
    "log.remote.copy.lag.ms" Long "0", Cluster, AtLeast(-1), INERT;
    "remote.fetch.max.wait.ms" Int "500", Cluster, AtLeast(1), INERT;
    "remote.list.offsets.request.timeout.ms" Long "30000", Cluster, AtLeast(1), INERT;
    "remote.log.index.file.cache.total.size.bytes" Long "1073741824", Cluster, AtLeast(1), INERT;
    internal "remote.log.index.file.cache.ttl.ms" Long "900000", Static, AtLeast(-1), INERT;
    "remote.log.manager.copier.thread.pool.size" Int "10", Cluster, AtLeast(1), INERT;
    "remote.log.manager.copy.max.bytes.per.second" Long "9223372036854775807", Cluster, AtLeast(1), INERT;
    "remote.log.manager.copy.quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "remote.log.manager.copy.quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
    "remote.log.manager.expiration.thread.pool.size" Int "10", Cluster, AtLeast(1), INERT;
    "remote.log.manager.fetch.max.bytes.per.second" Long "9223372036854775807", Cluster, AtLeast(1), INERT;
    "remote.log.manager.fetch.quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "remote.log.manager.fetch.quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
    "remote.log.manager.follower.thread.pool.size" Int "2", Cluster, AtLeast(1), INERT;
    "remote.log.manager.task.interval.ms" Long "30000", Static, AtLeast(1), INERT;
    internal "remote.log.manager.task.retry.backoff.max.ms" Long "30000", Static, AtLeast(1), INERT;
    internal "remote.log.manager.task.retry.backoff.ms" Long "500", Static, AtLeast(1), INERT;
    internal "remote.log.manager.task.retry.jitter" Double "0.2", Static, Within(0.0, 0.5), INERT;
    "remote.log.manager.thread.pool.size" Int "2", Static, AtLeast(1), INERT;
    "remote.log.metadata.custom.metadata.max.bytes" Int "128", Static, AtLeast(0), INERT;
    "remote.log.metadata.manager.class.name" String "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager", Static, NonEmpty, INERT;
    "remote.log.metadata.manager.class.path" String null, Static, Any, INERT;
    "remote.log.metadata.manager.impl.prefix" String "rlmm.config.", Static, NonEmpty, INERT;
    "remote.log.metadata.manager.listener.name" String null, Static, Any, INERT;
    "remote.log.reader.max.pending.tasks" Int "100", Static, AtLeast(1), INERT;
    "remote.log.reader.threads" Int "10", Cluster, AtLeast(1), INERT;
    "remote.log.storage.manager.class.name" String null, Static, Any, INERT;
    "remote.log.storage.manager.class.path" String null, Static, Any, INERT;
    "remote.log.storage.manager.impl.prefix" String "rsm.config.", Static, NonEmpty, INERT;
    "remote.log.storage.system.enable" Boolean "false", Static, Any, INERT;
}
