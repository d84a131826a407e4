//! The log: one writer's ordered, append-only sequence of batches in segment files, and all that is known of it.
//!
//! What is here: settings, errors, the state, appending, closing. The other verbs are beside it: opening in
//! `recovery`, reading in `slice`, looking up by time in `timestamps`, deleting in `retention`, durability in
//! `flush`. The log has no lock and no thread: its owner brings both, and the time.

mod roll;

pub use crate::{
    flush::Flush, producer_state::ProducerInfo, retention::DueDeletion, slice::Slice, timestamps::Found,
};

use crate::{
    batch::{HEADER_LEN, Header, TargetCodec, TimestampType, ValidBatch},
    disk::{Disk, is_full},
    epochs::Epochs,
    format::{at, file_name, suffix},
    producer_state::{Check, Marker, ProducerState, Remembered},
    recovery,
    segment::Segment,
};
use std::{
    io::{self, IoSlice},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
};

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

/// What the machine did to us.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {what}")]
    Damaged { path: PathBuf, what: String },
}

/// Why a batch was not appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error("the batch of {size} bytes is larger than a segment of {limit}")]
    LargerThanSegment { size: usize, limit: u32 },
    #[error("producer {producer_id}: sequence {first} does not follow {last}")]
    OutOfOrderSequence { producer_id: i64, first: i32, last: i32 },
    #[error("producer {producer_id}: epoch {epoch} is older than {current}")]
    InvalidProducerEpoch { producer_id: i64, epoch: i16, current: i16 },
    /// Nothing was written; the same append works once there is room.
    #[error("no space left on the disk")]
    DiskFull,
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Why nothing was read.
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
    /// Set when the log stamps its own time. For a duplicate: the timestamp of the batch that is stored.
    pub log_append_time: Option<i64>,
    /// The batch had been appended before; nothing was written.
    pub duplicate: bool,
    /// Durability was asked for (flush.messages or flush.ms = 0): acknowledge only after a sync up to `last_offset`.
    pub sync_needed: bool,
}

/// A segmented log in a folder of its own.
///
/// Invariant: `segments` rise by base offset, the last one is the active one; a log that never had a batch has
/// none. `start_offset` <= `end_offset`, and every byte below a segment's `len` is part of a whole batch.
pub struct Log {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) dir: PathBuf,
    config: LogConfig,
    pub(crate) segments: Vec<Segment>,
    start_offset: i64,
    end_offset: i64,
    pub(crate) recovery_point: i64,
    pub(crate) producers: ProducerState,
    pub(crate) epochs: Epochs,
    /// Version of the epochs that the checkpoint file holds.
    pub(crate) saved_epochs: Arc<AtomicU64>,
    /// Files that were renamed and wait for their deletion.
    pub(crate) deletions: Vec<DueDeletion>,
    /// Something was done since a clean opening, so that closing has work to do.
    pub(crate) changed: bool,
}

/// The parts that opening found.
pub(crate) struct Parts {
    pub segments: Vec<Segment>,
    pub start_offset: i64,
    pub end_offset: i64,
    pub recovery_point: i64,
    pub producers: ProducerState,
    pub epochs: Epochs,
    /// The checkpoint file holds these epochs.
    pub epochs_saved: bool,
}

