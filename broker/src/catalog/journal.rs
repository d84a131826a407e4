//! The metadata log on the disk: `__cluster_metadata-0` with its segments, snapshots and `quorum-state`, as Kafka
//! writes them, so that Kafka and its tools can read ours and we can read theirs.

use super::{
    CatalogError,
    quorum_state::QuorumState,
    snapshot_file::{self, Snapshot, SnapshotId},
    start::new_folder_records,
    store::Store,
    versions,
};
use crate::{
    data_dir::{DataDir, DataDirError, replace_file},
    logs::partition_metadata,
    wall_clock::now_ms,
};
use bytes::Bytes;
use protocol_glue::records::{
    control::{ControlRecord, LeaderChange, LeaderChangeVoter},
    metadata::MetadataRecord,
};
use std::{path::PathBuf, sync::Arc};
use storage::{
    batch::{Batch, Builder, TargetCodec, TimestampType, batches},
    disk::Disk,
    log::{Hints, Log, LogConfig, ReadError},
};
use uuid::Uuid;

/// The folder of the metadata log in the data folder.
pub(super) const FOLDER: &str = "__cluster_metadata-0";

/// The election that each new log begins with comes before the first record.
pub(super) const FIRST_RECORD_OFFSET: i64 = 1;

/// The fixed id that the metadata topic has in every cluster.
const TOPIC_ID: Uuid = Uuid::from_u128(1);

/// So much log makes a snapshot worth it (Kafka's metadata.log.max.record.bytes.between.snapshots): a start reads
/// little more than this and the snapshot.
const SNAPSHOT_EVERY_BYTES: u64 = 20 << 20;
/// At a clean end a smaller one is worth it, since there is time and the next start may be in a hurry.
const SNAPSHOT_AT_CLOSE_BYTES: u64 = 1 << 20;

/// Small enough for snapshots to let go of whole segments soon.
const SEGMENT_BYTES: u32 = 16 << 20;
/// Read at a time while replaying.
const READ_BYTES: usize = 1 << 20;
/// A batch never holds more when decompressed; ours are not compressed, nor are Kafka's.
const MAX_BATCH_BYTES: usize = 64 << 20;

/// The open metadata log.
pub(super) struct Journal {
    log: Log,
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    node_id: i32,
    epoch: i32,
    quorum: Vec<ControlRecord>,
    /// The log ends within a transaction.
    unfinished: bool,
    bytes_since_snapshot: u64,
}

