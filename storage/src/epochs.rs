//! Where each leader epoch begins in the log; the file `leader-epoch-checkpoint`.
//!
//! Both columns rise strictly. The file is written with a flush and not with an append: whatever lies above the
//! recovery point is read back from the batch headers.

use crate::{checkpoint, disk::Disk, log::LogError};
use std::path::Path;

/// Epochs and their first offsets, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Epochs {
    entries: Vec<(i32, i64)>,
    /// Counts changes, so that one can tell whether the file holds them.
    version: u64,
}

impl Epochs {
    /// `None` when there is no file or it makes no sense.
    pub fn load(disk: &dyn Disk, path: &Path) -> Result<Option<Self>, LogError> {
        let lines = match checkpoint::read_lines(disk, path) {
            Ok(Some(lines)) => lines,
            Ok(None) | Err(LogError::Damaged { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let parse = |line: &String| {
            let (epoch, start) = line.trim().split_once(' ')?;
            Some((epoch.parse::<i32>().ok()?, start.parse::<i64>().ok()?))
        };
        let entries: Option<Vec<_>> = lines.iter().map(parse).collect();
        let rises = |entries: &Vec<(i32, i64)>| {
            entries.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
        };
        Ok(entries.filter(rises).map(|entries| Self { entries, version: 0 }))
    }

    pub fn save(&self, disk: &dyn Disk, path: &Path) -> Result<(), LogError> {
        let line = |(epoch, start): &(i32, i64)| format!("{epoch} {start}");
        checkpoint::write_lines(disk, path, self.entries.iter().map(line).collect())
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    /// A batch of `epoch` starts at `offset`.
    pub fn note(&mut self, epoch: i32, offset: i64) {
        if epoch < 0 || self.entries.last().is_some_and(|&(latest, _)| latest >= epoch) {
            return;
        }
        self.entries.retain(|&(_, start)| start < offset);
        self.entries.push((epoch, offset));
        self.version += 1;
    }

    /// Epoch of the batch that holds `offset`.
    pub fn of(&self, offset: i64) -> Option<i32> {
        let at = self.entries.partition_point(|&(_, start)| start <= offset);
        Some(self.entries[at.checked_sub(1)?].0)
    }

    /// The largest epoch not above `epoch` and where the next one starts, when the log ends at `log_end` in epoch
    /// `current`. Below the oldest known epoch: `epoch` itself and the start of the oldest (KIP-101, KIP-279).
    pub fn end_of(&self, epoch: i32, current: i32, log_end: i64) -> Option<(i32, i64)> {
        if epoch < 0 || epoch > current {
            return None;
        }
        if epoch == current {
            return Some((current, log_end));
        }
        let above = self.entries.partition_point(|&(known, _)| known <= epoch);
        let end = self.entries.get(above).map_or(log_end, |&(_, start)| start);
        let floor = above.checked_sub(1).map_or(epoch, |at| self.entries[at].0);
        Some((floor, end))
    }

    /// The log now ends at `end`.
    pub fn cut_end(&mut self, end: i64) {
        let before = self.entries.len();
        self.entries.retain(|&(_, start)| start < end);
        self.version += u64::from(self.entries.len() != before);
    }

    /// The log now starts at `start`: an epoch that began earlier begins there.
    pub fn cut_start(&mut self, start: i64) {
        let keep_from = self.entries.partition_point(|&(_, first)| first <= start).saturating_sub(1);
        self.version += u64::from(keep_from > 0);
        self.entries.drain(..keep_from);
        if let Some((_, first)) = self.entries.first_mut().filter(|(_, first)| *first < start) {
            *first = start;
            self.version += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    fn known() -> Epochs {
        let mut epochs = Epochs::default();
        for (epoch, offset) in [(0, 0), (0, 5), (2, 10), (2, 11), (5, 20)] {
            epochs.note(epoch, offset);
        }
        epochs
    }

    #[test]
    fn offsets_belong_to_the_epoch_that_began_last() {
        let epochs = known();
        for (offset, epoch) in [(0, 0), (9, 0), (10, 2), (19, 2), (20, 5), (1000, 5)] {
            assert_eq!(epochs.of(offset), Some(epoch), "{offset}");
        }
        assert_eq!(Epochs::default().of(0), None);
    }

    #[test]
    fn an_epoch_ends_where_the_next_known_one_starts() {
        let epochs = known();
        let end = |epoch| epochs.end_of(epoch, 7, 30);
        assert_eq!(end(0), Some((0, 10)));
        assert_eq!(end(1), Some((0, 10)), "an epoch without records: the largest below");
        assert_eq!(end(4), Some((2, 20)));
        assert_eq!(end(6), Some((5, 30)));
        assert_eq!(end(7), Some((7, 30)));
        assert_eq!((end(8), end(-1)), (None, None));
        let mut trimmed = epochs.clone();
        trimmed.cut_start(12);
        assert_eq!(trimmed.end_of(0, 7, 30), Some((0, 12)));
    }

    #[test]
    fn cuts_follow_the_log() {
        let mut epochs = known();
        epochs.cut_end(20);
        assert_eq!(epochs.entries, [(0, 0), (2, 10)]);
        epochs.cut_start(10);
        assert_eq!(epochs.entries, [(2, 10)]);
        epochs.cut_start(15);
        assert_eq!(epochs.entries, [(2, 15)]);
        epochs.note(3, 15);
        assert_eq!(epochs.entries, [(3, 15)], "an epoch without offsets leaves no entry");
    }

    #[test]
    fn the_file_is_kafkas_and_nonsense_in_it_is_noticed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join(crate::format::EPOCH_CHECKPOINT);
        assert_eq!(Epochs::load(&RealDisk, &path).expect("no error"), None);
        known().save(&RealDisk, &path).expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "0\n3\n0 0\n2 10\n5 20\n");
        assert_eq!(Epochs::load(&RealDisk, &path).expect("reads").expect("sane").entries, known().entries);
        for text in ["0\n2\n1 0\n0 5\n", "0\n2\n0 5\n1 5\n", "0\n1\nx 5\n", "", "garbage"] {
            std::fs::write(&path, text).expect("writes");
            assert_eq!(Epochs::load(&RealDisk, &path).expect("no error"), None, "{text:?}");
        }
    }
}
