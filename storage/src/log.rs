//! STUB of the log: the signatures that others build against.
use crate::{
    batch::{TargetCodec, TimestampType, ValidBatch},
    disk::Disk,
};
use bytes::Bytes;
use std::{io, path::Path, path::PathBuf, sync::Arc};

/// Settings of one log, as plain values; milliseconds and bytes as the names say.
#[derive(Clone, Debug, PartialEq)]
pub struct LogConfig {
    pub segment_bytes: u32,
    pub segment_ms: i64,
    pub segment_jitter_ms: i64,
    pub segment_index_bytes: u32,
    pub index_interval_bytes: u32,
    /// Negative: keep for ever.
    pub retention_ms: i64,
    /// Negative: no bound.
    pub retention_bytes: i64,
    pub delete: bool,
    pub compact: bool,
    pub file_delete_delay_ms: i64,
    pub flush_messages: i64,
    pub flush_ms: i64,
    pub preallocate: bool,
    pub max_batch_bytes: i32,
    pub timestamp_type: TimestampType,
    pub timestamp_before_max_ms: i64,
    pub timestamp_after_max_ms: i64,
    pub max_decompressed_bytes: i32,
    pub target: TargetCodec,
    pub producer_id_expiration_ms: i64,
    pub max_compaction_lag_ms: i64,
}

/// What is known about a log before it is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// The process that had it open before closed it properly.
    pub clean: bool,
    /// Everything below was synced.
    pub recovery_point: i64,
    /// The log start offset that was checkpointed.
    pub log_start_offset: i64,
    pub now_ms: i64,
}

/// What opening had to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    pub scanned_bytes: u64,
    pub truncated_bytes: u64,
    pub rebuilt_indexes: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {what}")]
    Damaged { path: PathBuf, what: String },
}

#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error("the batch of {size} bytes is larger than a segment of {limit}")]
    LargerThanSegment { size: usize, limit: u32 },
    #[error("producer {producer_id}: sequence {first} does not follow {last}")]
    OutOfOrderSequence { producer_id: i64, first: i32, last: i32 },
    #[error("producer {producer_id}: epoch {epoch} is older than {current}")]
    InvalidProducerEpoch { producer_id: i64, epoch: i16, current: i16 },
    #[error("no space left on the disk")]
    DiskFull,
    #[error(transparent)]
    Log(#[from] LogError),
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("offset {offset} is outside {start}..={end}")]
    OutOfRange { offset: i64, start: i64, end: i64 },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Where a batch went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    pub base_offset: i64,
    pub last_offset: i64,
    /// Set when the log stamps its own time.
    pub log_append_time: Option<i64>,
    /// The batch had been appended before; nothing was written.
    pub duplicate: bool,
    /// Durability was asked for (flush.messages or flush.ms = 0): acknowledge only after a sync up to `last_offset`.
    pub sync_needed: bool,
}

/// A stretch of whole batches in one segment file; cheap to make under a lock, read outside it.
pub struct Slice {}

impl Slice {
    pub fn byte_len(&self) -> usize {
        unimplemented!()
    }
    /// Reads when everything is in the page cache; `None` when the disk would be waited for.
    pub fn read_cached(&self) -> Result<Option<Bytes>, LogError> {
        unimplemented!()
    }
    pub fn read(&self) -> Result<Bytes, LogError> {
        unimplemented!()
    }
}

/// A record found by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub offset: i64,
    pub timestamp: i64,
    /// Leader epoch of the batch it was found in.
    pub leader_epoch: i32,
}

/// Files to sync, and what is durable afterwards. Made under the log's lock, synced outside it.
pub struct Flush {}

impl Flush {
    /// Syncs; the log is durable below the returned offset.
    pub fn run(&self) -> Result<i64, LogError> {
        unimplemented!()
    }
}

pub struct Log {}

impl Log {
    /// Opens or creates the log in `dir`, recovering what was not closed properly.
    pub fn open(
        _disk: Arc<dyn Disk>,
        _dir: &Path,
        _config: LogConfig,
        _hints: Hints,
    ) -> Result<(Log, Recovery), LogError> {
        unimplemented!()
    }
    pub fn config(&self) -> &LogConfig {
        unimplemented!()
    }
    pub fn set_config(&mut self, _config: LogConfig) {}
    pub fn start_offset(&self) -> i64 {
        unimplemented!()
    }
    pub fn end_offset(&self) -> i64 {
        unimplemented!()
    }
    /// The end offset while no transaction is open.
    pub fn last_stable_offset(&self) -> i64 {
        unimplemented!()
    }
    /// Sum of the `.log` files.
    pub fn size_bytes(&self) -> u64 {
        unimplemented!()
    }
    /// One write; nothing is visible when it fails.
    pub fn append(
        &mut self,
        _batch: ValidBatch,
        _leader_epoch: i32,
        _now_ms: i64,
    ) -> Result<Appended, AppendError> {
        unimplemented!()
    }
    /// Whole batches from the one that holds `offset`, below `upper`, at most `max_bytes`; with `at_least_one`
    /// the first batch even when it is larger. `None`: nothing there.
    pub fn locate(
        &self,
        _offset: i64,
        _max_bytes: usize,
        _upper: i64,
        _at_least_one: bool,
    ) -> Result<Option<Slice>, ReadError> {
        unimplemented!()
    }
    /// First record at or after `timestamp`.
    pub fn find_timestamp(&self, _timestamp: i64) -> Result<Option<Found>, LogError> {
        unimplemented!()
    }
    /// First record that carries the largest timestamp.
    pub fn find_max_timestamp(&self) -> Result<Option<Found>, LogError> {
        unimplemented!()
    }
    /// Leader epoch of the batch that holds `offset`.
    pub fn epoch_of(&self, _offset: i64) -> Option<i32> {
        unimplemented!()
    }
    /// The largest epoch not above `epoch` and its end offset; `None` when `epoch` is newer than any or unknown.
    pub fn end_of_epoch(&self, _epoch: i32, _current: i32) -> Option<(i32, i64)> {
        unimplemented!()
    }
    /// Records below become invisible at once; files go with retention.
    pub fn raise_start_offset(&mut self, _offset: i64) -> Result<(), LogError> {
        unimplemented!()
    }
    /// Deletes what may go; returns how many segments went.
    pub fn apply_retention(&mut self, _now_ms: i64) -> Result<usize, LogError> {
        unimplemented!()
    }
    /// Forgets producers that were silent too long.
    pub fn expire_producers(&mut self, _now_ms: i64) {}
    pub fn truncate(&mut self, _end_offset: i64) -> Result<(), LogError> {
        unimplemented!()
    }
    pub fn begin_flush(&self) -> Flush {
        unimplemented!()
    }
    /// Records the outcome of [`Flush::run`].
    pub fn flushed(&mut self, _below: i64) {}
    /// Everything below is durable.
    pub fn recovery_point(&self) -> i64 {
        unimplemented!()
    }
    /// Syncs, trims indexes, writes the producer snapshot.
    pub fn close(self) -> Result<(), LogError> {
        unimplemented!()
    }
}
