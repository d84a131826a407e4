//! One segment: a file of batches back to back, and its two sparse indexes.
//!
//! A segment finds batches and accounts for them. When to start a new one and when to delete one is decided
//! elsewhere.

mod scan;

pub(crate) use scan::{HeaderScan, verify};

use crate::{
    batch::{Codec, Header},
    disk::{Disk, File, Wait},
    format::{NO_TIMESTAMP, file_name, suffix},
    index::{Entry, Index, OffsetEntry, TimeEntry},
    log::LogError,
    open_files::OPEN_FILES,
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

/// The batch with the largest timestamp of a segment; the first of them when there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Largest {
    pub timestamp: i64,
    pub last_offset: i64,
}

/// A batch and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub position: u64,
    pub header: Header,
}

impl Located {
    pub fn end(&self) -> u64 {
        self.position + self.header.byte_len()
    }
}

pub(crate) struct Segment {
    pub base_offset: i64,
    /// Bytes of whole batches; the file may be longer while space is set aside.
    pub len: u64,
    pub offsets: Index<OffsetEntry>,
    pub times: Index<TimeEntry>,
    pub largest: Largest,
    /// Largest timestamp of the first batch: the age of the segment is counted from it.
    pub first_timestamp: Option<i64>,
    pub created_ms: i64,
    /// Its name was made durable.
    pub name_synced: bool,
    bytes_since_entry: u64,
    log: Arc<LogFile>,
    /// An entry was followed that led nowhere: the indexes are to be rebuilt.
    distrusted: AtomicBool,
}

impl Segment {
    /// A segment without batches; touches no file.
    pub fn empty(dir: &Path, base_offset: i64, created_ms: i64) -> Self {
        let path = |suffix| dir.join(file_name(base_offset, suffix));
        Self {
            base_offset,
            len: 0,
            offsets: Index::empty(path(suffix::INDEX)),
            times: Index::empty(path(suffix::TIME_INDEX)),
            largest: Largest { timestamp: NO_TIMESTAMP, last_offset: base_offset },
            first_timestamp: None,
            created_ms,
            name_synced: false,
            bytes_since_entry: 0,
            log: Arc::new(LogFile::closed(path(suffix::LOG))),
            distrusted: AtomicBool::new(false),
        }
    }

    pub fn log_path(&self) -> &Path {
        &self.log.path
    }

    pub fn log_file(&self) -> &Arc<LogFile> {
        &self.log
    }

    /// The log file, opened when it is not.
    pub fn file(&self, disk: &dyn Disk) -> Result<Arc<dyn File>, LogError> {
        self.log.get(disk, false)
    }

    /// The log file, created when there is none: for a segment that is new.
    pub fn make_file(&self, disk: &dyn Disk) -> Result<Arc<dyn File>, LogError> {
        self.log.get(disk, true)
    }

    /// Lets go of the file; it is opened again when it is needed.
    pub fn release(&self) {
        self.log.release();
    }

    /// Takes note of a batch that was written at [`Self::len`].
    pub fn note(&mut self, header: &Header, index_interval_bytes: u32) {
        let relative =
            |offset: i64| u32::try_from(offset - self.base_offset).expect("a roll keeps offsets in range");
        let entry_due = self.bytes_since_entry > u64::from(index_interval_bytes);
        // Beyond 4 GiB no entry can point; no writer makes such a segment.
        if entry_due && let Ok(position) = u32::try_from(self.len) {
            self.offsets.push(OffsetEntry { relative: relative(header.last_offset()), position });
        }
        if header.max_timestamp > self.largest.timestamp {
            self.largest = Largest { timestamp: header.max_timestamp, last_offset: header.last_offset() };
        }
        if entry_due {
            self.push_time_entry();
            self.bytes_since_entry = 0;
        }
        self.first_timestamp.get_or_insert(header.max_timestamp);
        self.len += header.byte_len();
        self.bytes_since_entry += header.byte_len();
    }

