//! Consumer groups and committed offsets.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "group.consumer.assignment.interval.ms" Int "1000", Cluster, AtLeast(0), INERT;
    internal "group.consumer.assignor.offload.enable" Boolean "true", Cluster, Any, INERT;
    "group.consumer.assignors" List "uniform,range", Static, Any, INERT;
    "group.consumer.heartbeat.interval.ms" Int "5000", Static, AtLeast(1), INERT;
    "group.consumer.max.assignment.interval.ms" Int "15000", Static, AtLeast(0), INERT;
    "group.consumer.max.heartbeat.interval.ms" Int "15000", Static, AtLeast(1), INERT;
    "group.consumer.max.session.timeout.ms" Int "60000", Static, AtLeast(1), INERT;
    "group.consumer.max.size" Int "2147483647", Static, AtLeast(1), INERT;
    "group.consumer.migration.policy" String "bidirectional", Static, OneOfAnyCase(&["DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"]), INERT;
    "group.consumer.min.assignment.interval.ms" Int "0", Static, AtLeast(0), INERT;
    "group.consumer.min.heartbeat.interval.ms" Int "5000", Static, AtLeast(1), INERT;
    "group.consumer.min.session.timeout.ms" Int "45000", Static, AtLeast(1), INERT;
    internal "group.consumer.regex.refresh.interval.ms" Int "600000", Static, AtLeast(10_000), INERT;
    "group.consumer.session.timeout.ms" Int "45000", Static, AtLeast(1), INERT;
    "group.coordinator.append.linger.ms" Int "-1", Static, AtLeast(-1), INERT;
    "group.coordinator.background.threads" Int "2", Static, AtLeast(1), INERT;
    "group.coordinator.cached.buffer.max.bytes" Int "1048588", Cluster, AtLeast(524_288), INERT;
    "group.coordinator.rebalance.protocols" List "classic,consumer,streams", Static, ListOf(&["consumer", "classic", "share", "streams"]), INERT;
    "group.coordinator.threads" Int "4", Static, AtLeast(1), INERT;
    "group.initial.rebalance.delay.ms" Int "0", Static, Any, "How long a new group waits for more members before its first rebalance.";
    "group.max.session.timeout.ms" Int "1800000", Static, Any, "Longest session timeout a group member may ask for.";
    "group.max.size" Int "2147483647", Static, AtLeast(1), "Most members in one group.";
    "group.min.session.timeout.ms" Int "6000", Static, Any, "Shortest session timeout a group member may ask for.";
    "offset.metadata.max.bytes" Int "4096", Static, Any, "Longest text a client may commit with an offset.";
    "offsets.commit.timeout.ms" Int "5000", Static, AtLeast(1), INERT;
    "offsets.load.buffer.size" Int "5242880", Static, AtLeast(1), INERT;
    "offsets.retention.check.interval.ms" Long "600000", Static, AtLeast(1), "How often offsets to drop are looked for.";
    "offsets.retention.minutes" Int "10080", Static, AtLeast(1), "How long offsets of an empty group are kept.";
    "offsets.topic.compression.codec" Int "0", Static, Any, INERT;
    "offsets.topic.num.partitions" Int "50", Static, AtLeast(1), "Partitions of the topic that keeps committed offsets.";
    "offsets.topic.replication.factor" Short "1", Static, AtLeast(1), "Accepted; the topic that keeps committed offsets has one replica on a single node.";
    "offsets.topic.segment.bytes" Int "104857600", Static, AtLeast(1), "Segment size of the topic that keeps committed offsets.";
}
