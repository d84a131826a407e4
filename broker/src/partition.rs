//! STUB
use std::sync::Arc;
use storage::{
    batch::ValidBatch,
    log::{AppendError, Appended, Found, LogError, ReadError},
};
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    pub log_start: i64,
    pub last_stable: i64,
    pub high_watermark: i64,
    pub log_end: i64,
}

pub struct Partition {}

impl Partition {
    pub fn topic(&self) -> &Arc<str> {
        unimplemented!()
    }
    pub fn topic_id(&self) -> Uuid {
        unimplemented!()
    }
    pub fn index(&self) -> i32 {
        unimplemented!()
    }
    pub fn leader_epoch(&self) -> i32 {
        unimplemented!()
    }
    pub fn offsets(&self) -> Offsets {
        unimplemented!()
    }
    pub fn size_bytes(&self) -> u64 {
        unimplemented!()
    }
    /// One write under the log's lock; wakes parked fetches.
    pub fn append(&self, _batch: ValidBatch, _now_ms: i64) -> Result<Appended, AppendError> {
        unimplemented!()
    }
    pub fn find_timestamp(&self, _t: i64) -> Result<Option<Found>, LogError> {
        unimplemented!()
    }
    pub fn delete_records(&self, _offset: i64) -> Result<i64, ReadError> {
        unimplemented!()
    }
}
