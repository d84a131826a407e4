//! A partition: its log under one lock, the watch that parked fetches wait on, its group commit.
//!
//! On a single node the leader is always here and the only replica, so the high watermark is the log end.
//! Nothing above this file knows that the data lies on a local disk.

use crate::{
    durability::{self, Fatal, GroupCommit, SyncFailed, Syncable},
    wait::Watch,
};
use parking_lot::{Mutex, RwLock};
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use storage::{
    batch::{Rules, ValidBatch},
    log::{AppendError, Appended, Found, Log, LogConfig, LogError, ReadError, Slice},
};
use uuid::Uuid;

/// So many records are checked in no time after a crash; more are synced in the background.
const MAX_UNFLUSHED_RECORDS: i64 = 50_000;

pub struct Partition {
    topic: Arc<str>,
    topic_id: Uuid,
    index: i32,
    state: RwLock<State>,
    watch: Watch,
    commit: GroupCommit,
    /// Held while syncing: two syncs at once would write the same checkpoint.
    syncing: Mutex<Option<SyncOnce>>,
    /// A sync for `flush.ms` is on its way.
    flush_scheduled: AtomicBool,
    /// Read or written since the last look of [`Partition::rest_if_idle`].
    used: AtomicBool,
    fatal: Fatal,
}

/// A sync that is needed once, before the first of the log itself.
pub type SyncOnce = Box<dyn FnOnce() -> Result<(), LogError> + Send>;

struct State {
    life: Life,
    leader_epoch: i32,
}

// Nearly all are open, and a box would cost every read a hop.
#[allow(clippy::large_enum_variant)]
enum Life {
    Open(Log),
    /// The topic was deleted; the offsets are the last that were known.
    Deleted(Offsets),
    /// The broker is stopping.
    Closed(Offsets),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    pub log_start: i64,
    pub last_stable: i64,
    pub high_watermark: i64,
    pub log_end: i64,
}

/// What is kept about a log outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptOffsets {
    /// Everything below is durable.
    pub recovery_point: i64,
    pub log_start: i64,
    pub high_watermark: i64,
}

/// What a reader asks of a partition.
#[derive(Clone, Copy, Debug)]
pub struct ReadAt {
    pub offset: i64,
    pub max_bytes: usize,
    /// Return the first batch even when it is larger than `max_bytes`.
    pub at_least_one: bool,
    /// Nothing at or above the last stable offset.
    pub committed_only: bool,
    /// The leader epoch that the reader knows; `None`: do not check.
    pub current_leader_epoch: Option<i32>,
    /// The epoch of the last record that the reader has; `None`: do not check.
    pub last_fetched_epoch: Option<i32>,
}

/// What there is for a reader; the bytes are read outside the lock.
pub struct Located {
    pub offsets: Offsets,
    pub slice: Option<Slice>,
    /// The reader's history leaves ours: its last common epoch and where that ends. Nothing was read then.
    pub diverging: Option<(i32, i64)>,
}

/// Why nothing was located or looked up.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("the partition was deleted")]
    Deleted,
    #[error("the broker is stopping")]
    Closed,
    #[error("the leader epoch is {current} by now")]
    FencedLeaderEpoch { current: i32 },
    #[error("the leader epoch is still {current}")]
    UnknownLeaderEpoch { current: i32 },
    #[error("offset {0} is outside the log")]
    OutOfRange(i64),
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::OutOfRange { offset, .. } => Self::OutOfRange(offset),
            ReadError::Log(error) => Self::Log(error),
        }
    }
}

impl Partition {
    /// A partition on an open log. `before_first_sync` makes durable what the log does not know of: its folder.
    pub fn new(
        topic: Arc<str>,
        topic_id: Uuid,
        index: i32,
        leader_epoch: i32,
        log: Log,
        before_first_sync: Option<SyncOnce>,
        fatal: Fatal,
    ) -> Self {
        let state = RwLock::new(State { life: Life::Open(log), leader_epoch });
        let (watch, commit) = Default::default();
        let syncing = Mutex::new(before_first_sync);
        let (flush_scheduled, used) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { topic, topic_id, index, state, watch, commit, syncing, flush_scheduled, used, fatal }
    }

