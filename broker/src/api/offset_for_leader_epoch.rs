//! OffsetForLeaderEpoch (key 23), versions 2 to 4: where did the log of a leader epoch end? Clients ask it to
//! notice that records they have read were lost (KIP-320).
//!
//! - The present epoch ends at the log end. An older one: the largest known epoch that is not newer, and where the
//!   next one starts. One that is not known to us, or undefined: -1 and -1, without an error.
//! - A current leader epoch of -1 is not checked.

use super::resolve;
use crate::{logs::Logs, partition::Refused};
use kafka_protocol::messages::{
    OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
    offset_for_leader_epoch_request::OffsetForLeaderPartition,
    offset_for_leader_epoch_response::{EpochEndOffset, OffsetForLeaderTopicResult},
};
use protocol_glue::ErrorCode;

/// No epoch, or no offset.
const UNDEFINED: i32 = -1;

/// Looks up the ends of epochs.
pub async fn handle(
    _version: i16,
    request: OffsetForLeaderEpochRequest,
    logs: &Logs,
) -> OffsetForLeaderEpochResponse {
    let topics = request.topics.into_iter().map(|topic| {
        let answer = |asked| end_of_epoch(logs, &topic.topic, asked);
        let partitions = topic.partitions.iter().map(answer).collect();
        OffsetForLeaderTopicResult::default().with_topic(topic.topic.clone()).with_partitions(partitions)
    });
    OffsetForLeaderEpochResponse::default().with_topics(topics.collect())
}

fn end_of_epoch(logs: &Logs, topic: &str, asked: &OffsetForLeaderPartition) -> EpochEndOffset {
    let response = EpochEndOffset::default().with_partition(asked.partition);
    let (code, (epoch, end_offset)) = match look_up(logs, topic, asked) {
        Ok(end) => (ErrorCode::None, end.unwrap_or((UNDEFINED, UNDEFINED.into()))),
        Err(code) => (code, (UNDEFINED, UNDEFINED.into())),
    };
    response.with_error_code(code.code()).with_leader_epoch(epoch).with_end_offset(end_offset)
}

fn look_up(
    logs: &Logs,
    topic: &str,
    asked: &OffsetForLeaderPartition,
) -> Result<Option<(i32, i64)>, ErrorCode> {
    let partition = resolve::by_name(logs, topic, asked.partition)?;
    let refusal = |refused: Refused| resolve::refusal_code(&refused);
    let known = (asked.current_leader_epoch != UNDEFINED).then_some(asked.current_leader_epoch);
    partition.check_leader_epoch(known).map_err(refusal)?;
    match asked.leader_epoch {
        UNDEFINED => Ok(None),
        epoch => partition.end_of_epoch(epoch).map_err(refusal),
    }
}

#[cfg(test)]
mod tests;
