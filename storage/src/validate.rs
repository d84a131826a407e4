//! May a client's bytes be appended? Exactly one batch, intact, every record walked; rewritten where a rule asks.
//!
//! The order of the checks is Kafka's, since a batch with two faults must get the same answer. What Kafka stores
//! although it is odd (unknown attribute bits, a sequence without a producer) is stored here too. Where Kafka
//! fails with an unexpected exception (unknown codec, payload that cannot be decompressed), the refusal says so.

use crate::{
    batch::{Codec, HEADER_LEN, Header, TimestampType},
    compress,
    format::{
        LENGTH_PREFIX_LEN, MAGIC_V2, NO_TIMESTAMP, SMALLEST_BATCH_LENGTH, UP_TO_MAGIC_LEN, at, attribute,
        crc32c,
    },
    records::{self, Fault, Outline},
};
use bytes::{Bytes, BytesMut};

/// A batch of bad records lists this many of them; a compressed batch could hold millions.
const MAX_RECORD_ERRORS: usize = 10_000;

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
    /// The largest record after decompression.
    pub max_decompressed_bytes: i32,
    pub target: TargetCodec,
    /// zstd is only legal from some request version on.
    pub zstd_allowed: bool,
    pub now_ms: i64,
}

/// The kind of fault that made a batch unacceptable.
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
    /// For people; see [`Self::answer_message`] for what a client is told.
    pub message: String,
    pub records: Vec<RecordError>,
    /// Kafka names the fault in its answer only for broken frames and bad records.
    pub tell_client: bool,
    /// The bytes were one whole batch; the fault lies inside it.
    pub one_batch: bool,
}

impl Rejected {
    fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), records: Vec::new(), tell_client: false, one_batch: false }
    }

    /// Does the log start belong into the answer to a client? Kafka names it once it has looked into the batch.
    pub fn tells_log_start(&self) -> bool {
        let looked_into = [Reason::InvalidRecord, Reason::InvalidTimestamp, Reason::InvalidProducerEpoch];
        self.one_batch && looked_into.contains(&self.reason)
    }

    fn told(self) -> Self {
        Self { tell_client: true, ..self }
    }

    /// The message that belongs into the answer to a client; most refusals have none.
    pub fn answer_message(&self) -> Option<&str> {
        self.tell_client.then_some(&*self.message)
    }
}

impl From<Fault> for Rejected {
    fn from(fault: Fault) -> Self {
        Self::new(Reason::InvalidRecord, fault.to_string())
    }
}

/// One batch that may be appended: checked, walked, and rewritten where a rule asks.
#[derive(Clone, Debug)]
pub struct ValidBatch {
    pub(crate) header: Header,
    /// The records, the very bytes that came in unless they were recompressed.
    pub(crate) payload: Bytes,
}

impl ValidBatch {
    /// A batch from parts, with the length and checksum that belong to them.
    pub(crate) fn seal(mut header: Header, payload: Bytes) -> Self {
        header.batch_length = (HEADER_LEN - LENGTH_PREFIX_LEN + payload.len()) as i32;
        header.crc = crc32c(&[&header.encode()[at::ATTRIBUTES..], &payload]);
        Self { header, payload }
    }

    pub fn byte_len(&self) -> usize {
        HEADER_LEN + self.payload.len()
    }

    pub fn is_transactional(&self) -> bool {
        self.header.is_transactional()
    }

    pub fn producer_id(&self) -> i64 {
        self.header.producer_id
    }

    pub fn record_count(&self) -> i32 {
        self.header.record_count
    }

