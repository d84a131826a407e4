//! Producer ids and transactions.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect until Daybook has transactions.";

settings! { TABLE:
    "add.partitions.to.txn.retry.backoff.max.ms" Int "100", Static, AtLeast(0), INERT;
    "add.partitions.to.txn.retry.backoff.ms" Int "20", Static, AtLeast(1), INERT;
    internal "producer.id.expiration.check.interval.ms" Int "600000", Static, AtLeast(1), "How often silent producers are looked for.";
    "producer.id.expiration.ms" Int "86400000", Cluster, AtLeast(1), "A producer that is silent for so long is forgotten.";
    "transaction.abort.timed.out.transaction.cleanup.interval.ms" Int "10000", Static, AtLeast(1), INERT;
    "transaction.max.timeout.ms" Int "900000", Static, AtLeast(1), INERT;
    "transaction.partition.verification.enable" Boolean "true", Cluster, Any, INERT;
    "transaction.remove.expired.transaction.cleanup.interval.ms" Int "3600000", Static, AtLeast(1), INERT;
    "transaction.state.log.load.buffer.size" Int "5242880", Static, AtLeast(1), INERT;
    "transaction.state.log.min.isr" Int "1", Static, AtLeast(1), INERT;
    "transaction.state.log.num.partitions" Int "50", Static, AtLeast(1), INERT;
    "transaction.state.log.replication.factor" Short "1", Static, AtLeast(1), INERT;
    "transaction.state.log.segment.bytes" Int "104857600", Static, AtLeast(1), INERT;
    "transaction.two.phase.commit.enable" Boolean "false", Static, Any, INERT;
    "transactional.id.expiration.ms" Int "604800000", Static, AtLeast(1), INERT;
}