impl Journal {
    /// Opens the log and shows every record that counts to `apply`, with its offset. Returns what a new log has to
    /// begin with, too. Nothing may be appended before [`Journal::lead`].
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        data_dir: &DataDir,
        node_id: i32,
        mut apply: impl FnMut(&MetadataRecord, i64) -> Result<(), String>,
    ) -> Result<(Journal, Vec<MetadataRecord>), CatalogError> {
        let dir = data_dir.path().join(FOLDER);
        disk.make_dir(&dir).map_err(|source| CatalogError::Io { path: dir.clone(), source })?;
        QuorumState::read(&dir, node_id)?;
        let hints =
            Hints { clean: data_dir.clean_shutdown().is_some(), now_ms: now_ms(), ..Hints::default() };
        let (log, _) = Log::open(Arc::clone(&disk), &dir, log_config(), hints)?;
        let mut journal = Journal {
            log,
            disk,
            dir,
            node_id,
            epoch: 0,
            quorum: Vec::new(),
            unfinished: false,
            bytes_since_snapshot: 0,
        };
        let bootstrap = journal.load(&mut apply)?;
        Ok((journal, bootstrap))
    }

    /// Makes the folder complete and this node the leader, if they are not already: an election of one.
    pub(super) fn lead(&mut self) -> Result<(), CatalogError> {
        snapshot_file::remove_leftover(&*self.disk, &self.dir)?;
        partition_metadata::complete(&*self.disk, &self.dir, TOPIC_ID)?;
        self.elect()?;
        // A transaction without an end was never finished: its records do not count, and must not be taken up by
        // what comes after them.
        if self.unfinished {
            let abort = MetadataRecord::AbortTransaction(Default::default());
            self.append(&versions::write_all(&[abort]))?;
        }
        Ok(())
    }

    /// Shows the newest snapshot and the log after it; returns the records that formatting left.
    fn load(&mut self, apply: &mut Apply<'_>) -> Result<Vec<MetadataRecord>, CatalogError> {
        let ids = snapshot_file::list(&*self.disk, &self.dir)?;
        let newest = ids.last().copied().filter(|id| *id != SnapshotId::BOOTSTRAP);
        let mut from = 0;
        if let Some(id) = newest {
            let snapshot = snapshot_file::read(&self.dir, id)?;
            from = id.end_offset;
            for record in &snapshot.records {
                apply(record, from - 1).map_err(|what| self.damaged(from - 1, what))?;
            }
            self.quorum = snapshot.quorum;
        }
        let bootstrap = self.bootstrap(&ids, newest.is_none())?;
        if self.log.start_offset() > from || self.log.end_offset() < from {
            let (start, end) = (self.log.start_offset(), self.log.end_offset());
            return Err(
                self.damaged(from, format!("the log has offsets {start} to {end}, and that one is needed"))
            );
        }
        self.replay(from, apply)?;
        Ok(bootstrap)
    }

    /// What formatting left, or what we leave in a folder that nobody formatted.
    fn bootstrap(&mut self, ids: &[SnapshotId], needed: bool) -> Result<Vec<MetadataRecord>, CatalogError> {
        if !needed {
            return Ok(Vec::new());
        }
        if ids.contains(&SnapshotId::BOOTSTRAP) {
            let Snapshot { records, quorum } = snapshot_file::read(&self.dir, SnapshotId::BOOTSTRAP)?;
            self.quorum = quorum;
            return Ok(records);
        }
        let records = new_folder_records();
        if self.log.end_offset() == 0 {
            let values = versions::write_all(&records);
            snapshot_file::write(&self.disk, &self.dir, SnapshotId::BOOTSTRAP, &[], &values, now_ms())?;
        }
        Ok(records)
    }

    fn replay(&mut self, from: i64, apply: &mut Apply<'_>) -> Result<(), CatalogError> {
        let mut replay = Replay { from, pending: None, quorum: std::mem::take(&mut self.quorum) };
        let mut next = from;
        while next < self.log.end_offset() {
            let slice = self.log.locate(next, READ_BYTES, self.log.end_offset(), true).map_err(read_error)?;
            let slice = slice.ok_or_else(|| self.damaged(next, "there is nothing to read".to_owned()))?;
            let bytes = slice.read()?;
            self.bytes_since_snapshot += bytes.len() as u64;
            let before = next;
            for batch in batches(&bytes) {
                replay.take(&batch, apply).map_err(|what| self.damaged(batch.base_offset(), what))?;
                next = batch.last_offset() + 1;
            }
            if next <= before {
                return Err(self.damaged(next, "there is no intact batch".to_owned()));
            }
        }
        self.quorum = replay.quorum;
        self.unfinished = replay.pending.is_some();
        Ok(())
    }

    fn elect(&mut self) -> Result<(), CatalogError> {
        let state = QuorumState::read(&self.dir, self.node_id)?;
        let in_log = self.log.latest_epoch().unwrap_or(0);
        if state.leader_id() == i64::from(self.node_id) && state.leader_epoch() == in_log && in_log > 0 {
            self.epoch = in_log;
            return Ok(());
        }
        self.epoch = state.leader_epoch().max(in_log) + 1;
        let (name, content) = state.led_by(self.node_id, self.epoch);
        replace_file(&self.dir, name, &content).map_err(from_data_dir)?;
        let voter = || vec![LeaderChangeVoter { voter_id: self.node_id, ..LeaderChangeVoter::default() }];
        let change =
            LeaderChange { version: 0, leader_id: self.node_id, voters: voter(), granting_voters: voter() };
        let mut batch = Builder::new(now_ms());
        snapshot_file::push_control(&mut batch, &ControlRecord::LeaderChange(change));
        self.write(batch)
    }

    fn write(&mut self, batch: Builder) -> Result<(), CatalogError> {
        let batch = batch.build();
        let bytes = batch.byte_len() as u64;
        self.log.append(batch, self.epoch, now_ms())?;
        let durable_below = self.log.begin_flush().run()?;
        self.log.flushed(durable_below);
        self.bytes_since_snapshot += bytes;
        Ok(())
    }

    /// Drops what the newest snapshot stands for: older snapshots, and segments that lie wholly below it.
    fn forget_below(&mut self, id: SnapshotId) -> Result<(), CatalogError> {
        for older in snapshot_file::list(&*self.disk, &self.dir)?.into_iter().filter(|older| *older < id) {
            self.remove(self.dir.join(older.file_name()))?;
        }
        self.log.raise_start_offset(id.end_offset)?;
        self.log.apply_retention(now_ms())?;
        for path in self.log.take_due_deletions(now_ms()) {
            self.remove(path)?;
        }
        Ok(())
    }

    fn remove(&self, path: PathBuf) -> Result<(), CatalogError> {
        self.disk.remove(&path).map_err(|source| CatalogError::Io { path, source })
    }

    fn damaged(&self, offset: i64, what: String) -> CatalogError {
        CatalogError::Damaged { path: self.dir.clone(), offset, what }
    }
}

