//! The three offset checkpoints of a data folder, one line for each partition: below where each log is durable, where
//! it starts, and its high watermark (for Kafka, should it open the folder; ours follows from the log).

use crate::partition::{KeptOffsets, Partition};
use std::{collections::HashMap, path::Path, sync::Arc};
use storage::{checkpoint, disk::Disk, log::LogError};

const RECOVERY_POINTS: &str = "recovery-point-offset-checkpoint";
const LOG_STARTS: &str = "log-start-offset-checkpoint";
const HIGH_WATERMARKS: &str = "replication-offset-checkpoint";

type Entries = Vec<(String, i32, i64)>;

/// What the files said at the start, and what was last written to them.
#[derive(Default)]
pub(super) struct Checkpoints {
    recovery_points: HashMap<(String, i32), i64>,
    log_starts: HashMap<(String, i32), i64>,
    written: HashMap<&'static str, Entries>,
}

impl Checkpoints {
    /// A file that cannot be understood is as good as none: more is scanned then.
    pub(super) fn load(disk: &dyn Disk, data_dir: &Path) -> Result<Self, LogError> {
        let read = |name| match checkpoint::read(disk, &data_dir.join(name)) {
            Err(error @ LogError::Damaged { .. }) => {
                tracing::warn!("{error}; going on without it");
                Ok(HashMap::new())
            }
            entries => entries.map(|entries| {
                entries.into_iter().map(|(topic, index, offset)| ((topic, index), offset)).collect()
            }),
        };
        let (recovery_points, log_starts) = (read(RECOVERY_POINTS)?, read(LOG_STARTS)?);
        Ok(Self { recovery_points, log_starts, written: HashMap::new() })
    }

    /// Everything below was durable; 0 when nothing is known.
    pub(super) fn recovery_point(&self, topic: &str, index: i32) -> i64 {
        self.recovery_points.get(&(topic.to_owned(), index)).copied().unwrap_or(0)
    }

    /// Where the log started; 0 when nothing is known.
    pub(super) fn log_start(&self, topic: &str, index: i32) -> i64 {
        self.log_starts.get(&(topic.to_owned(), index)).copied().unwrap_or(0)
    }

    /// A topic that is made again under the name must not begin where this partition ended.
    pub(super) fn forget(&mut self, topic: &str, index: i32) {
        let key = (topic.to_owned(), index);
        self.recovery_points.remove(&key);
        self.log_starts.remove(&key);
    }

    pub(super) fn save_recovery_points(
        &mut self,
        disk: &dyn Disk,
        data_dir: &Path,
        partitions: &[Arc<Partition>],
    ) -> Result<(), LogError> {
        self.save(disk, data_dir, RECOVERY_POINTS, entries(partitions, |kept| kept.recovery_point))
    }

    pub(super) fn save_log_starts(
        &mut self,
        disk: &dyn Disk,
        data_dir: &Path,
        partitions: &[Arc<Partition>],
    ) -> Result<(), LogError> {
        // A log that starts at 0 does so without being told.
        let mut starts = entries(partitions, |kept| kept.log_start);
        starts.retain(|(_, _, start)| *start > 0);
        self.save(disk, data_dir, LOG_STARTS, starts)
    }

    pub(super) fn save_high_watermarks(
        &mut self,
        disk: &dyn Disk,
        data_dir: &Path,
        partitions: &[Arc<Partition>],
    ) -> Result<(), LogError> {
        self.save(disk, data_dir, HIGH_WATERMARKS, entries(partitions, |kept| kept.high_watermark))
    }

    fn save(
        &mut self,
        disk: &dyn Disk,
        data_dir: &Path,
        name: &'static str,
        entries: Entries,
    ) -> Result<(), LogError> {
        if self.written.get(name) == Some(&entries) {
            return Ok(());
        }
        checkpoint::write(disk, &data_dir.join(name), &entries)?;
        self.written.insert(name, entries);
        Ok(())
    }
}

/// Sorted, so that equal states make equal files.
fn entries(partitions: &[Arc<Partition>], offset: impl Fn(KeptOffsets) -> i64) -> Entries {
    let mut entries: Entries = partitions
        .iter()
        .filter_map(|partition| {
            let offset = offset(partition.kept_offsets()?);
            Some((partition.topic().to_string(), partition.index(), offset))
        })
        .collect();
    entries.sort_unstable();
    entries
}
