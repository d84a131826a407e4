//! Metrics and client telemetry.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "kafka.metrics.polling.interval.secs" Int "10", Static, AtLeast(1), INERT;
    "kafka.metrics.reporters" List "", Static, Any, INERT;
    "metric.reporters" List "org.apache.kafka.common.metrics.JmxReporter", Cluster, Any, INERT;
    "metrics.num.samples" Int "2", Static, AtLeast(1), INERT;
    "metrics.recording.level" String "INFO", Static, Any, INERT;
    "metrics.sample.window.ms" Long "30000", Static, AtLeast(1), INERT;
    "telemetry.max.bytes" Int "1048576", Static, AtLeast(1), INERT;
}
