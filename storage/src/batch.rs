//! STUB of the record batch module: the signatures that others build against.
use bytes::Bytes;

/// Length of a version 2 batch header.
pub const HEADER_LEN: usize = 61;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampType {
    CreateTime,
    LogAppendTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

/// What the log stores batches as: as they came, or in one codec (with its level).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetCodec {
    Producer,
    Fixed { codec: Codec, level: Option<i32> },
}

/// What a batch from a client is checked against.
#[derive(Clone, Debug)]
pub struct Rules {
    pub max_batch_bytes: i32,
    pub timestamp_type: TimestampType,
    pub timestamp_before_max_ms: i64,
    pub timestamp_after_max_ms: i64,
    /// The log is compacted: every record needs a key.
    pub keys_required: bool,
    pub max_decompressed_bytes: i32,
    pub target: TargetCodec,
    /// zstd is only legal from some request version on.
    pub zstd_allowed: bool,
    pub now_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The bytes are not one intact batch.
    Corrupt,
    TooLarge,
    /// Zero or several batches, an old magic, or records that break the format's rules.
    InvalidRecord,
    InvalidTimestamp,
    InvalidProducerEpoch,
    UnsupportedCodec,
}

/// One record that made its batch unacceptable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    pub index: i32,
    pub message: String,
}

/// Why a batch was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub reason: Reason,
    pub message: String,
    pub records: Vec<RecordError>,
}

/// One batch that may be appended: checked, walked, and rewritten where a rule asks.
#[derive(Clone, Debug)]
pub struct ValidBatch {
    pub(crate) bytes: Bytes,
}

impl ValidBatch {
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
    pub fn is_transactional(&self) -> bool {
        unimplemented!()
    }
    pub fn producer_id(&self) -> i64 {
        unimplemented!()
    }
    pub fn record_count(&self) -> i32 {
        unimplemented!()
    }
    pub fn max_timestamp(&self) -> i64 {
        unimplemented!()
    }
}

/// Does any batch in these bytes carry the transactional bit? Reads headers only and trusts nothing.
pub fn any_transactional(_records: &[u8]) -> bool {
    unimplemented!()
}

/// Checks what a client sent for one partition: exactly one batch that keeps every rule.
pub fn validate(_records: Bytes, _rules: &Rules) -> Result<ValidBatch, Rejected> {
    unimplemented!()
}

/// Builds one uncompressed batch from records of our own (coordinators, metadata).
pub struct Builder {}

impl Builder {
    pub fn new(_timestamp_ms: i64) -> Self {
        unimplemented!()
    }
    pub fn push(&mut self, _key: Option<&[u8]>, _value: Option<&[u8]>) -> &mut Self {
        unimplemented!()
    }
    /// Marks the batch as a control batch (metadata leader change, snapshot header and footer).
    pub fn control(&mut self) -> &mut Self {
        unimplemented!()
    }
    pub fn build(self) -> ValidBatch {
        unimplemented!()
    }
}

/// A record inside a stored batch.
#[derive(Debug)]
pub struct Record<'a> {
    pub offset: i64,
    pub timestamp: i64,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
}

/// A view of one stored batch: header fields by name, records on demand.
pub struct Batch<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Batch<'a> {
    pub fn base_offset(&self) -> i64 {
        unimplemented!()
    }
    pub fn last_offset(&self) -> i64 {
        unimplemented!()
    }
    pub fn leader_epoch(&self) -> i32 {
        unimplemented!()
    }
    pub fn is_control(&self) -> bool {
        unimplemented!()
    }
    /// Calls `visit` for every record; decompresses when needed, within `max_decompressed_bytes`.
    pub fn for_each_record(
        &self,
        _max_decompressed_bytes: usize,
        _visit: &mut dyn FnMut(Record<'_>),
    ) -> Result<(), Rejected> {
        unimplemented!()
    }
}

/// The whole batches at the start of `bytes`, in order; stops at the first that is cut or not intact.
pub fn batches(_bytes: &[u8]) -> impl Iterator<Item = Batch<'_>> {
    std::iter::empty()
}
