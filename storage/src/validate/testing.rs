//! Hand-made batches for tests: every header field and every length can lie.

use super::*;
use crate::records::put_varint;

pub(crate) const NOW: i64 = 1_700_000_000_000;

/// A batch to be made.
#[derive(Clone)]
pub(crate) struct Sketch {
    pub base_offset: i64,
    pub leader_epoch: i32,
    pub magic: i8,
    pub attributes: i16,
    pub timestamp: i64,
    pub max_timestamp: Option<i64>,
    /// Id, epoch, sequence.
    pub producer: (i64, i16, i32),
    pub records: Vec<Vec<u8>>,
    pub count: Option<i32>,
    pub last_offset_delta: Option<i32>,
    pub length: Option<i32>,
    pub crc: Option<u32>,
    pub codec: Codec,
    /// Instead of the compressed records.
    pub payload: Option<Vec<u8>>,
}

impl Sketch {
    pub fn plain(count: i32) -> Self {
        Self::of((0..count).map(|i| record().offset(i).key(Some(b"k")).value(Some(b"v")).build()).collect())
    }

    pub fn of(records: Vec<Vec<u8>>) -> Self {
        Self {
            base_offset: 0,
            leader_epoch: -1,
            magic: 2,
            attributes: 0,
            timestamp: NOW,
            max_timestamp: None,
            producer: (-1, -1, -1),
            records,
            count: None,
            last_offset_delta: None,
            length: None,
            crc: None,
            codec: Codec::None,
            payload: None,
        }
    }

    pub fn compressed(self, codec: Codec) -> Self {
        Self { codec, ..self }
    }

    pub fn payload_bytes(&self) -> Vec<u8> {
        let plain = self.records.concat();
        let compressed = compress::compress(&mut &plain[..], self.codec, None, usize::MAX);
        compressed.expect("memory does not fail").expect("there is no limit")
    }

    pub fn bytes(&self) -> Bytes {
        let payload = self.payload.clone().unwrap_or_else(|| self.payload_bytes());
        let count = self.records.len() as i32;
        let (producer_id, producer_epoch, base_sequence) = self.producer;
        let mut header = Header {
            base_offset: self.base_offset,
            batch_length: (HEADER_LEN - LENGTH_PREFIX_LEN + payload.len()) as i32,
            leader_epoch: self.leader_epoch,
            magic: self.magic,
            crc: 0,
            attributes: self.attributes | self.codec.bits(),
            last_offset_delta: self.last_offset_delta.unwrap_or(count - 1),
            base_timestamp: self.timestamp,
            max_timestamp: self.max_timestamp.unwrap_or(self.timestamp),
            producer_id,
            producer_epoch,
            base_sequence,
            record_count: self.count.unwrap_or(count),
        };
        header.batch_length = self.length.unwrap_or(header.batch_length);
        header.crc = self.crc.unwrap_or_else(|| crc32c(&[&header.encode()[at::ATTRIBUTES..], &payload]));
        [&header.encode()[..], &payload].concat().into()
    }

    pub fn valid(&self) -> ValidBatch {
        validate(self.bytes(), &rules()).expect("the sketch is valid")
    }
}

/// What a topic has by default.
pub(crate) fn rules() -> Rules {
    Rules {
        max_batch_bytes: 1_048_588,
        timestamp_type: TimestampType::CreateTime,
        timestamp_before_max_ms: i64::MAX,
        timestamp_after_max_ms: 3_600_000,
        keys_required: false,
        max_decompressed_bytes: 2_147_483_639,
        target: TargetCodec::Producer,
        zstd_allowed: true,
        now_ms: NOW,
    }
}

/// A record to be made: null key, null value.
pub(crate) fn record() -> RecordSketch {
    RecordSketch::default()
}

#[derive(Clone, Default)]
pub(crate) struct RecordSketch {
    attributes: u8,
    timestamp: i64,
    offset: i32,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    key_len: Option<i64>,
    value_len: Option<i64>,
    header_count: Option<i64>,
    longer_by: i64,
    tail: Vec<u8>,
}

macro_rules! setters {
    ($($name:ident: $type:ty),+) => {$(
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = $name.into();
            self
        }
    )+};
}

impl RecordSketch {
    setters!(attributes: u8, timestamp: i64, offset: i32, key_len: i64, value_len: i64, header_count: i64,
        longer_by: i64, tail: &[u8]);

    pub fn key(mut self, key: Option<&[u8]>) -> Self {
        self.key = key.map(Into::into);
        self
    }

    pub fn value(mut self, value: Option<&[u8]>) -> Self {
        self.value = value.map(Into::into);
        self
    }

    pub fn headers(mut self, headers: &[(&[u8], Option<&[u8]>)]) -> Self {
        self.headers = headers.iter().map(|(key, value)| (key.to_vec(), value.map(Into::into))).collect();
        self
    }

    pub fn build(self) -> Vec<u8> {
        let mut body = vec![self.attributes];
        put_varint(&mut body, self.timestamp);
        put_varint(&mut body, self.offset.into());
        put_nullable(&mut body, self.key.as_deref(), self.key_len);
        put_nullable(&mut body, self.value.as_deref(), self.value_len);
        put_varint(&mut body, self.header_count.unwrap_or(self.headers.len() as i64));
        for (key, value) in &self.headers {
            put_nullable(&mut body, Some(key), None);
            put_nullable(&mut body, value.as_deref(), None);
        }
        body.extend(&self.tail);
        let mut out = Vec::new();
        put_varint(&mut out, body.len() as i64 + self.longer_by);
        out.extend(body);
        out
    }
}

fn put_nullable(out: &mut Vec<u8>, bytes: Option<&[u8]>, len: Option<i64>) {
    put_varint(out, len.unwrap_or(bytes.map_or(-1, |bytes| bytes.len() as i64)));
    out.extend_from_slice(bytes.unwrap_or_default());
}
