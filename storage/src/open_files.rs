//! The bound on open log files. The system's limit is the process's, and so is this.
//!
//! Files stay open while there is room, since the next append or read most likely needs them again. Over the bound
//! the ones that were not used for longest are closed; whoever still reads one keeps it to the end, and whoever needs
//! it later opens it again.

use crate::segment::LogFile;
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Used until somebody says what the system allows.
const DEFAULT_LIMIT: usize = 512;

/// Sets how many log files may stay open in the whole process; fewer are closed when they are next looked at.
pub fn set_limit(files: usize) {
    OPEN_FILES.limit.store(files.max(1), Ordering::Relaxed);
}

/// Closes about half of the files that nobody uses at this moment: somebody else needs the room.
pub fn make_room() {
    let mut clock = OPEN_FILES.clock();
    let half = clock.len() / 2;
    close_down_to(&mut clock, half);
}

pub(crate) static OPEN_FILES: OpenFiles =
    OpenFiles { limit: AtomicUsize::new(DEFAULT_LIMIT), clock: Mutex::new(VecDeque::new()) };

pub(crate) struct OpenFiles {
    limit: AtomicUsize,
    /// Each open file once; the hand of the clock is at the front. A file that was used since the hand last came by
    /// has another round.
    clock: Mutex<VecDeque<Weak<LogFile>>>,
}

impl OpenFiles {
    /// Takes in a file that was opened; over the limit others are closed for it.
    pub fn admit(&self, file: &Arc<LogFile>) {
        let mut clock = self.clock();
        if file.enter_pool() {
            clock.push_back(Arc::downgrade(file));
        }
        close_down_to(&mut clock, self.limit.load(Ordering::Relaxed));
    }

    fn clock(&self) -> std::sync::MutexGuard<'_, VecDeque<Weak<LogFile>>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Turns the hand until so many are left, twice around at most: files in use by others at this moment stay.
fn close_down_to(clock: &mut VecDeque<Weak<LogFile>>, wanted: usize) {
    for _ in 0..2 * clock.len() {
        if clock.len() <= wanted {
            return;
        }
        let Some(next) = clock.pop_front() else { return };
        if let Some(file) = next.upgrade()
            && !file.leave_pool()
        {
            clock.push_back(next);
        }
    }
}