    pub fn max_timestamp(&self) -> i64 {
        self.header.max_timestamp
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The batch in one piece, base offset and leader epoch as they came.
    pub fn to_bytes(&self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(self.byte_len());
        bytes.extend_from_slice(&self.header.encode());
        bytes.extend_from_slice(&self.payload);
        bytes.freeze()
    }
}

/// Checks what a client sent for one partition: exactly one batch that keeps every rule.
pub fn validate(records: Bytes, rules: &Rules) -> Result<ValidBatch, Rejected> {
    let len = only_batch(&records, rules)?;
    check_batch(records, len, rules).map_err(|rejected| Rejected { one_batch: true, ..rejected })
}

fn check_batch(records: Bytes, len: usize, rules: &Rules) -> Result<ValidBatch, Rejected> {
    let header = check_header(&records[..len], rules)?;
    let payload = records.slice(HEADER_LEN..len);
    let max_timestamp = check_records(&header, &payload, rules)?;
    let restamped = restamp(header, max_timestamp, rules);
    let TargetCodec::Fixed { codec, level } = rules.target else {
        return Ok(keep_payload(header, restamped, payload));
    };
    if header.codec() == Some(codec) {
        return Ok(keep_payload(header, restamped, payload));
    }
    recompress(restamped, &payload, codec, level, rules)
}

/// Finds the one batch at the start of `records`, of the right version and whole.
fn only_batch(records: &[u8], rules: &Rules) -> Result<usize, Rejected> {
    let none = || Rejected::new(Reason::InvalidRecord, "exactly one batch is expected, and there is none");
    let len = frame(records).map_err(Rejected::told)?.ok_or_else(none)?;
    if records[at::MAGIC] as i8 != MAGIC_V2 {
        return Err(Rejected::new(Reason::InvalidRecord, "batches of version 2 only"));
    }
    let codec = records.get(at::ATTRIBUTES + 1).map_or(0, |&bits| i16::from(bits));
    if !rules.zstd_allowed && Codec::from_attributes(codec) == Some(Codec::Zstd) {
        return Err(Rejected::new(
            Reason::UnsupportedCodec,
            "zstd came with a request that is too old for it",
        ));
    }
    if frame(&records[len..])?.is_some() {
        return Err(Rejected::new(
            Reason::InvalidRecord,
            "exactly one batch is expected, and there are more",
        ));
    }
    match len < HEADER_LEN {
        true => Err(Rejected::new(Reason::Corrupt, "the batch is shorter than a header")),
        false => Ok(len),
    }
}

/// Length of the batch at the start; `None` when what is there is too short to be one or not whole.
fn frame(bytes: &[u8]) -> Result<Option<usize>, Rejected> {
    let Some(prefix) = bytes.first_chunk::<LENGTH_PREFIX_LEN>() else { return Ok(None) };
    let length: [u8; 4] =
        prefix[at::BATCH_LENGTH..].try_into().expect("the length is the prefix's last field");
    let length = i32::from_be_bytes(length);
    if length < SMALLEST_BATCH_LENGTH || length > i32::MAX - LENGTH_PREFIX_LEN as i32 {
        return Err(Rejected::new(Reason::Corrupt, format!("a batch length of {length} is impossible")));
    }
    let Some(head) = bytes.first_chunk::<UP_TO_MAGIC_LEN>() else { return Ok(None) };
    let magic = head[at::MAGIC] as i8;
    if !(0..=MAGIC_V2).contains(&magic) {
        return Err(Rejected::new(Reason::Corrupt, format!("magic {magic} is unknown")));
    }
    let len = length as usize + LENGTH_PREFIX_LEN;
    Ok((len <= bytes.len()).then_some(len))
}

fn check_header(batch: &[u8], rules: &Rules) -> Result<Header, Rejected> {
    let header = Header::parse(batch).expect("only_batch leaves none that is shorter");
    let invalid = |what: &str| Err(Rejected::new(Reason::InvalidRecord, what));
    if header.base_offset != 0 {
        return invalid("the base offset of a produced batch must be 0");
    }
    if batch.len() > rules.max_batch_bytes.max(0) as usize {
        let (len, limit) = (batch.len(), rules.max_batch_bytes);
        return Err(Rejected::new(
            Reason::TooLarge,
            format!("the batch has {len} bytes, the limit is {limit}"),
        ));
    }
    if crc32c(&[&batch[at::ATTRIBUTES..]]) != header.crc {
        return Err(Rejected::new(Reason::Corrupt, "the checksum does not match"));
    }
    if header.last_offset_delta < 0
        || header.record_count <= 0
        || i64::from(header.record_count) != i64::from(header.last_offset_delta) + 1
    {
        return invalid("record count and last offset delta disagree");
    }
    if header.has_producer_id() && header.base_sequence < 0 {
        return invalid("a producer id without a sequence");
    }
    if header.is_control() {
        return invalid("clients may not write control batches");
    }
    if header.has_producer_id() && header.producer_epoch < -1 {
        return Err(Rejected::new(Reason::InvalidProducerEpoch, "negative producer epoch"));
    }
    Ok(header)
}

/// Walks every record; returns the largest timestamp.
fn check_records(header: &Header, payload: &[u8], rules: &Rules) -> Result<i64, Rejected> {
    let codec = header.codec().ok_or_else(|| Rejected::new(Reason::InvalidRecord, "unknown codec"))?;
    let mut check =
        RecordCheck { header, rules, max_timestamp: NO_TIMESTAMP, bad: Vec::new(), bad_time: false };
    let visit = |index, outline| check.record(index, outline);
    match codec {
        Codec::None => records::walk(&mut &payload[..], header.record_count, usize::MAX, visit)?,
        _ => {
            let limit = rules.max_decompressed_bytes.max(0) as usize;
            records::walk(&mut compress::reader(codec, payload)?, header.record_count, limit, visit)?;
        }
    }
    check.outcome()
}

struct RecordCheck<'a> {
    header: &'a Header,
    rules: &'a Rules,
    max_timestamp: i64,
    bad: Vec<RecordError>,
    bad_time: bool,
}

