//! What may go: segments below the log start, beyond the size bound, or past their time. And truncation.
//!
//! Files are renamed first and unlinked later, so that readers who found them still can read. Whole segments only.

use crate::{
    disk::Wait,
    format::suffix,
    log::{Log, LogError},
    segment::Segment,
};
use std::{io, path::PathBuf};

/// A renamed file that is to be unlinked from `due_ms` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDeletion {
    pub path: PathBuf,
    pub due_ms: i64,
}

impl Log {
    /// Records below become invisible at once; files go with retention. An offset at or below the start changes
    /// nothing.
    ///
    /// # Panics
    /// When `offset` lies above the end: the caller has looked.
    pub fn raise_start_offset(&mut self, offset: i64) -> Result<(), LogError> {
        self.set_start_offset(offset);
        Ok(())
    }

    /// Deletes what may go; returns how many segments went. Also rebuilds indexes that reads found damaged.
    pub fn apply_retention(&mut self, now_ms: i64) -> Result<usize, LogError> {
        self.rebuild_distrusted()?;
        let mut deleted = self.delete_oldest(self.below_start(), now_ms)?;
        if self.config().delete {
            deleted += self.delete_oldest(self.beyond_size(), now_ms)?;
            deleted += self.delete_oldest(self.past_time(now_ms)?, now_ms)?;
        }
        Ok(deleted)
    }

    /// Renamed files whose time has come; they are the caller's to unlink.
    pub fn take_due_deletions(&mut self, now_ms: i64) -> Vec<PathBuf> {
        let (due, later) =
            std::mem::take(&mut self.deletions).into_iter().partition(|file| file.due_ms <= now_ms);
        self.deletions = later;
        let due: Vec<DueDeletion> = due;
        due.into_iter().map(|file| file.path).collect()
    }

    /// Cuts the log at the last batch boundary at or below `end_offset`.
    pub fn truncate(&mut self, end_offset: i64) -> Result<(), LogError> {
        if end_offset >= self.end_offset() {
            return Ok(());
        }
        self.drop_segments_from(end_offset)?;
        self.cut_active(end_offset)?;
        self.epochs.cut_end(self.end_offset());
        self.rebuild_producers()
    }

    /// Segments that end at or below the log start, with any policy.
    fn below_start(&self) -> usize {
        self.segments.windows(2).take_while(|two| two[1].base_offset <= self.start_offset()).count()
    }

    /// Segments without which the log still has the size it may have.
    fn beyond_size(&self) -> usize {
        let Ok(most) = u64::try_from(self.config().retention_bytes) else { return 0 };
        let mut over = self.size_bytes().saturating_sub(most);
        let goes = |segment: &&Segment| {
            let fits = segment.len <= over && segment.len > 0;
            over = over.saturating_sub(segment.len);
            fits
        };
        self.segments.iter().take_while(goes).count()
    }

    /// Segments whose newest record is too old. One with a timestamp in the future stays, and all after it.
    fn past_time(&self, now_ms: i64) -> Result<usize, LogError> {
        let most = self.config().retention_ms;
        if most < 0 {
            return Ok(0);
        }
        for (at, segment) in self.segments.iter().enumerate() {
            let newest = self.newest_ms(segment)?;
            if newest > now_ms {
                tracing::warn!(segment = %segment.log_path().display(), newest, "a timestamp in the future keeps this");
            }
            let is_empty_active = segment.len == 0 && at + 1 == self.segments.len();
            if is_empty_active || now_ms.saturating_sub(newest) <= most {
                return Ok(at);
            }
        }
        Ok(self.segments.len())
    }

    fn newest_ms(&self, segment: &Segment) -> Result<i64, LogError> {
        if segment.largest.timestamp >= 0 {
            return Ok(segment.largest.timestamp);
        }
        let stat =
            self.disk.stat(segment.log_path()).map_err(|source| LogError::io(segment.log_path(), source))?;
        Ok(stat.modified_ms)
    }

    /// Deletes the first `count` segments; when that is all, a new one keeps the end offset.
    fn delete_oldest(&mut self, count: usize, now_ms: i64) -> Result<usize, LogError> {
        if count == 0 {
            return Ok(0);
        }
        if count == self.segments.len() {
            self.roll(now_ms)?;
        }
        let due_ms = now_ms.saturating_add(self.config().file_delete_delay_ms);
        for _ in 0..count {
            let next_base = self.segments[1].base_offset;
            let paths = self.segments[0].paths();
            for path in paths {
                self.move_aside(path, due_ms)?;
            }
            self.segments.remove(0);
            self.set_start_offset(next_base);
        }
        Ok(count)
    }

    fn move_aside(&mut self, path: PathBuf, due_ms: i64) -> Result<(), LogError> {
        let mut aside = path.clone().into_os_string();
        aside.push(suffix::DELETED);
        let aside = PathBuf::from(aside);
        match self.disk.rename_unsynced(&path, &aside) {
            Ok(()) => {
                self.deletions.push(DueDeletion { path: aside, due_ms });
                Ok(())
            }
            // Not every segment has every file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(LogError::io(&path, source)),
        }
    }

    fn drop_segments_from(&mut self, end_offset: i64) -> Result<(), LogError> {
        while self.segments.len() > 1
            && self.segments.last().is_some_and(|last| last.base_offset >= end_offset)
        {
            let last = self.segments.pop().expect("there is more than one");
            for path in last.paths() {
                self.disk.remove(&path).map_err(|source| LogError::io(&path, source))?;
            }
            self.set_end_offset(last.base_offset);
        }
        Ok(())
    }

    fn cut_active(&mut self, end_offset: i64) -> Result<(), LogError> {
        let (disk, interval) = (self.disk.clone(), self.config().index_interval_bytes);
        let Some(active) = self.segments.last_mut() else { return Ok(()) };
        let Some(first_gone) = active.find(&*disk, end_offset, Wait::Block)? else { return Ok(()) };
        let file = active.file(&*disk)?;
        file.set_len(first_gone.position).map_err(|source| LogError::io(active.log_path(), source))?;
        let end = active.reindex(&*disk, first_gone.position, interval)?;
        self.set_end_offset(end);
        Ok(())
    }

    fn rebuild_distrusted(&mut self) -> Result<(), LogError> {
        let (disk, interval) = (self.disk.clone(), self.config().index_interval_bytes);
        let count = self.segments.len();
        for (at, segment) in
            self.segments.iter_mut().enumerate().filter(|(_, segment)| segment.is_distrusted())
        {
            segment.reindex(&*disk, segment.len, interval)?;
            if at + 1 < count {
                segment.seal(&*disk)?;
            }
        }
        Ok(())
    }

    fn rebuild_producers(&mut self) -> Result<(), LogError> {
        let now_ms = i64::MIN;
        self.producers = crate::recovery::load_producers(
            &*self.disk,
            &self.dir,
            &self.segments,
            self.end_offset(),
            now_ms,
            self.config().producer_id_expiration_ms,
        )?;
        self.write_snapshot()
    }
}
