//! DeleteRecords (key 21), versions 0 to 2.
//!
//! - Moves the log start; what lies before is gone for readers at once, its files go with retention.
//! - -1 means the high watermark. At or before the present start: success, nothing changes.
//! - A log that is only compacted cannot be trimmed, nor can the broker's own topics.
//! - The new start is on disk before the answer, so that it survives a crash.
//! - A partition that is named twice counts once, as named last.

use super::resolve;
use crate::{catalog::names, logs::Logs, partition::Refused};
use kafka_protocol::messages::{
    DeleteRecordsRequest, DeleteRecordsResponse,
    delete_records_request::DeleteRecordsTopic,
    delete_records_response::{DeleteRecordsPartitionResult, DeleteRecordsTopicResult},
};
use protocol_glue::ErrorCode;
use std::{collections::HashMap, sync::Arc};

/// Trims partitions.
pub async fn handle(_version: i16, request: DeleteRecordsRequest, logs: &Arc<Logs>) -> DeleteRecordsResponse {
    let mut topics = Vec::with_capacity(request.topics.len());
    let mut trimmed = false;
    for DeleteRecordsTopic { name, partitions, .. } in request.topics {
        let mut answered = DeleteRecordsTopicResult::default().with_name(name.clone());
        let mut waiting: HashMap<i32, i64> =
            partitions.iter().map(|partition| (partition.partition_index, partition.offset)).collect();
        for index in partitions.iter().map(|partition| partition.partition_index) {
            let Some(offset) = waiting.remove(&index) else { continue };
            let result = trim(logs, &name, index, offset);
            trimmed |= result.is_ok();
            answered.partitions.push(partition_result(index, result));
        }
        topics.push(answered);
    }
    if trimmed && !logs.save_log_starts().await {
        fail_what_succeeded(&mut topics);
    }
    DeleteRecordsResponse::default().with_topics(topics)
}

fn trim(logs: &Logs, topic: &str, index: i32, offset: i64) -> Result<i64, ErrorCode> {
    let partition = resolve::by_name(logs, topic, index)?;
    if names::is_internal(topic) {
        return Err(ErrorCode::InvalidTopic);
    }
    if partition.config().is_some_and(|config| config.compact && !config.delete) {
        return Err(ErrorCode::PolicyViolation);
    }
    partition.delete_records(offset).map_err(|error| match partition.is_deleted() {
        true => ErrorCode::UnknownTopicOrPartition,
        false => resolve::refusal_code(&Refused::from(error)),
    })
}

fn partition_result(index: i32, result: Result<i64, ErrorCode>) -> DeleteRecordsPartitionResult {
    let response = DeleteRecordsPartitionResult::default().with_partition_index(index);
    match result {
        Ok(low_watermark) => response.with_low_watermark(low_watermark),
        Err(code) => response.with_low_watermark(-1).with_error_code(code.code()),
    }
}

fn fail_what_succeeded(topics: &mut [DeleteRecordsTopicResult]) {
    for partition in topics.iter_mut().flat_map(|topic| &mut topic.partitions) {
        if partition.error_code == ErrorCode::None.code() {
            *partition = partition_result(partition.partition_index, Err(ErrorCode::KafkaStorageError));
        }
    }
}

#[cfg(test)]
mod tests;
