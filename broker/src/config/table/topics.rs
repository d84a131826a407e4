//! How topics are created and deleted.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "alter.config.policy.class.name" Class null, Static, Any, INERT;
    "auto.create.topics.enable" Boolean "true", Static, Any, "Create a topic when a client asks for its metadata.";
    "create.topic.policy.class.name" Class null, Static, Any, INERT;
    "default.replication.factor" Int "1", Static, Any, "Replicas of a topic that is created without a number of them.";
    "delete.topic.enable" Boolean "true", Static, Any, "Allow topics to be deleted.";
    "num.partitions" Int "1", Static, AtLeast(1), "Partitions of a topic that is created without a number of them.";
}
