//! The identity of the broker, and the settings of a quorum, which one node does not need.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "broker.heartbeat.interval.ms" Int "2000", Static, Any, INERT;
    "broker.id" Int "1", Static, Any, "Older name of node.id; the two must agree.";
    "broker.rack" String null, Static, Any, "The rack or zone this broker reports to clients.";
    "broker.session.timeout.ms" Int "9000", Static, Any, INERT;
    internal "cluster.id" String null, Static, Any, "The id of the cluster, as 22 characters of base64; without it the data folder keeps the one it was given.";
    "config.providers" List "", Cluster, Any, INERT;
    internal "controller.performance.always.log.threshold.ms" Long "2000", Static, AtLeast(0), INERT;
    internal "controller.performance.sample.period.ms" Long "60000", Static, AtLeast(100), INERT;
    "controller.quorum.append.linger.ms" Int "25", Static, AtLeast(0), INERT;
    "controller.quorum.auto.join.enable" Boolean "false", Static, Any, INERT;
    "controller.quorum.bootstrap.servers" List "", Static, Any, "Accepted; one Daybook is its own quorum.";
    "controller.quorum.election.backoff.max.ms" Int "1000", Static, AtLeast(0), INERT;
    "controller.quorum.election.timeout.ms" Int "1000", Static, AtLeast(0), INERT;
    "controller.quorum.fetch.max.bytes" Int "1048576", Static, AtLeast(1), INERT;
    "controller.quorum.fetch.snapshot.max.bytes" Int "1048576", Static, AtLeast(1), INERT;
    "controller.quorum.fetch.timeout.ms" Int "2000", Static, AtLeast(0), INERT;
    "controller.quorum.request.timeout.ms" Int "2000", Static, AtLeast(0), INERT;
    "controller.quorum.retry.backoff.ms" Int "20", Static, AtLeast(0), INERT;
    "controller.quorum.voters" List "", Static, Any, "Accepted; one Daybook is its own quorum.";
    "initial.broker.registration.timeout.ms" Int "60000", Static, Any, INERT;
    internal "internal.metadata.delete.delay.millis" Long "60000", Static, Any, INERT;
    internal "internal.metadata.log.segment.bytes" Int null, Static, Any, INERT;
    internal "internal.metadata.max.batch.size.in.bytes" Int "8388608", Static, Any, INERT;
    "metadata.log.dir" String null, Static, Any, INERT;
    "metadata.log.max.record.bytes.between.snapshots" Long "20971520", Static, AtLeast(1), INERT;
    "metadata.log.max.snapshot.interval.ms" Long "3600000", Static, AtLeast(0), INERT;
    "metadata.log.segment.bytes" Int "1073741824", Static, AtLeast(8_388_608), INERT;
    "metadata.log.segment.ms" Long "604800000", Static, Any, INERT;
    "metadata.max.idle.interval.ms" Int "500", Static, AtLeast(0), INERT;
    "metadata.max.retention.bytes" Long "104857600", Static, Any, INERT;
    "metadata.max.retention.ms" Long "604800000", Static, Any, INERT;
    "node.id" Int "1", Static, AtLeast(0), "The id of this broker.";
    "process.roles" List "broker,controller", Static, ListOf(&["broker", "controller"]), "Accepted; one Daybook is broker and controller.";
    internal "server.max.startup.time.ms" Long "9223372036854775807", Static, AtLeast(0), INERT;
    internal "unstable.api.versions.enable" Boolean "false", Static, Any, INERT;
    internal "unstable.feature.versions.enable" Boolean "false", Static, Any, INERT;
}
