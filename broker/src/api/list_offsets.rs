//! ListOffsets (key 2), versions 1 to 10.
//!
//! - A time from 0 on: the first record at or after it, with its own time. -1: latest (the last stable offset for
//!   read_committed). -2: earliest. 7: -3, the record with the largest time. 8: -4, earliest on local disk. 9: -5,
//!   latest on tiered storage, of which there is none.
//! - Nothing found is offset -1 without an error. Anything else negative is a version that we do not know.
//! - A partition that is named twice is refused, once.
//! - 2: isolation level. 4: leader epochs, of the record that was found. 10: a bound for remote storage.

use super::resolve;
use crate::{
    logs::Logs,
    partition::{Partition, Refused},
};
use kafka_protocol::messages::{
    ListOffsetsRequest, ListOffsetsResponse,
    list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
    list_offsets_response::{ListOffsetsPartitionResponse, ListOffsetsTopicResponse},
};
use protocol_glue::ErrorCode;
use std::{collections::HashMap, sync::Arc};
use storage::log::{Found, LogError};

const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: i64 = -3;
const EARLIEST_LOCAL: i64 = -4;
const LATEST_TIERED: i64 = -5;
/// A leader epoch that the client does not know.
const NO_EPOCH: i32 = -1;

/// Looks up offsets.
pub async fn handle(version: i16, request: ListOffsetsRequest, logs: &Logs) -> ListOffsetsResponse {
    let isolation = request.isolation_level;
    let mut mentions = mentions(&request);
    let mut topics = Vec::with_capacity(request.topics.len());
    for ListOffsetsTopic { name, partitions, .. } in &request.topics {
        let mut answered = ListOffsetsTopicResponse::default().with_name(name.clone());
        for partition in partitions {
            let index = partition.partition_index;
            let mentions = mentions.get_mut(&(name.as_str(), index)).expect("every partition was counted");
            mentions.left -= 1;
            let result = match mentions {
                Mentions { all: 1, .. } => look_up(version, isolation, logs, name, partition).await,
                Mentions { left: 0, .. } => Err(ErrorCode::InvalidRequest),
                // The last mention answers for all.
                _ => continue,
            };
            answered.partitions.push(partition_response(version, index, result));
        }
        topics.push(answered);
    }
    ListOffsetsResponse::default().with_topics(topics)
}

/// How often a request names a partition, and how often it still will.
#[derive(Default)]
struct Mentions {
    all: usize,
    left: usize,
}

fn mentions(request: &ListOffsetsRequest) -> HashMap<(&str, i32), Mentions> {
    let mut mentions: HashMap<_, Mentions> = HashMap::new();
    for topic in &request.topics {
        for partition in &topic.partitions {
            let mentions = mentions.entry((topic.name.as_str(), partition.partition_index)).or_default();
            mentions.all += 1;
            mentions.left += 1;
        }
    }
    mentions
}

/// What is answered without an error; all -1 when there is no such offset.
struct Listed {
    offset: i64,
    timestamp: i64,
    leader_epoch: i32,
}

impl Listed {
    const NOTHING: Self = Self { offset: -1, timestamp: -1, leader_epoch: NO_EPOCH };

    fn at(offset: i64, partition: &Partition) -> Self {
        Self { offset, timestamp: -1, leader_epoch: partition.epoch_at(offset).unwrap_or(NO_EPOCH) }
    }
}

async fn look_up(
    version: i16,
    isolation: i8,
    logs: &Logs,
    topic: &str,
    asked: &ListOffsetsPartition,
) -> Result<Listed, ErrorCode> {
    if !is_known(asked.timestamp, version) {
        return Err(ErrorCode::UnsupportedVersion);
    }
    let partition = resolve::by_name(logs, topic, asked.partition_index)?;
    let known_epoch = (asked.current_leader_epoch != NO_EPOCH).then_some(asked.current_leader_epoch);
    let refusal = |refused: Refused| resolve::refusal_code(&refused);
    partition.check_leader_epoch(known_epoch).map_err(refusal)?;
    let offsets = partition.offsets();
    let bound = match isolation {
        0 => offsets.high_watermark,
        1 => offsets.last_stable,
        _ => return Err(ErrorCode::InvalidRequest),
    };
    match asked.timestamp {
        LATEST => Ok(Listed { leader_epoch: partition.leader_epoch(), ..Listed::at(bound, &partition) }),
        EARLIEST | EARLIEST_LOCAL => Ok(Listed::at(offsets.log_start, &partition)),
        LATEST_TIERED => Ok(Listed::NOTHING),
        timestamp => {
            let found = search(partition, timestamp).await.map_err(|error| refusal(error.into()))?;
            Ok(found.filter(|found| found.offset < bound).map_or(Listed::NOTHING, Listed::from))
        }
    }
}

impl From<Found> for Listed {
    fn from(found: Found) -> Self {
        Self { offset: found.offset, timestamp: found.timestamp, leader_epoch: found.leader_epoch }
    }
}

/// Times may need the disk and a batch to be decompressed: not on a runtime thread.
async fn search(partition: Arc<Partition>, timestamp: i64) -> Result<Option<Found>, LogError> {
    let search = move || match timestamp {
        MAX_TIMESTAMP => partition.find_max_timestamp(),
        timestamp => partition.find_timestamp(timestamp),
    };
    tokio::task::spawn_blocking(search)
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

fn is_known(timestamp: i64, version: i16) -> bool {
    match timestamp {
        0.. | LATEST | EARLIEST => true,
        MAX_TIMESTAMP => version >= 7,
        EARLIEST_LOCAL => version >= 8,
        LATEST_TIERED => version >= 9,
        _ => false,
    }
}

fn partition_response(
    version: i16,
    index: i32,
    result: Result<Listed, ErrorCode>,
) -> ListOffsetsPartitionResponse {
    let (code, listed) = match result {
        Ok(listed) => (ErrorCode::None, listed),
        Err(code) => (code, Listed::NOTHING),
    };
    let response = ListOffsetsPartitionResponse::default()
        .with_partition_index(index)
        .with_error_code(code.code())
        .with_timestamp(listed.timestamp)
        .with_offset(listed.offset);
    if version >= 4 { response.with_leader_epoch(listed.leader_epoch) } else { response }
}

#[cfg(test)]
mod tests;
