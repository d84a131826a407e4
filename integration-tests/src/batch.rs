//! Makes record batches (format v2) by hand, so that a test can also make every kind of bad one.
//!
//! Shares nothing with the broker's own reader; the format is the one of Kafka's protocol guide.

use bytes::{BufMut, Bytes, BytesMut};
use crc_fast::{CrcAlgorithm::Crc32Iscsi, checksum};
use std::{
    io::Write,
    time::{SystemTime, UNIX_EPOCH},
};

/// Length of a batch's header.
pub const HEADER_BYTES: usize = 61;

/// How records are compressed: the low three bits of a batch's attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    None = 0,
    Gzip = 1,
    Snappy = 2,
    Lz4 = 3,
    Zstd = 4,
}

impl Codec {
    pub const ALL: [Codec; 5] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];
}

/// One record to be written.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Milliseconds after the batch's base timestamp.
    pub timestamp_delta_ms: i64,
}

/// A batch to be written. Fields that are `None` get the value that is right; set one to get it wrong.
#[derive(Clone, Debug)]
pub struct Batch {
    pub records: Vec<Record>,
    pub codec: Codec,
    pub base_timestamp_ms: i64,
    pub max_timestamp_ms: Option<i64>,
    pub base_offset: i64,
    pub leader_epoch: i32,
    pub magic: i8,
    pub attributes: Option<i16>,
    pub last_offset_delta: Option<i32>,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub record_count: Option<i32>,
    /// The (compressed) records as they are, in place of [`Batch::records`].
    pub payload: Option<Vec<u8>>,
    pub crc: Option<u32>,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch {
            records: Vec::new(),
            codec: Codec::None,
            base_timestamp_ms: now_ms(),
            max_timestamp_ms: None,
            base_offset: 0,
            leader_epoch: -1,
            magic: 2,
            attributes: None,
            last_offset_delta: None,
            producer_id: -1,
            producer_epoch: -1,
            base_sequence: -1,
            record_count: None,
            payload: None,
            crc: None,
        }
    }
}

impl Batch {
    /// A batch with these values and no keys.
    pub fn of(values: &[&str]) -> Batch {
        let records = values.iter().map(|value| Record::value(value)).collect();
        Batch { records, ..Batch::default() }
    }

    /// A batch with these keys and values.
    pub fn keyed(pairs: &[(&str, &str)]) -> Batch {
        let records = pairs
            .iter()
            .map(|(key, value)| Record { key: Some(key.as_bytes().to_vec()), ..Record::value(value) })
            .collect();
        Batch { records, ..Batch::default() }
    }

    pub fn with_codec(self, codec: Codec) -> Batch {
        Batch { codec, ..self }
    }

    /// The batch of an idempotent producer.
    pub fn from_producer(self, producer_id: i64, producer_epoch: i16, base_sequence: i32) -> Batch {
        Batch { producer_id, producer_epoch, base_sequence, ..self }
    }

    /// Base timestamp in milliseconds since 1970.
    pub fn at(self, base_timestamp_ms: i64) -> Batch {
        Batch { base_timestamp_ms, ..self }
    }

    pub fn encode(&self) -> Bytes {
        let payload = self.payload.clone().unwrap_or_else(|| compress(self.codec, &self.encode_records()));
        let count = i32::try_from(self.records.len()).expect("a test's batch");
        let last_delta_ms = self.records.iter().map(|record| record.timestamp_delta_ms).max().unwrap_or(0);
        let mut covered = BytesMut::with_capacity(HEADER_BYTES + payload.len());
        covered.put_i16(self.attributes.unwrap_or(self.codec as i16));
        covered.put_i32(self.last_offset_delta.unwrap_or(count - 1));
        covered.put_i64(self.base_timestamp_ms);
        covered.put_i64(self.max_timestamp_ms.unwrap_or(self.base_timestamp_ms + last_delta_ms));
        covered.put_i64(self.producer_id);
        covered.put_i16(self.producer_epoch);
        covered.put_i32(self.base_sequence);
        covered.put_i32(self.record_count.unwrap_or(count));
        covered.put_slice(&payload);

        let mut batch = BytesMut::with_capacity(21 + covered.len());
        batch.put_i64(self.base_offset);
        batch.put_i32(i32::try_from(covered.len() + 9).expect("a test's batch"));
        batch.put_i32(self.leader_epoch);
        batch.put_i8(self.magic);
        batch.put_u32(self.crc.unwrap_or_else(|| crc32c(&covered)));
        batch.put_slice(&covered);
        batch.freeze()
    }

    fn encode_records(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for (offset_delta, record) in self.records.iter().enumerate() {
            let body = record.encode(offset_delta as i64);
            put_varint(&mut all, body.len() as i64);
            all.extend_from_slice(&body);
        }
        all
    }
}

impl Record {
    pub fn value(value: &str) -> Record {
        Record { value: Some(value.as_bytes().to_vec()), ..Record::default() }
    }

    /// A record's bytes behind its length.
    pub fn encode(&self, offset_delta: i64) -> Vec<u8> {
        let mut body = vec![0];
        put_varint(&mut body, self.timestamp_delta_ms);
        put_varint(&mut body, offset_delta);
        put_nullable(&mut body, self.key.as_deref());
        put_nullable(&mut body, self.value.as_deref());
        put_varint(&mut body, self.headers.len() as i64);
        for (name, value) in &self.headers {
            put_nullable(&mut body, Some(name.as_bytes()));
            put_nullable(&mut body, value.as_deref());
        }
        body
    }
}

/// The zig-zag variable-length integer of record fields.
pub fn put_varint(out: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn put_nullable(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    put_varint(out, bytes.map_or(-1, |bytes| bytes.len() as i64));
    out.extend_from_slice(bytes.unwrap_or_default());
}

pub fn crc32c(bytes: &[u8]) -> u32 {
    checksum(Crc32Iscsi, bytes) as u32
}

/// Compresses as Kafka's Java client does (snappy in xerial's framing).
pub fn compress(codec: Codec, records: &[u8]) -> Vec<u8> {
    const INTO_MEMORY: &str = "compressing into memory";
    match codec {
        Codec::None => records.to_vec(),
        Codec::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(records).expect(INTO_MEMORY);
            encoder.finish().expect(INTO_MEMORY)
        }
        Codec::Snappy => {
            let block = raw_snappy(records);
            let mut framed = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01".to_vec();
            framed.put_i32(block.len() as i32);
            framed.extend_from_slice(&block);
            framed
        }
        Codec::Lz4 => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(records).expect(INTO_MEMORY);
            encoder.finish().expect(INTO_MEMORY)
        }
        Codec::Zstd => zstd::stream::encode_all(records, 3).expect(INTO_MEMORY),
    }
}

/// Snappy without framing, as librdkafka sends it.
pub fn raw_snappy(records: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(records).expect("compressing into memory")
}

/// The wall clock in milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64
}
