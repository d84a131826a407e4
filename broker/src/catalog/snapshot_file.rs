//! Snapshot files (`<end offset>-<epoch>.checkpoint`): a header, records and a footer in the format of a log segment,
//! with offsets of their own (KIP-630). The file is there as a whole or not at all.

use super::CatalogError;
use bytes::Bytes;
use protocol_glue::records::{
    control::{ControlRecord, SnapshotFooter, SnapshotHeader},
    metadata::MetadataRecord,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use storage::{
    batch::{Builder, batches},
    disk::Disk,
    log::{Hints, Log, LogConfig},
};

/// What a snapshot stands for: all records below `end_offset`, the last of which was written in `epoch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SnapshotId {
    pub end_offset: i64,
    pub epoch: i32,
}

impl SnapshotId {
    /// What formatting leaves: the records to begin the log with.
    pub(super) const BOOTSTRAP: SnapshotId = SnapshotId { end_offset: 0, epoch: 0 };

    pub(super) fn file_name(self) -> String {
        format!("{:020}-{:010}.checkpoint", self.end_offset, self.epoch)
    }

    fn parse(name: &str) -> Option<SnapshotId> {
        let (end_offset, epoch) = name.strip_suffix(".checkpoint")?.split_once('-')?;
        let id = SnapshotId { end_offset: end_offset.parse().ok()?, epoch: epoch.parse().ok()? };
        (id.file_name() == name).then_some(id)
    }
}

/// A snapshot's content.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub records: Vec<MetadataRecord>,
    /// What the quorum must not forget: its protocol level and voters (KIP-853), in Kafka's own words.
    pub quorum: Vec<ControlRecord>,
}

/// Records in one batch of a snapshot.
const BATCH_RECORDS: usize = 1_000;
/// Uncompressed, as we write them; Kafka's are not larger either.
const MAX_BATCH_BYTES: usize = 64 << 20;

/// The snapshots in a folder, oldest first.
pub(super) fn list(disk: &dyn Disk, dir: &Path) -> Result<Vec<SnapshotId>, CatalogError> {
    let names = disk.list(dir).map_err(|source| CatalogError::Io { path: dir.to_owned(), source })?;
    let mut ids: Vec<_> = names.iter().filter_map(|name| SnapshotId::parse(name)).collect();
    ids.sort();
    Ok(ids)
}

/// Reads a snapshot; one without its footer is damaged.
pub(super) fn read(dir: &Path, id: SnapshotId) -> Result<Snapshot, CatalogError> {
    let path = dir.join(id.file_name());
    let bytes = fs::read(&path).map_err(|source| CatalogError::Io { path: path.clone(), source })?;
    let mut snapshot = Snapshot::default();
    let mut complete = false;
    for batch in batches(&bytes) {
        let damaged =
            |what: String| CatalogError::Damaged { path: path.clone(), offset: batch.base_offset(), what };
        let mut outcome = Ok(());
        batch
            .for_each_record(MAX_BATCH_BYTES, &mut |record| {
                let value = record.value.unwrap_or_default();
                let read = if batch.is_control() {
                    ControlRecord::read(record.key.unwrap_or_default(), value).map(|control| match control {
                        ControlRecord::SnapshotFooter(_) => complete = true,
                        ControlRecord::KRaftVersion(_) | ControlRecord::Voters(_) => {
                            snapshot.quorum.push(control)
                        }
                        _ => {}
                    })
                } else {
                    MetadataRecord::read(value).map(|record| snapshot.records.push(record))
                };
                outcome = std::mem::replace(&mut outcome, Ok(())).and(read);
            })
            .map_err(|rejected| damaged(rejected.message))?;
        outcome.map_err(|error| damaged(error.to_string()))?;
    }
    if complete { Ok(snapshot) } else { Err(incomplete(path)) }
}

fn incomplete(path: PathBuf) -> CatalogError {
    CatalogError::Damaged { path, offset: -1, what: "the snapshot has no end".to_owned() }
}

/// Writes a snapshot: as a log of its own in a folder beside, which is then renamed into place.
pub(super) fn write(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    id: SnapshotId,
    quorum: &[ControlRecord],
    records: &[Bytes],
    now_ms: i64,
) -> Result<(), CatalogError> {
    let beside = dir.join(TEMPORARY);
    remove_leftover(&**disk, dir)?;
    let (mut log, _) = Log::open(Arc::clone(disk), &beside, snapshot_log(), Hints::default())?;
    let header = SnapshotHeader { version: 0, last_contained_log_timestamp: now_ms };
    let mut head = Builder::new(now_ms);
    push_control(&mut head, &ControlRecord::SnapshotHeader(header));
    quorum.iter().for_each(|record| push_control(&mut head, record));
    log.append(head.build(), id.epoch, now_ms)?;
    for chunk in records.chunks(BATCH_RECORDS) {
        let mut batch = Builder::new(now_ms);
        chunk.iter().for_each(|value| {
            batch.push(None, Some(value));
        });
        log.append(batch.build(), id.epoch, now_ms)?;
    }
    let mut foot = Builder::new(now_ms);
    push_control(&mut foot, &ControlRecord::SnapshotFooter(SnapshotFooter { version: 0 }));
    log.append(foot.build(), id.epoch, now_ms)?;
    log.begin_flush().run()?;
    drop(log);
    let path = dir.join(id.file_name());
    disk.rename(&beside.join("00000000000000000000.log"), &path)
        .map_err(|source| CatalogError::Io { path, source })?;
    remove_leftover(&**disk, dir)
}

const TEMPORARY: &str = "snapshot.tmp";

/// Removes what a snapshot that was not finished left.
pub(super) fn remove_leftover(disk: &dyn Disk, dir: &Path) -> Result<(), CatalogError> {
    let path = dir.join(TEMPORARY);
    disk.remove(&path).map_err(|source| CatalogError::Io { path, source })
}

pub(super) fn push_control(batch: &mut Builder, record: &ControlRecord) {
    let (key, value) = record.write();
    batch.push(Some(&key), Some(&value)).control();
}

/// One segment, whatever its size, and nothing that ages.
fn snapshot_log() -> LogConfig {
    LogConfig { segment_bytes: i32::MAX as u32, ..super::journal::log_config() }
}