impl Store for Journal {
    fn end_offset(&self) -> i64 {
        self.log.end_offset()
    }

    fn append(&mut self, records: &[Bytes]) -> Result<(), CatalogError> {
        let mut batch = Builder::new(now_ms());
        for record in records {
            batch.push(None, Some(record));
        }
        self.write(batch)
    }

    fn snapshot_due(&self, closing: bool) -> bool {
        self.bytes_since_snapshot >= if closing { SNAPSHOT_AT_CLOSE_BYTES } else { SNAPSHOT_EVERY_BYTES }
    }

    fn snapshot(&mut self, records: &[Bytes]) -> Result<(), CatalogError> {
        let id = SnapshotId { end_offset: self.log.end_offset(), epoch: self.epoch };
        snapshot_file::write(&self.disk, &self.dir, id, &self.quorum, records, now_ms())?;
        self.bytes_since_snapshot = 0;
        self.forget_below(id)
    }

    fn close(self: Box<Self>) -> Result<(), CatalogError> {
        Ok(self.log.close()?)
    }
}

type Apply<'a> = dyn FnMut(&MetadataRecord, i64) -> Result<(), String> + 'a;

/// Takes batches in and lets through what counts (KIP-868: transactions that were aborted do not).
struct Replay {
    from: i64,
    /// Records of the open transaction.
    pending: Option<Vec<(MetadataRecord, i64)>>,
    quorum: Vec<ControlRecord>,
}

impl Replay {
    fn take(&mut self, batch: &Batch<'_>, apply: &mut Apply<'_>) -> Result<(), String> {
        let mut outcome = Ok(());
        batch
            .for_each_record(MAX_BATCH_BYTES, &mut |record| {
                if outcome.is_err() || record.offset < self.from {
                    return;
                }
                let value = record.value.unwrap_or_default();
                outcome = if batch.is_control() {
                    ControlRecord::read(record.key.unwrap_or_default(), value)
                        .map(|record| self.take_control(record))
                        .map_err(|error| error.to_string())
                } else {
                    MetadataRecord::read(value)
                        .map_err(|error| error.to_string())
                        .and_then(|metadata| self.take_record(metadata, record.offset, apply))
                };
            })
            .map_err(|rejected| rejected.message)?;
        outcome
    }

    fn take_record(
        &mut self,
        record: MetadataRecord,
        offset: i64,
        apply: &mut Apply<'_>,
    ) -> Result<(), String> {
        match record {
            MetadataRecord::BeginTransaction(_) => self.pending = Some(Vec::new()),
            MetadataRecord::AbortTransaction(_) => self.pending = None,
            MetadataRecord::EndTransaction(_) => {
                for (record, offset) in self.pending.take().unwrap_or_default() {
                    apply(&record, offset)?;
                }
            }
            record => match &mut self.pending {
                Some(pending) => pending.push((record, offset)),
                None => apply(&record, offset)?,
            },
        }
        Ok(())
    }

    /// The newest of each kind counts.
    fn take_control(&mut self, record: ControlRecord) {
        if matches!(record, ControlRecord::KRaftVersion(_) | ControlRecord::Voters(_)) {
            let kind = std::mem::discriminant(&record);
            self.quorum.retain(|known| std::mem::discriminant(known) != kind);
            self.quorum.push(record);
        }
    }
}

/// Nothing ages and nothing is bounded: only snapshots let go of anything.
pub(super) fn log_config() -> LogConfig {
    LogConfig {
        segment_bytes: SEGMENT_BYTES,
        segment_ms: i64::MAX,
        segment_jitter_ms: 0,
        segment_index_bytes: 10 << 20,
        index_interval_bytes: 4096,
        retention_ms: -1,
        retention_bytes: -1,
        delete: true,
        compact: false,
        file_delete_delay_ms: 0,
        flush_messages: i64::MAX,
        flush_ms: i64::MAX,
        preallocate: false,
        max_batch_bytes: i32::MAX,
        timestamp_type: TimestampType::CreateTime,
        timestamp_before_max_ms: i64::MAX,
        timestamp_after_max_ms: i64::MAX,
        max_decompressed_bytes: i32::MAX,
        target: TargetCodec::Producer,
        producer_id_expiration_ms: i64::MAX,
        max_compaction_lag_ms: i64::MAX,
    }
}

fn read_error(error: ReadError) -> CatalogError {
    match error {
        ReadError::Log(error) => error.into(),
        ReadError::OutOfRange { .. } => unreachable!("only offsets within the log are read: {error}"),
    }
}

pub(super) fn from_data_dir(error: DataDirError) -> CatalogError {
    match error {
        DataDirError::Io { path, source } => CatalogError::Io { path, source },
        other => CatalogError::Unsupported(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