    pub fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    pub fn topic_id(&self) -> Uuid {
        self.topic_id
    }

    pub fn index(&self) -> i32 {
        self.index
    }

    pub fn leader_epoch(&self) -> i32 {
        self.state.read().leader_epoch
    }

    /// Raises the leader epoch; never lowers it.
    pub fn set_leader_epoch(&self, leader_epoch: i32) {
        let mut state = self.state.write();
        if leader_epoch > state.leader_epoch {
            state.leader_epoch = leader_epoch;
            drop(state);
            self.watch.wake();
        }
    }

    /// Woken by every append, trim, epoch change, and by the end of the partition.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    pub fn offsets(&self) -> Offsets {
        match &self.state.read().life {
            Life::Open(log) => offsets_of(log),
            Life::Deleted(last) | Life::Closed(last) => *last,
        }
    }

    /// Was the topic deleted (or the partition re-created) since this handle was made?
    pub fn is_deleted(&self) -> bool {
        matches!(self.state.read().life, Life::Deleted(_))
    }

    /// What the checkpoints say about this log; `None` once it was deleted.
    pub fn kept_offsets(&self) -> Option<KeptOffsets> {
        let kept = |recovery_point, offsets: Offsets| {
            let Offsets { log_start, high_watermark, .. } = offsets;
            Some(KeptOffsets { recovery_point, log_start, high_watermark })
        };
        match &self.state.read().life {
            Life::Open(log) => kept(log.recovery_point(), offsets_of(log)),
            Life::Deleted(_) => None,
            Life::Closed(last) => kept(last.log_end, *last),
        }
    }

    /// False once it was deleted or closed.
    pub fn is_open(&self) -> bool {
        matches!(self.state.read().life, Life::Open(_))
    }

    /// Bytes in `.log` files.
    pub fn size_bytes(&self) -> u64 {
        self.with_log(Log::size_bytes).unwrap_or(0)
    }

    /// The log's settings; `None` when the partition is not open any more.
    pub fn config(&self) -> Option<LogConfig> {
        self.with_log(|log| log.config().clone()).ok()
    }

    /// What a batch for this partition has to keep to.
    pub fn rules(&self, zstd_allowed: bool, now_ms: i64) -> Option<Rules> {
        self.with_log(|log| {
            let config = log.config();
            Rules {
                max_batch_bytes: config.max_batch_bytes,
                timestamp_type: config.timestamp_type,
                timestamp_before_max_ms: config.timestamp_before_max_ms,
                timestamp_after_max_ms: config.timestamp_after_max_ms,
                keys_required: config.compact,
                max_decompressed_bytes: config.max_decompressed_bytes,
                target: config.target,
                zstd_allowed,
                now_ms,
            }
        })
        .ok()
    }

    /// One write under the log's lock; wakes parked fetches. A partition that is not open any more answers an
    /// I/O error; [`Partition::is_deleted`] tells why.
    pub fn append(&self, batch: ValidBatch, now_ms: i64) -> Result<Appended, AppendError> {
        self.used.store(true, Ordering::Relaxed);
        let mut state = self.state.write();
        let leader_epoch = state.leader_epoch;
        let Life::Open(log) = &mut state.life else { return Err(self.not_open().into()) };
        let appended = log.append(batch, leader_epoch, now_ms)?;
        drop(state);
        if !appended.duplicate {
            self.watch.wake();
        }
        Ok(appended)
    }

    /// Checks the reader's epochs and finds the batches to return, all at one moment.
    pub fn locate(&self, at: &ReadAt) -> Result<Located, Refused> {
        self.used.store(true, Ordering::Relaxed);
        let state = self.state.read();
        let log = self.open_log(&state)?;
        check_leader_epoch(at.current_leader_epoch, state.leader_epoch)?;
        let offsets = offsets_of(log);
        if let Some(epoch) = at.last_fetched_epoch {
            let (ours, end) =
                log.end_of_epoch(epoch, state.leader_epoch).ok_or(Refused::OutOfRange(at.offset))?;
            if ours < epoch || end < at.offset {
                return Ok(Located { offsets, slice: None, diverging: Some((ours, end)) });
            }
        }
        let upper = if at.committed_only { offsets.last_stable } else { offsets.high_watermark };
        let slice = log.locate(at.offset, at.max_bytes, upper, at.at_least_one)?;
        Ok(Located { offsets, slice, diverging: None })
    }

    /// Is the leader epoch that a client knows ours? `None`: the client does not say.
    pub fn check_leader_epoch(&self, known: Option<i32>) -> Result<(), Refused> {
        let state = self.state.read();
        self.open_log(&state)?;
        check_leader_epoch(known, state.leader_epoch)
    }

    /// First record at or after the time. May wait for the disk.
    pub fn find_timestamp(&self, timestamp: i64) -> Result<Option<Found>, LogError> {
        self.with_log(|log| log.find_timestamp(timestamp)).map_err(|_| self.not_open())?
    }

    /// First record that carries the largest timestamp. May wait for the disk.
    pub fn find_max_timestamp(&self) -> Result<Option<Found>, LogError> {
        self.with_log(Log::find_max_timestamp).map_err(|_| self.not_open())?
    }

    /// The leader epoch of the record at `offset`; of the next record to come when `offset` is the log end.
    pub fn epoch_at(&self, offset: i64) -> Option<i32> {
        let state = self.state.read();
        let log = self.open_log(&state).ok()?;
        if offset >= log.end_offset() { Some(state.leader_epoch) } else { log.epoch_of(offset) }
    }

    /// The largest epoch not above `epoch`, and its end offset; `None` when `epoch` is newer than any. One that is
    /// older than any ended where the log starts.
    pub fn end_of_epoch(&self, epoch: i32) -> Result<Option<(i32, i64)>, Refused> {
        let state = self.state.read();
        let log = self.open_log(&state)?;
        match epoch {
            ..0 => Ok(Some((epoch, log.start_offset()))),
            _ => Ok(log.end_of_epoch(epoch, state.leader_epoch)),
        }
    }

    /// Moves the log start up to `offset` (-1: the high watermark) and returns where it is then; an offset below
    /// the present start changes nothing.
    pub fn delete_records(&self, offset: i64) -> Result<i64, ReadError> {
        let mut state = self.state.write();
        let Life::Open(log) = &mut state.life else { return Err(self.not_open().into()) };
        let (start, end) = (log.start_offset(), log.end_offset());
        let offset = if offset == -1 { end } else { offset };
        if !(0..=end).contains(&offset) {
            return Err(ReadError::OutOfRange { offset, start, end });
        }
        if offset > start {
            log.raise_start_offset(offset)?;
        }
        let start = log.start_offset();
        drop(state);
        self.watch.wake();
        Ok(start)
    }

    /// Applies changed settings.
    pub fn reconfigure(&self, config: &LogConfig) {
        if let Life::Open(log) = &mut self.state.write().life {
            log.set_config(config.clone());
        }
    }

    /// Runs a background duty on the open log; `None` when it is not open any more. Wakes readers when the log
    /// start moved.
    pub fn maintain<T>(&self, duty: impl FnOnce(&mut Log) -> T) -> Option<T> {
        let mut state = self.state.write();
        let Life::Open(log) = &mut state.life else { return None };
        let start = log.start_offset();
        let done = duty(log);
        let moved = log.start_offset() != start;
        drop(state);
        if moved {
            self.watch.wake();
        }
        Some(done)
    }

    /// Reads something of the open log.
    pub fn inspect<T>(&self, look: impl FnOnce(&Log) -> T) -> Option<T> {
        self.with_log(look).ok()
    }

    /// Resolves when everything up to and including `offset` survives a power cut. One sync serves all who wait.
    pub async fn wait_durable(self: &Arc<Self>, offset: i64) -> Result<(), SyncFailed> {
        durability::wait_durable(self, offset).await
    }

    /// Starts the sync that [`Partition::wait_durable`] would wait for.
    pub fn request_sync(self: &Arc<Self>, offset: i64) {
        durability::request_sync(self, offset);
    }

    /// Syncs now when a crash would leave much to check otherwise. May block.
    pub fn flush_behind(&self) {
        let far_behind =
            |log: &Log| log.wants_background_flush() || log.unflushed_records() >= MAX_UNFLUSHED_RECORDS;
        if self.inspect(far_behind) == Some(true) {
            durability::sync_now(self);
        }
    }

    /// Closes the files of a partition that nobody has read or written since the last call; they are opened again
    /// when they are needed.
    pub fn rest_if_idle(&self) {
        if !self.used.swap(false, Ordering::Relaxed) {
            self.inspect(Log::release_files);
        }
    }

    /// Sees to it that what was appended is synced within `flush.ms`, when that is set. (`flush.ms` 0 and
    /// `flush.messages` are asked for by the append itself.)
    pub fn schedule_flush(self: &Arc<Self>, appended: &Appended) {
        let Ok(flush_ms) = self.with_log(|log| log.config().flush_ms) else { return };
        if flush_ms <= 0 || flush_ms == i64::MAX || self.flush_scheduled.swap(true, Ordering::AcqRel) {
            return;
        }
        let (partition, offset) = (Arc::downgrade(self), appended.last_offset);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(flush_ms.unsigned_abs())).await;
            if let Some(partition) = partition.upgrade() {
                partition.flush_scheduled.store(false, Ordering::Release);
                let end = partition.offsets().log_end;
                partition.request_sync(offset.max(end - 1));
            }
        });
    }

    /// Ends the partition because its topic goes: nothing is written from here on, parked fetches end.
    pub fn delete(&self) {
        self.end(Life::Deleted);
    }

    /// Closes the log properly; the broker is stopping.
    pub fn close(&self) -> Result<(), LogError> {
        let _no_other = self.syncing.lock();
        self.end(Life::Closed).map_or(Ok(()), Log::close)
    }

    fn end(&self, end: impl FnOnce(Offsets) -> Life) -> Option<Log> {
        let mut state = self.state.write();
        let Life::Open(log) = &state.life else { return None };
        let ended = end(offsets_of(log));
        let Life::Open(log) = std::mem::replace(&mut state.life, ended) else {
            unreachable!("it was open a line above, under the same lock")
        };
        drop(state);
        self.watch.wake();
        Some(log)
    }

    fn with_log<T>(&self, look: impl FnOnce(&Log) -> T) -> Result<T, Refused> {
        self.open_log(&self.state.read()).map(look)
    }

    fn open_log<'a>(&self, state: &'a State) -> Result<&'a Log, Refused> {
        match &state.life {
            Life::Open(log) => Ok(log),
            Life::Deleted(_) => Err(Refused::Deleted),
            Life::Closed(_) => Err(Refused::Closed),
        }
    }

    fn not_open(&self) -> LogError {
        let path = PathBuf::from(format!("{}-{}", self.topic, self.index));
        LogError::Io {
            path,
            source: io::Error::new(io::ErrorKind::NotFound, "the partition is not open any more"),
        }
    }
}

