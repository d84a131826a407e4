//! `.kafka_cleanshutdown`: everything was closed properly, so nothing has to be recovered.
//!
//! Taken at the start before anything else is changed, written at the end after everything else.

use std::{io::IoSlice, path::Path};
use storage::{disk::Disk, log::LogError};

const FILE_NAME: &str = ".kafka_cleanshutdown";
/// The broker epoch is a replicated cluster's; there is none here.
const CONTENT: &[u8] = br#"{"version":0,"brokerEpoch":-1}"#;

/// Was it there? It is not any more.
pub fn take(disk: &dyn Disk, data_dir: &Path) -> Result<bool, LogError> {
    let path = data_dir.join(FILE_NAME);
    let failed = |source| LogError::Io { path: path.clone(), source };
    let names = disk.list(data_dir).map_err(failed)?;
    let was_there = names.iter().any(|name| name == FILE_NAME);
    if was_there {
        disk.remove(&path).map_err(failed)?;
    }
    Ok(was_there)
}

/// Says that everything was closed.
pub fn leave(disk: &dyn Disk, data_dir: &Path) -> Result<(), LogError> {
    let path = data_dir.join(FILE_NAME);
    let write = || {
        let file = disk.open(&path, true)?;
        file.write_at(&[IoSlice::new(CONTENT)], 0)?;
        file.sync()
    };
    write().map_err(|source| LogError::Io { path: path.clone(), source })
}