    /// Makes the indexes again from the batches in the first `len` bytes, which are all that is left. Returns the
    /// offset behind the last of them.
    pub fn reindex(&mut self, disk: &dyn Disk, len: u64, index_interval_bytes: u32) -> Result<i64, LogError> {
        let file = self.file(disk)?;
        let path = self.log.path.clone();
        let mut scan = HeaderScan::new(&*file, &path, 0, len, Wait::Block);
        self.offsets = Index::empty(self.offsets.path.clone());
        self.times = Index::empty(self.times.path.clone());
        self.largest = Largest { timestamp: NO_TIMESTAMP, last_offset: self.base_offset };
        (self.first_timestamp, self.len, self.bytes_since_entry) = (None, 0, 0);
        let mut end = self.base_offset;
        while let Some(located) = scan.next()? {
            self.note(&located.header, index_interval_bytes);
            end = located.header.last_offset() + 1;
        }
        self.distrusted.store(false, Ordering::Relaxed);
        Ok(end)
    }

    /// Adds what is known of the largest timestamp to the time index, unless that knows it.
    fn push_time_entry(&mut self) {
        let known = self.times.last().map_or(NO_TIMESTAMP, |entry| entry.timestamp);
        if self.largest.timestamp > known {
            let relative =
                u32::try_from(self.largest.last_offset - self.base_offset).expect("offsets are in range");
            self.times.push(TimeEntry { timestamp: self.largest.timestamp, relative });
        }
    }

    /// Is an index so long that no entry may be added? `index_bytes` bounds each of the two files.
    pub fn index_is_full(&self, index_bytes: u32) -> bool {
        let full = |len: usize, entry_len: usize, spare: usize| {
            let most = (index_bytes as usize / entry_len).max(1 + spare) - spare;
            len >= most
        };
        // The time index keeps room for the entry that sealing adds.
        full(self.offsets.len(), OffsetEntry::LEN, 0) || full(self.times.len(), TimeEntry::LEN, 1)
    }

    /// Counts the bytes since the last entry, for a segment that was loaded.
    pub fn resume_entries(&mut self) {
        self.bytes_since_entry = self.len - self.offsets.last().map_or(0, |entry| u64::from(entry.position));
    }

    /// Writes long runs of index entries; never fails, since the entries can wait.
    pub fn spill_indexes(&mut self, disk: &dyn Disk) {
        let spilled = self.offsets.spill(disk).and_then(|()| self.times.spill(disk));
        if let Err(error) = spilled {
            tracing::warn!(segment = %self.log.path.display(), %error, "index entries cannot be written yet");
        }
    }

    /// Completes the files: indexes written, space set aside given back.
    pub fn seal(&mut self, disk: &dyn Disk) -> Result<(), LogError> {
        self.push_time_entry();
        self.offsets.write(disk).map_err(|source| LogError::io(&self.offsets.path, source))?;
        self.times.write(disk).map_err(|source| LogError::io(&self.times.path, source))?;
        let file = self.file(disk)?;
        let trimmed = file.len().and_then(|len| if len > self.len { file.set_len(self.len) } else { Ok(()) });
        trimmed.map_err(|source| LogError::io(&self.log.path, source))
    }

    /// The first batch that ends at or after `offset`; `None` when all end before it.
    pub fn find(&self, disk: &dyn Disk, offset: i64, wait: Wait) -> Result<Option<Located>, LogError> {
        if self.len == 0 {
            return Ok(None);
        }
        let hint = self.floor(disk, wait, |entry| self.base_offset + i64::from(entry.relative) <= offset)?;
        let file = self.file(disk)?;
        let mut scan =
            HeaderScan::new(&*file, self.log_path(), self.trusted_start(&*file, hint, wait)?, self.len, wait);
        while let Some(located) = scan.next()? {
            if located.header.last_offset() >= offset {
                return Ok(Some(located));
            }
        }
        Ok(None)
    }

