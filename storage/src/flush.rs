//! Making the log durable: what to sync is noted under the log's lock, synced outside it.

use crate::{
    disk::{Disk, File, is_full},
    epochs::Epochs,
    format::EPOCH_CHECKPOINT,
    log::{Log, LogError},
};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Files to sync, and what is durable afterwards. Made under the log's lock, synced outside it. One at a time per
/// log: two at once would write the same checkpoint.
pub struct Flush {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    logs: Vec<(PathBuf, Arc<dyn File>)>,
    /// Files that are complete and so are synced by name.
    sealed: Vec<PathBuf>,
    new_names: bool,
    epochs: Option<Epochs>,
    /// Version of the epochs that the checkpoint file holds; shared with the log.
    saved_epochs: Arc<AtomicU64>,
    below: i64,
}

impl Flush {
    /// Syncs; the log is durable below the returned offset.
    ///
    /// # Errors
    /// A failed sync is final: the system may have dropped what it could not write, so the process must stop.
    pub fn run(&self) -> Result<i64, LogError> {
        for (path, file) in &self.logs {
            file.sync().map_err(|source| LogError::io(path, source))?;
        }
        for path in &self.sealed {
            let synced = self.disk.open(path, false).and_then(|file| file.sync());
            unless_gone(synced.map_err(|source| LogError::io(path, source)))?;
        }
        if let Some(epochs) = &self.epochs {
            match unless_gone(epochs.save(&*self.disk, &self.dir.join(EPOCH_CHECKPOINT))) {
                // The batches are durable all the same, and tell the epochs: until there is room the recovery point
                // stays, so that they are read again after a crash.
                Err(LogError::Io { source, .. }) if is_full(&source) => {}
                saved => {
                    saved?;
                    self.saved_epochs.store(epochs.version(), Ordering::Release);
                }
            }
        }
        if self.new_names {
            unless_gone(self.disk.sync_dir(&self.dir).map_err(|source| LogError::io(&self.dir, source)))?;
        }
        Ok(self.below)
    }

    /// What [`Self::run`] returns when it succeeds.
    pub fn below(&self) -> i64 {
        self.below
    }
}

/// Retention or the deletion of the whole log may have taken a name away meanwhile; then there is nothing to sync.
fn unless_gone(done: Result<(), LogError>) -> Result<(), LogError> {
    match done {
        Err(LogError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

impl Log {
    /// Notes what is to be synced.
    pub fn begin_flush(&self) -> Flush {
        let mut flush = Flush {
            disk: self.disk.clone(),
            dir: self.dir.clone(),
            logs: Vec::new(),
            sealed: Vec::new(),
            new_names: false,
            epochs: self.epochs_are_unsaved().then(|| self.epochs.clone()),
            saved_epochs: self.saved_epochs.clone(),
            below: self.end_offset(),
        };
        for (at, segment) in self.segments.iter().enumerate().skip(self.first_unsynced()) {
            match segment.file(&*self.disk) {
                Ok(file) => flush.logs.push((segment.log_path().to_owned(), file)),
                // Then syncing it by name fails as well, and says so.
                Err(_) => flush.sealed.push(segment.log_path().to_owned()),
            }
            flush.new_names |= !segment.name_synced;
            if at + 1 < self.segments.len() {
                flush.sealed.extend([segment.offsets.path.clone(), segment.times.path.clone()]);
            }
        }
        flush
    }

    /// Records the outcome of [`Flush::run`].
    pub fn flushed(&mut self, below: i64) {
        for segment in self.segments.iter_mut().filter(|segment| segment.base_offset < below) {
            segment.name_synced = true;
        }
        if !self.epochs_are_unsaved() {
            self.recovery_point = self.recovery_point.max(below.min(self.end_offset()));
        }
    }

    /// Everything below is durable.
    pub fn recovery_point(&self) -> i64 {
        self.recovery_point
    }

    /// Is a sealed segment not synced yet? After a roll somebody should flush in the background, so that a restart
    /// has little to check.
    pub fn wants_background_flush(&self) -> bool {
        self.first_unsynced() + 1 < self.segments.len()
    }

    /// Records that are not durable yet.
    pub fn unflushed_records(&self) -> i64 {
        self.end_offset() - self.recovery_point
    }

    fn epochs_are_unsaved(&self) -> bool {
        self.epochs.version() != self.saved_epochs.load(Ordering::Acquire)
    }

    /// A segment is synced once the recovery point lies beyond its end: at its end, the batches are durable, and the
    /// indexes that were completed afterwards perhaps not.
    fn first_unsynced(&self) -> usize {
        let synced = |next: &crate::segment::Segment| next.base_offset < self.recovery_point;
        self.segments.iter().skip(1).take_while(|next| synced(next)).count()
    }
}
