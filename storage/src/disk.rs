//! STUB of the disk seam.
use std::{io, io::IoSlice, path::Path, sync::Arc};

/// May a read wait for the disk?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Only what the page cache holds; `WouldBlock` otherwise.
    Never,
    Block,
}

/// The file verbs that the log needs; ten with [`Disk`]'s.
pub trait File: Send + Sync {
    fn read_at(&self, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize>;
    fn write_at(&self, parts: &[IoSlice<'_>], position: u64) -> io::Result<()>;
    fn set_len(&self, len: u64) -> io::Result<()>;
    fn len(&self) -> io::Result<u64>;
    fn sync(&self) -> io::Result<()>;
}

pub trait Disk: Send + Sync {
    /// Opens for reading and writing; creates when `create`.
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>>;
    /// Names in a folder.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Creates a folder and its parents.
    fn make_dir(&self, dir: &Path) -> io::Result<()>;
    /// Renames and makes the rename durable.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file, or a folder with all it holds; nothing there is not an error.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The real disk.
#[derive(Debug, Default, Clone, Copy)]
pub struct RealDisk;
