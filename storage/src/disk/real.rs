//! The disk of the machine.

use super::{Disk, File, Stat, Wait};
use crate::open_files::make_room;
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev};
use std::{
    fs, io,
    io::{IoSlice, IoSliceMut},
    os::unix::fs::FileExt,
    path::Path,
    sync::Arc,
    time::UNIX_EPOCH,
};

/// The real disk.
#[derive(Debug, Default, Clone, Copy)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>> {
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create(create).truncate(false);
        let file = options.open(path).or_else(|error| match is_out_of_files(&error) {
            // Sockets have the rest of what the system allows; log files can be opened again.
            true => {
                make_room();
                options.open(path)
            }
            false => Err(error),
        })?;
        Ok(Arc::new(RealFile(file)))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Stat { len: metadata.len(), modified_ms: modified.as_millis() as i64 })
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(dir)? {
            // A name that is not text is not ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        self.sync_dir(to.parent().unwrap_or(Path::new(".")))
    }

    fn rename_unsynced(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let removed = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        fs::File::open(dir)?.sync_all()
    }
}

/// Has the process, or the machine, as many files open as it may?
fn is_out_of_files(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::MFILE | Errno::NFILE))
}

struct RealFile(fs::File);

impl File for RealFile {
    fn read_at(&self, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize> {
        loop {
            let read = match wait {
                Wait::Block => self.0.read_at(buf, position),
                Wait::Never => {
                    preadv2(&self.0, &mut [IoSliceMut::new(buf)], position, ReadWriteFlags::NOWAIT)
                        .map_err(Into::into)
                }
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A file system that cannot tell what is cached: the caller goes the waiting way.
                Err(error) if wait == Wait::Never && error.kind() == io::ErrorKind::Unsupported => {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                other => return other,
            }
        }
    }

    fn write_at(&self, parts: &[IoSlice<'_>], mut position: u64) -> io::Result<()> {
        let mut parts = parts.to_vec();
        let mut parts = &mut parts[..];
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match pwritev(&self.0, parts, position) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    position += written as u64;
                    IoSlice::advance_slices(&mut parts, written);
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_parts_in_a_row_and_reads_them_back() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a");
        assert_eq!(RealDisk.open(&path, false).err().map(|e| e.kind()), Some(io::ErrorKind::NotFound));
        let file = RealDisk.open(&path, true).expect("creates");
        file.write_at(&[IoSlice::new(b""), IoSlice::new(b"ab"), IoSlice::new(b"cde")], 1).expect("writes");
        let mut buf = [9; 8];
        for wait in [Wait::Block, Wait::Never] {
            assert_eq!(file.read_at(&mut buf, 0, wait).expect("cached"), 6);
            assert_eq!(&buf[..6], b"\0abcde");
        }
        assert_eq!(RealDisk.stat(&path).expect("there").len, 6);
        RealDisk.rename(&path, &dir.path().join("b")).expect("renames");
        assert_eq!(RealDisk.list(dir.path()).expect("lists"), ["b"]);
        RealDisk.remove(&path).expect("nothing there is fine");
    }
}