    /// The end of the last batch that ends at or before `limit`, looking from the batch boundary `from` on.
    pub fn boundary_before(
        &self,
        disk: &dyn Disk,
        from: u64,
        limit: u64,
        wait: Wait,
    ) -> Result<u64, LogError> {
        let hint = self.floor(disk, wait, |entry| u64::from(entry.position) <= limit)?;
        let file = self.file(disk)?;
        let start = self.trusted_start(&*file, hint, wait)?.max(from);
        let mut scan = HeaderScan::new(&*file, self.log_path(), start, self.len, wait);
        let mut boundary = start;
        while let Some(located) = scan.next()? {
            if located.end() > limit {
                break;
            }
            boundary = located.end();
        }
        Ok(boundary)
    }

    /// All headers from `position` (a batch boundary) on.
    pub fn headers<'a>(&'a self, file: &'a dyn File, position: u64) -> HeaderScan<'a> {
        HeaderScan::new(file, self.log_path(), position, self.len, Wait::Block)
    }

    fn floor(
        &self,
        disk: &dyn Disk,
        wait: Wait,
        below: impl Fn(&OffsetEntry) -> bool,
    ) -> Result<Option<OffsetEntry>, LogError> {
        match self.offsets.floor(disk, wait, below) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(LogError::io(&self.offsets.path, error))
            }
            // An index that cannot be read is a hint less, no more.
            Err(error) => {
                self.distrust(&error);
                Ok(None)
            }
            Ok(floor) => Ok(floor),
        }
    }

    /// Where to start scanning: at the hint if it leads to the batch it speaks of, else at the beginning.
    fn trusted_start(&self, file: &dyn File, hint: Option<OffsetEntry>, wait: Wait) -> Result<u64, LogError> {
        let Some(entry) = hint else { return Ok(0) };
        if self.leads_to_batch(file, entry, wait)? {
            return Ok(u64::from(entry.position));
        }
        self.distrust(&"an entry leads to no batch");
        Ok(0)
    }

    fn leads_to_batch(&self, file: &dyn File, entry: OffsetEntry, wait: Wait) -> Result<bool, LogError> {
        // The first batch of a segment has no entry, so position 0 is the zeros of a file that was not completed.
        if entry.position == 0 {
            return Ok(false);
        }
        let mut scan = HeaderScan::new(file, self.log_path(), u64::from(entry.position), self.len, wait);
        let expected = self.base_offset + i64::from(entry.relative);
        Ok(scan.peek()?.is_some_and(|located| located.header.last_offset() == expected))
    }

    /// Are the last entries of both indexes about batches of this segment?
    pub fn indexes_are_sane(&self, disk: &dyn Disk, index_interval_bytes: u32) -> Result<bool, LogError> {
        let file = self.file(disk)?;
        let offsets = match self.offsets.last() {
            Some(entry) => self.leads_to_batch(&*file, entry, Wait::Block)?,
            None => !self.has_batch_beyond(&*file, u64::from(index_interval_bytes))?,
        };
        let times = match self.times.last() {
            Some(entry) => self.carries(disk, entry)?,
            // Completing a segment adds an entry, unless nothing in it has a timestamp.
            None => self.headers(&*file, 0).peek()?.is_some_and(|first| first.header.max_timestamp < 0),
        };
        Ok(offsets && times)
    }

    /// Does a batch start beyond `position`? Then there would have to be an entry.
    fn has_batch_beyond(&self, file: &dyn File, position: u64) -> Result<bool, LogError> {
        let mut scan = HeaderScan::new(file, self.log_path(), 0, self.len, Wait::Block);
        while let Some(located) = scan.next()? {
            if located.position > position {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the batch that a time entry speaks of exist, and carry that timestamp?
    pub fn carries(&self, disk: &dyn Disk, entry: TimeEntry) -> Result<bool, LogError> {
        let offset = self.base_offset + i64::from(entry.relative);
        let found = self.find(disk, offset, Wait::Block)?;
        Ok(found
            .is_some_and(|b| b.header.last_offset() == offset && b.header.max_timestamp == entry.timestamp))
    }

    pub fn distrust(&self, why: &dyn std::fmt::Display) {
        if !self.distrusted.swap(true, Ordering::Relaxed) {
            tracing::warn!(segment = %self.log.path.display(), %why, "damaged index");
        }
    }

    pub fn is_distrusted(&self) -> bool {
        self.distrusted.load(Ordering::Relaxed)
    }

    /// Reads a whole batch that is known to be there.
    pub fn read_batch(&self, disk: &dyn Disk, located: &Located) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; located.header.byte_len() as usize];
        let file = self.file(disk)?;
        let len = crate::disk::read_up_to(&*file, &mut bytes, located.position, Wait::Block)
            .map_err(|source| LogError::io(self.log_path(), source))?;
        match len == bytes.len() {
            true => Ok(bytes),
            false => Err(self.damaged(format!("the batch at {} is cut", located.position))),
        }
    }

    pub fn damaged(&self, what: String) -> LogError {
        LogError::Damaged { path: self.log.path.clone(), what }
    }

    /// All files the segment may have, the log first.
    pub fn paths(&self) -> Vec<PathBuf> {
        let suffixes = [suffix::LOG, suffix::INDEX, suffix::TIME_INDEX, suffix::TXN_INDEX, suffix::SNAPSHOT];
        suffixes.map(|suffix| self.log.path.with_file_name(file_name(self.base_offset, suffix))).into()
    }
}

