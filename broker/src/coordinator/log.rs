//! The seam to `__consumer_offsets`: what the group coordinator asks of the topic's partitions.

use std::{future::Future, pin::Pin};

use bytes::Bytes;
use thiserror::Error;

/// The wait for records to be as durable as the topic's settings ask.
pub type Durable<'a> = Pin<Box<dyn Future<Output = Result<(), AppendFailure>> + Send + 'a>>;

/// A record's key and value; without a value it deletes.
pub type KeyValue = (Bytes, Option<Bytes>);

/// Is shown the key and value of each record.
pub type Visit<'a> = &'a mut dyn FnMut(&[u8], Option<&[u8]>);

/// The partitions of `__consumer_offsets`.
pub trait OffsetsLog: Send + Sync + 'static {
    /// How many partitions the topic has; 0 while it does not exist.
    fn partition_count(&self) -> i32;

    /// Appends the records as one uncompressed batch. A short write into the page cache: it is called under the lock
    /// of a shard, and what it wrote is there for [`OffsetsLog::replay`] when it returns.
    fn append(&self, partition: i32, records: &[KeyValue]) -> Result<(), AppendFailure>;

    /// Shows every key and value of the partition from its start, in order.
    fn replay(&self, partition: i32, visit: Visit<'_>) -> Result<(), ReplayFailure>;

    /// Waits until everything appended so far is durable. Answers to requests that wrote something wait for it.
    fn durable(&self, _partition: i32) -> Durable<'_> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Why records could not be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AppendFailure {
    /// The partition is not there.
    #[error("the partition does not exist")]
    NoPartition,
    /// This node does not lead the partition.
    #[error("this node does not lead the partition")]
    NotLeader,
    /// The disk has no room left.
    #[error("no space is left on the disk")]
    DiskFull,
    /// The disk failed; details are logged where it happened.
    #[error("the log cannot be written")]
    Storage,
    /// The batch is larger than the topic's `max.message.bytes`, or than a segment.
    #[error("the batch is larger than the topic allows")]
    TooLarge,
    /// Fewer replicas in sync than `min.insync.replicas`.
    #[error("not enough replicas are in sync")]
    NotEnoughReplicas,
    /// The wait for replicas or for the disk took too long.
    #[error("the append was not confirmed in time")]
    TimedOut,
}

/// Why a partition could not be read back.
#[derive(Debug, Error)]
#[error("cannot read the partition: {0}")]
pub struct ReplayFailure(pub String);
