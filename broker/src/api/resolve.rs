//! From the topic of a request (a name, or an id from some version on) to the partition here.

use super::codes::{self, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION};
use crate::{
    catalog::Image,
    logs::Logs,
    partition::{Partition, Refused},
};
use std::sync::Arc;
use uuid::Uuid;

/// The partition of a topic given by name, or the code for the answer.
pub fn by_name(logs: &Logs, topic: &str, index: i32) -> Result<Arc<Partition>, i16> {
    logs.get(topic, index).ok_or(UNKNOWN_TOPIC_OR_PARTITION)
}

/// The partition of a topic given by id, or the code for the answer.
pub fn by_id(logs: &Logs, image: &Image, topic: Uuid, index: i32) -> Result<Arc<Partition>, i16> {
    if !image.topics_by_id.contains_key(&topic) {
        return Err(UNKNOWN_TOPIC_ID);
    }
    logs.get_by_id(topic, index).ok_or(UNKNOWN_TOPIC_OR_PARTITION)
}

/// Topics that the broker keeps its own state in.
pub fn is_internal(topic: &str) -> bool {
    matches!(topic, "__consumer_offsets" | "__transaction_state" | "__share_group_state")
}

/// The code for a refusal; what the machine caused is also logged.
pub fn refusal_code(refused: &Refused) -> i16 {
    match refused {
        Refused::Deleted => codes::UNKNOWN_TOPIC_OR_PARTITION,
        Refused::Closed => codes::NOT_LEADER_OR_FOLLOWER,
        Refused::FencedLeaderEpoch { .. } => codes::FENCED_LEADER_EPOCH,
        Refused::UnknownLeaderEpoch { .. } => codes::UNKNOWN_LEADER_EPOCH,
        Refused::OutOfRange(_) => codes::OFFSET_OUT_OF_RANGE,
        Refused::Log(error) => {
            tracing::error!("reading failed: {error}");
            codes::KAFKA_STORAGE_ERROR
        }
    }
}
