//! The folder that holds everything (`log.dir`): who owns it, what it belongs to, how it was left.
//!
//! [`DataDir::open`] refuses with one sentence and changes nothing when the folder is not for us: a running
//! broker has it, it belongs to another cluster or node, it cannot be written, or its format is not ours.
//! Nothing here ever wipes a folder. What lies inside (partitions, the metadata log) is not its business.

mod clean_shutdown;
mod durable_file;
pub mod kafka_id;
mod meta_properties;

use meta_properties::MetaProperties;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// An open data folder. The lock is held until this is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    cluster_id: String,
    directory_id: Uuid,
    clean_shutdown: Option<i64>,
    is_new: bool,
    _lock: File,
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    #[error("the data folder {path} is in use by another process")]
    InUse { path: PathBuf },
    #[error(
        "the data folder {path} belongs to cluster {stored}, but cluster {configured} is configured; \
         use the stored id or another folder"
    )]
    OtherCluster { path: PathBuf, stored: String, configured: String },
    #[error(
        "the data folder {path} belongs to node {stored}, but node.id {configured} is configured; \
         use the stored id or another folder"
    )]
    OtherNode { path: PathBuf, stored: i32, configured: i32 },
    #[error("{path} has format version {version}, and this release reads version 1 only")]
    OtherFormat { path: PathBuf, version: String },
    #[error("{path} is damaged: {what}")]
    Damaged { path: PathBuf, what: String },
    #[error("the data folder cannot be used, {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl DataDir {
    /// Opens the folder, creating it and its identity when there is none yet; a new identity is not durable before
    /// [`DataDir::make_identity_durable`].
    ///
    /// `cluster_id`: the one that is configured; `None` takes the stored one, or a new one for a new folder.
    /// Whoever then changes anything in the folder calls [`DataDir::begin_changes`] first.
    pub fn open(path: &Path, cluster_id: Option<&str>, node_id: i32) -> Result<DataDir, DataDirError> {
        // Looked at before the lock file is made, so that somebody else's folder stays as it was.
        let expected = Expected { cluster_id, node_id };
        expected.check(path)?;
        fs::create_dir_all(path).map_err(|source| io_error(path, source))?;
        let lock = lock(path)?;
        // Looked at again: another process may have made the folder its own before we had the lock.
        let stored = expected.check(path)?;
        let is_new = stored.is_none();
        let properties = complete(path, stored, &expected)?;
        let clean_shutdown = clean_shutdown::read(path)?;
        Ok(DataDir {
            path: path.to_owned(),
            cluster_id: properties.cluster_id,
            directory_id: properties.directory_id.expect("completed above"),
            clean_shutdown,
            is_new,
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What clients see as the cluster id; 22 characters unless the operator chose something else.
    pub fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// Identifies this folder among the folders of a broker (KIP-858).
    pub fn directory_id(&self) -> Uuid {
        self.directory_id
    }

    /// It had no identity before: nothing was ever kept in it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Waits until the identity survives a power cut. To be called before anything else is made durable in the folder:
    /// what is kept in a folder without an identity would be nobody's.
    pub fn make_identity_durable(&self) -> Result<(), DataDirError> {
        meta_properties::sync(&self.path)
    }

    /// The broker epoch at the last shutdown when that was clean; `None` after a crash and at the first start.
    pub fn clean_shutdown(&self) -> Option<i64> {
        self.clean_shutdown
    }

    /// Forgets the clean shutdown on the disk: from here on, should this process die, the next start sees none. Until
    /// then the folder can still be refused and left as it was.
    pub fn begin_changes(&self) -> Result<(), DataDirError> {
        clean_shutdown::remove(&self.path)
    }

    /// Notes that everything was closed properly. The last write of the process.
    pub fn close_cleanly(&self, broker_epoch: i64) -> Result<(), DataDirError> {
        clean_shutdown::write(&self.path, broker_epoch)
    }
}

/// What the settings say about whose folder it is.
struct Expected<'a> {
    cluster_id: Option<&'a str>,
    node_id: i32,
}

impl Expected<'_> {
    /// The stored identity when it is ours; `None` for a folder without one. Reads only.
    fn check(&self, path: &Path) -> Result<Option<MetaProperties>, DataDirError> {
        let Some(stored) = meta_properties::read(path)? else {
            return refuse_orphan(path).map(|()| None);
        };
        if let Some(configured) = self.cluster_id.filter(|configured| *configured != stored.cluster_id) {
            return Err(DataDirError::OtherCluster {
                path: path.to_owned(),
                stored: stored.cluster_id,
                configured: configured.to_owned(),
            });
        }
        if stored.node_id != self.node_id {
            return Err(DataDirError::OtherNode {
                path: path.to_owned(),
                stored: stored.node_id,
                configured: self.node_id,
            });
        }
        Ok(Some(stored))
    }
}

/// A metadata log without an identity is a folder that lost a file: giving it a new cluster id would hide that.
fn refuse_orphan(path: &Path) -> Result<(), DataDirError> {
    if path.join("__cluster_metadata-0").exists() {
        return Err(DataDirError::Damaged {
            path: path.to_owned(),
            what: "it has a metadata log but no meta.properties".to_owned(),
        });
    }
    Ok(())
}

/// Gives the folder the parts of an identity that it lacks, and writes them when there were any.
fn complete(
    path: &Path,
    stored: Option<MetaProperties>,
    expected: &Expected<'_>,
) -> Result<MetaProperties, DataDirError> {
    let is_new = stored.is_none();
    let mut properties = match stored {
        Some(stored) if stored.directory_id.is_some() => return Ok(stored),
        Some(stored) => stored,
        None => MetaProperties {
            cluster_id: expected
                .cluster_id
                .map_or_else(|| kafka_id::encode(kafka_id::random()), str::to_owned),
            node_id: expected.node_id,
            directory_id: None,
        },
    };
    properties.directory_id = Some(kafka_id::random());
    meta_properties::write(path, &properties)?;
    if !is_new {
        meta_properties::sync(path)?;
    }
    Ok(properties)
}

/// Takes the folder's lock: released by the system when the process ends, however it ends.
fn lock(path: &Path) -> Result<File, DataDirError> {
    let lock_path = path.join(".lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(|source| io_error(&lock_path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DataDirError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(io_error(&lock_path, source)),
    }
}

/// Replaces a small file in a folder of ours, whole; durable when this returns.
pub(crate) fn replace_file(dir: &Path, name: &str, content: &[u8]) -> Result<(), DataDirError> {
    durable_file::replace(dir, name, content)
}

fn io_error(path: &Path, source: io::Error) -> DataDirError {
    DataDirError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
