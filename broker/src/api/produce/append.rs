//! One batch into its partition, and how each refusal is told.

use super::closed;
use crate::partition::Partition;
use protocol_glue::ErrorCode;
use std::sync::Arc;
use storage::{
    batch::{Reason, RecordError, Rejected, ValidBatch},
    log::AppendError,
};

/// A batch that is in the log.
pub(super) struct Done {
    pub base_offset: i64,
    /// -1 when the records keep their own times.
    pub log_append_time_ms: i64,
    pub log_start_offset: i64,
    /// Acknowledge only when this is durable; the sync is on its way.
    pub sync: Option<(Arc<Partition>, i64)>,
}

/// A batch that is not in the log.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub code: ErrorCode,
    /// -1 where Kafka does not tell.
    pub log_start_offset: i64,
    /// Only where Kafka has one; clients show it to people.
    pub message: Option<String>,
    pub records: Vec<RecordError>,
}

impl Failure {
    pub(super) fn code(code: ErrorCode) -> Self {
        Self { code, log_start_offset: -1, message: None, records: Vec::new() }
    }

    pub(super) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    fn with_log_start(self, partition: &Partition) -> Self {
        Self { log_start_offset: partition.offsets().log_start, ..self }
    }
}

/// Appends what passed validation, and starts the sync that the settings ask for.
pub(super) fn append(
    partition: &Arc<Partition>,
    batch: Result<ValidBatch, Rejected>,
    now_ms: i64,
) -> Result<Done, Failure> {
    let batch = batch.map_err(|rejected| rejection(partition, rejected))?;
    let appended = partition.append(batch, now_ms).map_err(|error| append_failure(partition, error))?;
    if appended.sync_needed {
        partition.request_sync(appended.last_offset);
    } else {
        partition.schedule_flush(&appended);
    }
    Ok(Done {
        base_offset: appended.base_offset,
        log_append_time_ms: appended.log_append_time.unwrap_or(-1),
        log_start_offset: partition.offsets().log_start,
        sync: appended.sync_needed.then(|| (partition.clone(), appended.last_offset)),
    })
}

fn rejection(partition: &Partition, rejected: Rejected) -> Failure {
    let failure = Failure {
        message: rejected.answer_message().map(str::to_owned),
        records: rejected.records,
        ..Failure::code(match rejected.reason {
            Reason::Corrupt => ErrorCode::CorruptMessage,
            Reason::TooLarge => ErrorCode::MessageTooLarge,
            Reason::InvalidRecord => ErrorCode::InvalidRecord,
            Reason::InvalidTimestamp => ErrorCode::InvalidTimestamp,
            Reason::InvalidProducerEpoch => ErrorCode::InvalidProducerEpoch,
            Reason::UnsupportedCodec => ErrorCode::UnsupportedCompressionType,
        })
    };
    match rejected.reason {
        Reason::Corrupt | Reason::TooLarge => failure,
        _ => failure.with_log_start(partition),
    }
}

fn append_failure(partition: &Partition, error: AppendError) -> Failure {
    match error {
        AppendError::LargerThanSegment { .. } => Failure::code(ErrorCode::RecordListTooLarge),
        AppendError::OutOfOrderSequence { .. } => {
            Failure::code(ErrorCode::OutOfOrderSequenceNumber).with_log_start(partition)
        }
        AppendError::InvalidProducerEpoch { .. } => {
            Failure::code(ErrorCode::InvalidProducerEpoch).with_log_start(partition)
        }
        _ if !partition.is_open() => closed(partition),
        AppendError::DiskFull | AppendError::Log(_) => {
            tracing::error!("appending to {}-{} failed: {error}", partition.topic(), partition.index());
            Failure::code(ErrorCode::KafkaStorageError)
        }
    }
}
