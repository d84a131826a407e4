//! Reading: which stretch of which file answers a fetch, found under the log's lock, read outside it.

use crate::{
    disk::{Disk, Wait, read_up_to},
    log::{Log, LogError, ReadError},
    segment::LogFile,
};
use bytes::Bytes;
use std::{io, sync::Arc};

/// A stretch of whole batches in one segment file; cheap to make under a lock, read outside it.
///
/// It keeps no file open: thousands of them may wait to be read. One whose segment was deleted meanwhile can be read
/// as long as the file happens to be open still.
pub struct Slice {
    disk: Arc<dyn Disk>,
    file: Arc<LogFile>,
    position: u64,
    len: usize,
}

impl Slice {
    /// Never 0.
    pub fn byte_len(&self) -> usize {
        self.len
    }

    /// Reads when everything is in the page cache; `None` when the disk would be waited for.
    pub fn read_cached(&self) -> Result<Option<Bytes>, LogError> {
        unless_blocked(self.read_with(Wait::Never))
    }

    /// Reads, waiting for the disk as need be.
    pub fn read(&self) -> Result<Bytes, LogError> {
        self.read_with(Wait::Block)
    }

    fn read_with(&self, wait: Wait) -> Result<Bytes, LogError> {
        let mut bytes = vec![0; self.len];
        let file = self.file.get(&*self.disk, false)?;
        let read = read_up_to(&*file, &mut bytes, self.position, wait)
            .map_err(|source| LogError::io(self.file.path(), source))?;
        match read == self.len {
            true => Ok(bytes.into()),
            false => Err(self.cut()),
        }
    }

    /// Fills `into` with the bytes from `at` on; `false` when the disk would have to be waited for and may not.
    ///
    /// # Panics
    /// When that is beyond the end.
    pub fn read_part(&self, at: usize, into: &mut [u8], wait: Wait) -> Result<bool, LogError> {
        assert!(at + into.len() <= self.len, "only what is there is read");
        let file = self.file.get(&*self.disk, false)?;
        let read = read_up_to(&*file, into, self.position + at as u64, wait)
            .map_err(|source| LogError::io(self.file.path(), source));
        match unless_blocked(read)? {
            None => Ok(false),
            Some(read) if read == into.len() => Ok(true),
            Some(_) => Err(self.cut()),
        }
    }

    fn cut(&self) -> LogError {
        LogError::Damaged {
            path: self.file.path().to_owned(),
            what: format!("less than {} bytes at {}", self.len, self.position),
        }
    }
}

/// `None` when the error is that the disk would have to be waited for.
fn unless_blocked<T>(read: Result<T, LogError>) -> Result<Option<T>, LogError> {
    match read {
        Err(LogError::Io { source, .. }) if source.kind() == io::ErrorKind::WouldBlock => Ok(None),
        other => other.map(Some),
    }
}

impl std::fmt::Debug for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slice({} +{} of {})", self.position, self.len, self.file.path().display())
    }
}

impl Log {
    /// Whole batches from the one that holds `offset`, below `upper`, at most `max_bytes`; with `at_least_one`
    /// the first batch even when it is larger. `None`: nothing there.
    ///
    /// # Errors
    /// `OutOfRange` when `offset` lies below the start or above the end.
    pub fn locate(
        &self,
        offset: i64,
        max_bytes: usize,
        upper: i64,
        at_least_one: bool,
    ) -> Result<Option<Slice>, ReadError> {
        self.locate_with(offset, max_bytes, upper, at_least_one, Wait::Block)
    }

    /// Like [`Self::locate`] without ever waiting for the disk: the outer `None` says that it would have to be, so
    /// ask again where waiting is allowed.
    pub fn locate_cached(
        &self,
        offset: i64,
        max_bytes: usize,
        upper: i64,
        at_least_one: bool,
    ) -> Result<Option<Option<Slice>>, ReadError> {
        match self.locate_with(offset, max_bytes, upper, at_least_one, Wait::Never) {
            Err(ReadError::Log(error)) => Ok(unless_blocked(Err(error))?),
            other => other.map(Some),
        }
    }

    fn locate_with(
        &self,
        offset: i64,
        max_bytes: usize,
        upper: i64,
        at_least_one: bool,
        wait: Wait,
    ) -> Result<Option<Slice>, ReadError> {
        let (start, end) = (self.start_offset(), self.end_offset());
        if offset < start || offset > end {
            return Err(ReadError::OutOfRange { offset, start, end });
        }
        let upper = upper.min(end);
        if offset >= upper {
            return Ok(None);
        }
        // Compaction may leave nothing at or after the offset in its own segment; then the next ones have it.
        for at in self.segment_of(offset)..self.segments.len() {
            // Held, so that the steps below do not open it again.
            let _file = self.segments[at].file(&*self.disk)?;
            if let Some(first) = self.segments[at].find(&*self.disk, offset, wait)? {
                if first.header.last_offset() >= upper {
                    return Ok(None);
                }
                if first.header.byte_len() > max_bytes as u64 {
                    return Ok(match at_least_one {
                        true => Some(self.slice(at, first.position, first.end())),
                        false => None,
                    });
                }
                let end = self.stretch_end(at, first.position, max_bytes, upper, wait)?;
                return Ok(Some(self.slice(at, first.position, end)));
            }
        }
        Ok(None)
    }

    /// Where the stretch from `position` ends: whole batches, at most `max_bytes`, all below `upper`.
    fn stretch_end(
        &self,
        at: usize,
        position: u64,
        max_bytes: usize,
        upper: i64,
        wait: Wait,
    ) -> Result<u64, LogError> {
        let segment = &self.segments[at];
        let segment_end = self.segments.get(at + 1).map_or(self.end_offset(), |next| next.base_offset);
        let below_upper = match upper >= segment_end {
            true => segment.len,
            false => segment.find(&*self.disk, upper, wait)?.map_or(segment.len, |beyond| beyond.position),
        };
        let limit = position.saturating_add(max_bytes as u64);
        match below_upper <= limit {
            true => Ok(below_upper),
            false => segment.boundary_before(&*self.disk, position, limit, wait),
        }
    }

    fn slice(&self, at: usize, position: u64, end: u64) -> Slice {
        let file = self.segments[at].log_file().clone();
        Slice { disk: self.disk.clone(), file, position, len: (end - position) as usize }
    }
}