impl Log {
    /// Opens or creates the log in `dir`, recovering what was not closed properly.
    ///
    /// A log without batches costs a look into its folder and no file.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        config: LogConfig,
        hints: Hints,
    ) -> Result<(Log, Recovery), LogError> {
        let (parts, recovery) = recovery::open(&*disk, dir, &config, &hints)?;
        let saved = if parts.epochs_saved { parts.epochs.version() } else { u64::MAX };
        let log = Self {
            disk,
            dir: dir.to_owned(),
            config,
            segments: parts.segments,
            start_offset: parts.start_offset,
            end_offset: parts.end_offset,
            recovery_point: parts.recovery_point,
            producers: parts.producers,
            epochs: parts.epochs,
            saved_epochs: Arc::new(AtomicU64::new(saved)),
            deletions: Vec::new(),
            changed: !hints.clean || recovery != Recovery::default(),
        };
        assert!(log.start_offset <= log.end_offset, "{dir:?}: a log ends at or after its start");
        Ok((log, recovery))
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn config(&self) -> &LogConfig {
        &self.config
    }

    pub fn set_config(&mut self, config: LogConfig) {
        self.config = config;
    }

    /// First offset that may be read.
    pub fn start_offset(&self) -> i64 {
        self.start_offset
    }

    /// Offset of the next record to be appended.
    pub fn end_offset(&self) -> i64 {
        self.end_offset
    }

    /// First offset of the oldest open transaction; the end offset while none is open.
    pub fn last_stable_offset(&self) -> i64 {
        let open = self.producers.oldest_open_transaction().unwrap_or(self.end_offset);
        open.clamp(self.start_offset, self.end_offset)
    }

    /// Sum of the `.log` files.
    pub fn size_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.len).sum()
    }

    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Every producer that is remembered.
    pub fn producers(&self) -> impl Iterator<Item = ProducerInfo> {
        self.producers.infos()
    }

    /// Forgets producers that were silent too long.
    pub fn expire_producers(&mut self, now_ms: i64) {
        self.producers.expire(now_ms, self.config.producer_id_expiration_ms);
    }

    /// Leader epoch of the batch that holds `offset`.
    pub fn epoch_of(&self, offset: i64) -> Option<i32> {
        match (self.start_offset..self.end_offset).contains(&offset) {
            true => self.epochs.of(offset),
            false => None,
        }
    }

    /// The largest epoch not above `epoch` and its end offset; `None` when `epoch` is newer than any or unknown.
    pub fn end_of_epoch(&self, epoch: i32, current: i32) -> Option<(i32, i64)> {
        self.epochs.end_of(epoch, current, self.end_offset)
    }

    /// Epoch of the newest batch.
    pub fn latest_epoch(&self) -> Option<i32> {
        self.epochs.of(self.end_offset)
    }

    /// Appends in one write; nothing is visible when it fails.
    pub fn append(
        &mut self,
        batch: ValidBatch,
        leader_epoch: i32,
        now_ms: i64,
    ) -> Result<Appended, AppendError> {
        let size = batch.byte_len();
        if size > self.config.segment_bytes as usize {
            return Err(AppendError::LargerThanSegment { size, limit: self.config.segment_bytes });
        }
        if let Check::Duplicate(known) = self.producers.check(&batch.header)? {
            return Ok(self.duplicate(known));
        }
        let marker = read_marker(&batch);
        let header = Header { base_offset: self.end_offset, leader_epoch, ..batch.header };
        self.roll_if_due(&header, now_ms)?;
        self.write(&header, &batch)?;
        self.note(&header, marker);
        Ok(Appended {
            base_offset: header.base_offset,
            last_offset: header.last_offset(),
            log_append_time: (header.timestamp_type() == TimestampType::LogAppendTime)
                .then_some(header.max_timestamp),
            duplicate: false,
            sync_needed: self.sync_needed(header.last_offset()),
        })
    }

    fn duplicate(&self, known: Remembered) -> Appended {
        Appended {
            base_offset: known.first_offset(),
            last_offset: known.last_offset,
            log_append_time: Some(known.timestamp),
            duplicate: true,
            sync_needed: self.sync_needed(known.last_offset),
        }
    }

    fn sync_needed(&self, last_offset: i64) -> bool {
        let asked = self.config.flush_ms == 0 || self.unflushed_records() >= self.config.flush_messages;
        asked && last_offset >= self.recovery_point
    }

    /// Writes behind the last batch; after a failure the file is as long as before.
    fn write(&self, header: &Header, batch: &ValidBatch) -> Result<(), AppendError> {
        let active = self.segments.last().expect("a roll made the first segment");
        let file = active.file(&*self.disk).map_err(full_or_failed)?;
        let head = header.encode();
        debug_assert_eq!(head[at::ATTRIBUTES..HEADER_LEN], batch.header.encode()[at::ATTRIBUTES..]);
        let written = file.write_at(&[IoSlice::new(&head), IoSlice::new(&batch.payload)], active.len);
        let Err(source) = written else { return Ok(()) };
        let failed = full_or_failed(LogError::io(active.log_path(), source));
        // Readers never look beyond `len`, but what is left of the batch must not be found by a recovery.
        file.set_len(active.len).map_err(|source| LogError::io(active.log_path(), source))?;
        Err(failed)
    }

    /// Takes note of a batch that was written.
    fn note(&mut self, header: &Header, marker: Option<Marker>) {
        let active = self.segments.last_mut().expect("the batch was written to it");
        active.note(header, self.config.index_interval_bytes);
        active.spill_indexes(&*self.disk);
        self.producers.apply(header, marker);
        self.epochs.note(header.leader_epoch, header.base_offset);
        self.end_offset = header.last_offset() + 1;
        self.changed = true;
    }

    /// Index of the segment that would hold `offset`.
    pub(crate) fn segment_of(&self, offset: i64) -> usize {
        self.segments.partition_point(|segment| segment.base_offset <= offset).saturating_sub(1)
    }

    /// Closes the files that are open, to be opened again when needed: for logs that are idle.
    pub fn release_files(&self) {
        for segment in &self.segments {
            segment.release();
        }
    }

    pub(crate) fn set_start_offset(&mut self, offset: i64) {
        assert!(offset <= self.end_offset, "{:?}: the log start stays at or below the end", self.dir);
        self.changed |= offset > self.start_offset;
        self.start_offset = self.start_offset.max(offset);
        self.epochs.cut_start(self.start_offset);
    }

    pub(crate) fn set_end_offset(&mut self, offset: i64) {
        self.changed = true;
        self.end_offset = offset;
        self.start_offset = self.start_offset.min(offset);
        self.recovery_point = self.recovery_point.min(offset);
    }

    /// Writes the producers as they are at the end of the log. Not synced: the checksum tells whether it is whole.
    pub(crate) fn write_snapshot(&self) -> Result<(), LogError> {
        recovery::write_snapshot(&*self.disk, &self.dir, self.end_offset, &self.producers)
    }

    /// Syncs, trims indexes, writes the producer snapshot. Costs nothing when nothing happened since a clean opening.
    pub fn close(mut self) -> Result<(), LogError> {
        if !self.changed {
            return Ok(());
        }
        if let Some(active) = self.segments.last_mut() {
            active.seal(&*self.disk)?;
            self.write_snapshot()?;
            let path = self.dir.join(file_name(self.end_offset, suffix::SNAPSHOT));
            let synced = self.disk.open(&path, false).and_then(|file| file.sync());
            synced.map_err(|source| LogError::io(&path, source))?;
        }
        let flush = self.begin_flush();
        flush.run()?;
        if let Some(active) = self.segments.last() {
            active.offsets.sync(&*self.disk).map_err(|source| LogError::io(&active.offsets.path, source))?;
            active.times.sync(&*self.disk).map_err(|source| LogError::io(&active.times.path, source))?;
            recovery::remove_stray_snapshots(&*self.disk, &self.dir, &self.segments, self.end_offset)?;
        }
        Ok(())
    }
}

/// A transaction marker in a batch of our own.
fn read_marker(batch: &ValidBatch) -> Option<Marker> {
    if !batch.header.is_control() || !batch.header.has_producer_id() {
        return None;
    }
    let bytes = batch.to_bytes();
    recovery::marker_in(&bytes)
}

pub(crate) fn full_or_failed(error: LogError) -> AppendError {
    match &error {
        LogError::Io { source, .. } if is_full(source) => AppendError::DiskFull,
        _ => AppendError::Log(error),
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (start, end) = (self.start_offset, self.end_offset);
        write!(f, "Log({} {start}..{end} in {} segments)", self.dir.display(), self.segments.len())
    }
}

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
