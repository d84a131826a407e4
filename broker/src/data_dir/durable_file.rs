//! Small files that are replaced whole: a crash leaves the old content or the new, never a mixture.

use super::{DataDirError, io_error};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Writes `content` under `name` in `dir`; durable when this returns.
pub(super) fn replace(dir: &Path, name: &str, content: &[u8]) -> Result<(), DataDirError> {
    let temporary = dir.join(format!("{name}.tmp"));
    let path = dir.join(name);
    write_synced(&temporary, content).map_err(|source| io_error(&temporary, source))?;
    fs::rename(&temporary, &path).map_err(|source| io_error(&path, source))?;
    sync_dir(dir)
}

/// As [`replace`], without waiting for the disk; [`sync`] does that.
pub(super) fn replace_unsynced(dir: &Path, name: &str, content: &[u8]) -> Result<(), DataDirError> {
    let temporary = dir.join(format!("{name}.tmp"));
    let path = dir.join(name);
    fs::write(&temporary, content).map_err(|source| io_error(&temporary, source))?;
    fs::rename(&temporary, &path).map_err(|source| io_error(&path, source))
}

/// Makes the file, its content and its name durable.
pub(super) fn sync(dir: &Path, name: &str) -> Result<(), DataDirError> {
    let path = dir.join(name);
    File::open(&path).and_then(|file| file.sync_all()).map_err(|source| io_error(&path, source))?;
    sync_dir(dir)
}

/// The file's text; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, DataDirError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io_error(path, source)),
    }
}

/// Removes a file so that it does not come back after a power failure; none there is no error.
pub(super) fn remove(dir: &Path, name: &str) -> Result<(), DataDirError> {
    let path = dir.join(name);
    match fs::remove_file(&path) {
        Ok(()) => sync_dir(dir),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(io_error(&path, source)),
    }
}

fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn sync_dir(dir: &Path) -> Result<(), DataDirError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|source| io_error(dir, source))
}
