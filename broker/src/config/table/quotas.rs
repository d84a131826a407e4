//! Quotas and throttles.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect until Daybook has quotas.";

settings! { TABLE:
    "alter.log.dirs.replication.quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "alter.log.dirs.replication.quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
    "client.quota.callback.class" Class null, Static, Any, INERT;
    "controller.quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "controller.quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
    internal "follower.replication.throttled.rate" Long "9223372036854775807", Cluster, AtLeast(0), INERT;
    internal "leader.replication.throttled.rate" Long "9223372036854775807", Cluster, AtLeast(0), INERT;
    "quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
    internal "replica.alter.log.dirs.io.max.bytes.per.second" Long "9223372036854775807", Cluster, AtLeast(0), INERT;
    "replication.quota.window.num" Int "11", Static, AtLeast(1), INERT;
    "replication.quota.window.size.seconds" Int "1", Static, AtLeast(1), INERT;
}
