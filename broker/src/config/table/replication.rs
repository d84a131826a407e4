//! Replication between brokers.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect on a single node, which replicates nothing.";

settings! { TABLE:
    "auto.leader.rebalance.enable" Boolean "true", Static, Any, INERT;
    "controlled.shutdown.enable" Boolean "true", Static, Any, INERT;
    "controller.socket.timeout.ms" Int "30000", Static, Any, INERT;
    "leader.imbalance.check.interval.seconds" Long "300", Static, AtLeast(1), INERT;
    "num.replica.alter.log.dirs.threads" Int null, Static, Any, INERT;
    "num.replica.fetchers" Int "1", Cluster, AtLeast(1), INERT;
    "replica.fetch.backoff.ms" Int "1000", Static, AtLeast(0), INERT;
    "replica.fetch.max.bytes" Int "1048576", Static, AtLeast(0), INERT;
    "replica.fetch.min.bytes" Int "1", Static, Any, INERT;
    "replica.fetch.response.max.bytes" Int "10485760", Static, AtLeast(0), INERT;
    "replica.fetch.wait.max.ms" Int "500", Static, Any, INERT;
    "replica.high.watermark.checkpoint.interval.ms" Long "5000", Static, Any, INERT;
    "replica.lag.time.max.ms" Long "30000", Static, Any, INERT;
    "replica.selector.class" String null, Static, Any, INERT;
    "replica.socket.receive.buffer.bytes" Int "65536", Static, Any, INERT;
    "replica.socket.timeout.ms" Int "30000", Static, Any, INERT;
    "unclean.leader.election.enable" Boolean "false", Cluster, Any, INERT;
    internal "unclean.leader.election.interval.ms" Long "300000", Static, AtLeast(1), INERT;
}
