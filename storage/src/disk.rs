//! The seam at the disk: the few verbs on files and folders that the log needs.
//!
//! The log runs on [`RealDisk`] and, in tests, on [`crashing::CrashingDisk`], which loses what was not synced,
//! tears writes, fills up and fails syncs. Production code therefore needs no fault hooks.

mod real;

#[doc(hidden)]
pub mod crashing;

pub use real::RealDisk;

use std::{io, io::IoSlice, path::Path, sync::Arc};

/// May a read wait for the disk?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Only what the page cache holds; `WouldBlock` when that is nothing.
    Never,
    Block,
}

/// What a name on the disk stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub len: u64,
    /// Milliseconds since the epoch of the last write.
    pub modified_ms: i64,
}

/// An open file.
pub trait File: Send + Sync {
    /// Reads at most `buf.len()` bytes; 0 at the end of the file, fewer when that is what there was.
    fn read_at(&self, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize>;
    /// Writes all parts one after the other, in one system call if the disk lets us.
    fn write_at(&self, parts: &[IoSlice<'_>], position: u64) -> io::Result<()>;
    fn set_len(&self, len: u64) -> io::Result<()>;
    fn len(&self) -> io::Result<u64>;
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Makes the data and length durable.
    fn sync(&self) -> io::Result<()>;
}

/// Names and folders.
pub trait Disk: Send + Sync {
    /// Opens for reading and writing; creates when `create`.
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>>;
    /// Length and time of the last write, without opening.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// Names in a folder.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Creates a folder and its parents.
    fn make_dir(&self, dir: &Path) -> io::Result<()>;
    /// Renames and makes the rename durable.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames without waiting for the disk: a crash may undo it.
    fn rename_unsynced(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file, or a folder with all it holds; nothing there is not an error.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

/// Is this the disk being full? Then writing goes on once there is room again.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Fills `buf` from `position`; fewer bytes only at the end of the file.
pub(crate) fn read_up_to(file: &dyn File, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        match file.read_at(&mut buf[done..], position + done as u64, wait)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}

/// The whole of a file, or `None` when there is none.
pub(crate) fn read_whole(disk: &dyn Disk, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match disk.open(path, false) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = vec![0; file.len()? as usize];
    let len = read_up_to(&*file, &mut bytes, 0, Wait::Block)?;
    bytes.truncate(len);
    Ok(Some(bytes))
}

/// Replaces a file so that a crash leaves the old one or the new one: write beside it, sync, rename.
pub(crate) fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(crate::format::suffix::TEMPORARY);
    let beside = Path::new(&beside);
    let file = disk.open(beside, true)?;
    file.set_len(0)?;
    file.write_at(&[IoSlice::new(bytes)], 0)?;
    file.sync()?;
    disk.rename(beside, path)
}
