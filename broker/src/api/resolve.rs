//! From the topic of a request (a name, or an id from some version on) to the partition here.

use crate::{
    catalog::Image,
    logs::Logs,
    partition::{Partition, Refused},
};
use protocol_glue::ErrorCode;
use std::sync::Arc;
use uuid::Uuid;

/// The partition of a topic given by name, or the code for the answer.
pub fn by_name(logs: &Logs, topic: &str, index: i32) -> Result<Arc<Partition>, ErrorCode> {
    logs.get(topic, index).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// The partition of a topic given by id, or the code for the answer.
pub fn by_id(logs: &Logs, image: &Image, topic: Uuid, index: i32) -> Result<Arc<Partition>, ErrorCode> {
    if !image.topics_by_id.contains_key(&topic) {
        return Err(ErrorCode::UnknownTopicId);
    }
    logs.get_by_id(topic, index).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// The code for a refusal; what the machine caused is also logged.
pub fn refusal_code(refused: &Refused) -> ErrorCode {
    match refused {
        Refused::Deleted => ErrorCode::UnknownTopicOrPartition,
        Refused::Closed => ErrorCode::NotLeaderOrFollower,
        Refused::FencedLeaderEpoch { .. } => ErrorCode::FencedLeaderEpoch,
        Refused::UnknownLeaderEpoch { .. } => ErrorCode::UnknownLeaderEpoch,
        Refused::OutOfRange(_) => ErrorCode::OffsetOutOfRange,
        Refused::Log(error) => {
            tracing::error!("reading failed: {error}");
            ErrorCode::KafkaStorageError
        }
    }
}