impl Syncable for Partition {
    fn sync(&self) -> Result<i64, LogError> {
        let mut first = self.syncing.lock();
        if let Some(sync_once) = first.take() {
            sync_once()?;
        }
        // A partition that is not open any more has nothing left to promise.
        let Ok(flush) = self.with_log(Log::begin_flush) else { return Ok(i64::MAX) };
        match flush.run() {
            Ok(below) => {
                self.maintain(|log| log.flushed(below));
                Ok(below)
            }
            Err(_) if self.is_deleted() => Ok(i64::MAX),
            Err(error) => Err(error),
        }
    }

    fn group_commit(&self) -> &GroupCommit {
        &self.commit
    }

    fn fatal(&self) -> &Fatal {
        &self.fatal
    }
}

fn offsets_of(log: &Log) -> Offsets {
    let log_end = log.end_offset();
    Offsets {
        log_start: log.start_offset(),
        last_stable: log.last_stable_offset(),
        high_watermark: log_end,
        log_end,
    }
}

fn check_leader_epoch(known: Option<i32>, current: i32) -> Result<(), Refused> {
    match known {
        Some(known) if known < current => Err(Refused::FencedLeaderEpoch { current }),
        Some(known) if known > current => Err(Refused::UnknownLeaderEpoch { current }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