impl RecordCheck<'_> {
    fn record(&mut self, index: i32, outline: Outline) -> Result<(), Fault> {
        // Kafka stores such batches uncompressed and fails on them compressed; readers would see wrong offsets.
        if outline.offset_delta != index {
            return Err(Fault::Malformed("offset deltas are not 0, 1, 2, .."));
        }
        let timestamp = self.header.base_timestamp.wrapping_add(outline.timestamp_delta);
        self.max_timestamp = self.max_timestamp.max(timestamp);
        if self.rules.keys_required && !outline.has_key {
            self.note(index, "Compacted topic cannot accept message without key".into());
        } else if let Some(fault) = self.timestamp_fault(timestamp) {
            self.bad_time = true;
            self.note(index, fault);
        }
        Ok(())
    }

    fn timestamp_fault(&self, timestamp: i64) -> Option<String> {
        let rules = self.rules;
        if rules.timestamp_type == TimestampType::CreateTime && timestamp != NO_TIMESTAMP {
            let age = i128::from(rules.now_ms) - i128::from(timestamp);
            let in_bounds = age <= i128::from(rules.timestamp_before_max_ms)
                && -age <= i128::from(rules.timestamp_after_max_ms);
            return (!in_bounds).then(|| format!("timestamp {timestamp} is too far from {}", rules.now_ms));
        }
        (self.header.timestamp_type() == TimestampType::LogAppendTime)
            .then(|| "clients may not set the log append time".into())
    }

    fn note(&mut self, index: i32, message: String) {
        if self.bad.len() < MAX_RECORD_ERRORS {
            self.bad.push(RecordError { index, message });
        }
    }

    fn outcome(self) -> Result<i64, Rejected> {
        let Some(first) = self.bad.first() else { return Ok(self.max_timestamp) };
        let reason = if self.bad_time { Reason::InvalidTimestamp } else { Reason::InvalidRecord };
        let message = first.message.clone();
        Err(Rejected { reason, message, records: self.bad, tell_client: true, one_batch: true })
    }
}

/// The header with the timestamps that the log's timestamp type asks for.
fn restamp(mut header: Header, max_timestamp: i64, rules: &Rules) -> Header {
    match rules.timestamp_type {
        TimestampType::LogAppendTime => {
            header.attributes |= attribute::LOG_APPEND_TIME;
            header.max_timestamp = rules.now_ms;
        }
        TimestampType::CreateTime => {
            header.attributes &= !attribute::LOG_APPEND_TIME;
            header.max_timestamp = max_timestamp;
        }
    }
    header
}

fn keep_payload(came: Header, restamped: Header, payload: Bytes) -> ValidBatch {
    match came == restamped {
        true => ValidBatch { header: came, payload },
        false => ValidBatch::seal(restamped, payload),
    }
}

fn recompress(
    mut header: Header,
    payload: &[u8],
    codec: Codec,
    level: Option<i32>,
    rules: &Rules,
) -> Result<ValidBatch, Rejected> {
    let limit = (rules.max_batch_bytes.max(0) as usize).saturating_sub(HEADER_LEN);
    let came_in = header.codec().expect("checked with the records");
    let recompressed = compress::compress(&mut *compress::reader(came_in, payload)?, codec, level, limit)?
        .ok_or_else(|| Rejected::new(Reason::TooLarge, "the batch is too large once recompressed"))?;
    header.attributes = header.attributes & !attribute::CODEC_MASK | codec.bits();
    Ok(ValidBatch::seal(header, recompressed.into()))
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