/// A log file that is opened when it is first used, and may be closed between uses.
pub(crate) struct LogFile {
    path: PathBuf,
    open: Mutex<Open>,
    /// Used since the pool last looked.
    used: AtomicBool,
    /// The pool of open files knows of it. Changed under the pool's lock only.
    pooled: AtomicBool,
    /// The log let go of it: another log's file may have the name by now, so that it must not be opened again.
    gone: AtomicBool,
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.log.gone.store(true, Ordering::Relaxed);
    }
}

enum Open {
    Closed,
    /// Kept open by whoever still reads, if anybody does.
    Weak(Weak<dyn File>),
    Strong(Arc<dyn File>),
}

impl LogFile {
    fn closed(path: PathBuf) -> Self {
        let [used, pooled, gone] = [const { AtomicBool::new(false) }; 3];
        Self { path, open: Mutex::new(Open::Closed), used, pooled, gone }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file, opened when it is not.
    pub(crate) fn get(self: &Arc<Self>, disk: &dyn Disk, create: bool) -> Result<Arc<dyn File>, LogError> {
        self.used.store(true, Ordering::Relaxed);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match &*open {
            Open::Closed => None,
            Open::Weak(file) => file.upgrade(),
            Open::Strong(file) => return Ok(file.clone()),
        };
        let file = match known {
            Some(file) => file,
            None => self.open(disk, create).map_err(|source| LogError::io(&self.path, source))?,
        };
        *open = Open::Strong(file.clone());
        // Without the lock: the pool looks into files while it holds its own.
        drop(open);
        OPEN_FILES.admit(self);
        Ok(file)
    }

    fn open(&self, disk: &dyn Disk, create: bool) -> io::Result<Arc<dyn File>> {
        match self.gone.load(Ordering::Relaxed) {
            true => Err(io::Error::new(io::ErrorKind::NotFound, "the segment was deleted")),
            false => disk.open(&self.path, create),
        }
    }

    fn release(&self) {
        weaken(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// False when the pool knows of it already. For the pool alone.
    pub(crate) fn enter_pool(&self) -> bool {
        !self.pooled.swap(true, Ordering::Relaxed)
    }

    /// Closes the file, unless it was used since the last call or is being opened. For the pool alone.
    pub(crate) fn leave_pool(&self) -> bool {
        let Ok(mut open) = self.open.try_lock() else { return false };
        if matches!(*open, Open::Strong(_)) && self.used.swap(false, Ordering::Relaxed) {
            return false;
        }
        weaken(&mut open);
        self.pooled.store(false, Ordering::Relaxed);
        true
    }
}

fn weaken(open: &mut Open) {
    if let Open::Strong(file) = open {
        *open = Open::Weak(Arc::downgrade(file));
    }
}

impl LogError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// Codecs need not be known to find a batch; to look inside they do.
pub(crate) fn is_readable(header: &Header) -> bool {
    Codec::from_attributes(header.attributes).is_some()
}
