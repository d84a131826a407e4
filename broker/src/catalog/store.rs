//! Where the catalog's records are kept, as far as the catalog needs to know, and how that can go wrong.

use super::Refusal;
use bytes::Bytes;
use kafka_protocol::ResponseError;
use std::{io, path::PathBuf, sync::Arc};
use storage::log::{AppendError, LogError};

/// A durable sequence of metadata records.
pub(super) trait Store: Send {
    /// The offset that the next record gets.
    fn end_offset(&self) -> i64;
    /// Writes the records as one batch, all or none of it; durable when this returns.
    fn append(&mut self, records: &[Bytes]) -> Result<(), CatalogError>;
    /// Is there so much since the last snapshot that another one is worth it? Less will do before closing.
    fn snapshot_due(&self, closing: bool) -> bool;
    /// Stores what all records so far add up to, and lets go of those before.
    fn snapshot(&mut self, records: &[Bytes]) -> Result<(), CatalogError>;
    /// Closes properly; nothing comes after it.
    fn close(self: Box<Self>) -> Result<(), CatalogError>;
}

/// Why the catalog cannot be read or changed. None of these is a client's fault.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("the metadata log cannot be written: {0}")]
    Append(#[from] AppendError),
    #[error("the metadata log fails: {0}")]
    Log(#[from] LogError),
    #[error("the metadata log failed before: {0}")]
    FailedBefore(Arc<str>),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: offset {offset}: {what}")]
    Damaged { path: PathBuf, offset: i64, what: String },
    /// Sound data that this release cannot serve.
    #[error("the data folder cannot be served: {0}")]
    Unsupported(String),
}

impl CatalogError {
    /// Only this change was refused: nothing of it was written, and another one can succeed.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Append(AppendError::DiskFull | AppendError::LargerThanSegment { .. }))
    }

    /// What a client is told that asked for a change.
    pub fn refusal(&self) -> Refusal {
        match self {
            // Clients try again, as they do for a full partition.
            Self::Append(AppendError::DiskFull) => {
                Refusal::new(ResponseError::KafkaStorageError, "The disk of the broker is full.")
            }
            Self::Append(AppendError::LargerThanSegment { .. }) => Refusal::new(
                ResponseError::PolicyViolation,
                "The request changes more than can be written at one time; divide it.",
            ),
            _ => Refusal::bare(ResponseError::UnknownServerError),
        }
    }
}

/// Where nothing can be written any more.
pub(super) struct Closed;

impl Store for Closed {
    fn end_offset(&self) -> i64 {
        0
    }
    fn append(&mut self, _: &[Bytes]) -> Result<(), CatalogError> {
        Err(CatalogError::FailedBefore("it is closed".into()))
    }
    fn snapshot_due(&self, _: bool) -> bool {
        false
    }
    fn snapshot(&mut self, _: &[Bytes]) -> Result<(), CatalogError> {
        Ok(())
    }
    fn close(self: Box<Self>) -> Result<(), CatalogError> {
        Ok(())
    }
}
