//! Reads the record batches of a Fetch answer: what a consumer would see, and how it is stored.

use crate::batch::{Codec, HEADER_BYTES, Record, crc32c};
use bytes::{Buf, Bytes};
use std::io::Read;

/// A batch as the broker gave it.
#[derive(Clone, Debug)]
pub struct StoredBatch {
    pub base_offset: i64,
    pub leader_epoch: i32,
    pub attributes: i16,
    pub last_offset_delta: i32,
    pub base_timestamp_ms: i64,
    pub max_timestamp_ms: i64,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub records: Vec<StoredRecord>,
    /// Header and payload, as they came.
    pub bytes: Bytes,
}

#[derive(Clone, Debug)]
pub struct StoredRecord {
    pub offset: i64,
    pub timestamp_ms: i64,
    pub record: Record,
}

impl StoredBatch {
    pub fn codec(&self) -> Codec {
        Codec::ALL[usize::from(self.attributes as u16 & 7)]
    }

    /// Whether timestamps are the broker's (message.timestamp.type=LogAppendTime).
    pub fn is_log_append_time(&self) -> bool {
        self.attributes & 8 != 0
    }

    pub fn last_offset(&self) -> i64 {
        self.base_offset + i64::from(self.last_offset_delta)
    }
}

impl StoredRecord {
    pub fn value(&self) -> &str {
        std::str::from_utf8(self.record.value.as_deref().expect("a value")).expect("text")
    }
}

/// Reads whole batches; a CRC that is wrong or a record that does not parse is a panic. A cut batch at the end
/// of a Fetch answer is left out, as consumers do.
pub fn batches(mut bytes: Bytes) -> Vec<StoredBatch> {
    let mut found = Vec::new();
    while bytes.len() >= HEADER_BYTES {
        let length = 12 + bytes.slice(8..12).get_i32() as usize;
        if length > bytes.len() {
            break;
        }
        found.push(batch(bytes.split_to(length)));
    }
    found
}

/// All records of these batches, in order.
pub fn records(batches: &[StoredBatch]) -> Vec<StoredRecord> {
    batches.iter().flat_map(|batch| batch.records.iter().cloned()).collect()
}

/// All values as text, in order.
pub fn values(batches: &[StoredBatch]) -> Vec<String> {
    records(batches).iter().map(|record| record.value().to_owned()).collect()
}

fn batch(bytes: Bytes) -> StoredBatch {
    let mut header = bytes.clone();
    let base_offset = header.get_i64();
    header.get_i32();
    let leader_epoch = header.get_i32();
    assert_eq!(header.get_i8(), 2, "magic");
    assert_eq!(header.get_u32(), crc32c(&bytes[21..]), "the batch at {base_offset}: CRC");
    let attributes = header.get_i16();
    let mut batch = StoredBatch {
        base_offset,
        leader_epoch,
        attributes,
        last_offset_delta: header.get_i32(),
        base_timestamp_ms: header.get_i64(),
        max_timestamp_ms: header.get_i64(),
        producer_id: header.get_i64(),
        producer_epoch: header.get_i16(),
        base_sequence: header.get_i32(),
        records: Vec::new(),
        bytes,
    };
    let count = header.get_i32();
    let mut payload = Bytes::from(decompress(batch.codec(), &header));
    batch.records = (0..count).map(|_| record(&mut payload, &batch)).collect();
    assert!(payload.is_empty(), "the batch at {base_offset}: bytes after the last record");
    batch
}

fn record(payload: &mut Bytes, batch: &StoredBatch) -> StoredRecord {
    let length = varint(payload) as usize;
    let mut body = payload.split_to(length);
    body.get_i8();
    let timestamp_delta_ms = varint(&mut body);
    let offset = batch.base_offset + varint(&mut body);
    let key = nullable(&mut body);
    let value = nullable(&mut body);
    let headers = (0..varint(&mut body))
        .map(|_| {
            let name = nullable(&mut body).expect("a header has a name");
            (String::from_utf8(name).expect("text"), nullable(&mut body))
        })
        .collect();
    assert!(body.is_empty(), "record {offset}: bytes after the headers");
    let timestamp_ms = if batch.is_log_append_time() {
        batch.max_timestamp_ms
    } else {
        batch.base_timestamp_ms + timestamp_delta_ms
    };
    StoredRecord { offset, timestamp_ms, record: Record { key, value, headers, timestamp_delta_ms } }
}

fn nullable(bytes: &mut Bytes) -> Option<Vec<u8>> {
    let length = varint(bytes);
    (length >= 0).then(|| bytes.split_to(length as usize).to_vec())
}

fn varint(bytes: &mut Bytes) -> i64 {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = bytes.get_u8();
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn decompress(codec: Codec, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match codec {
        Codec::None => return payload.to_vec(),
        Codec::Gzip => flate2::read::MultiGzDecoder::new(payload).read_to_end(&mut out).expect("gzip"),
        Codec::Snappy => return unsnappy(payload),
        Codec::Lz4 => lz4_flex::frame::FrameDecoder::new(payload).read_to_end(&mut out).expect("lz4"),
        Codec::Zstd => {
            zstd::stream::Decoder::new(payload).expect("zstd").read_to_end(&mut out).expect("zstd")
        }
    };
    out
}

/// Either framing: xerial's blocks, as Java writes them, or one raw block, as librdkafka does.
fn unsnappy(payload: &[u8]) -> Vec<u8> {
    let raw = |block: &[u8]| snap::raw::Decoder::new().decompress_vec(block).expect("snappy");
    let Some(mut blocks) = payload.strip_prefix(b"\x82SNAPPY\0").map(|rest| &rest[8..]) else {
        return raw(payload);
    };
    let mut out = Vec::new();
    while blocks.has_remaining() {
        let length = blocks.get_i32() as usize;
        out.extend(raw(&blocks[..length]));
        blocks.advance(length);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;

    /// The reader and the writer of this crate agree for every codec, so that a mismatch is the broker's.
    #[test]
    fn what_is_written_is_read() {
        for codec in Codec::ALL {
            let written = Batch::keyed(&[("till", "pasta"), ("web", "milk")]).with_codec(codec);
            let read = batches(written.encode());
            assert_eq!(values(&read), ["pasta", "milk"], "{codec:?}");
            assert_eq!(read[0].codec(), codec);
        }
    }

    #[test]
    #[should_panic(expected = "CRC")]
    fn a_wrong_crc_is_noticed() {
        batches(Batch { crc: Some(7), ..Batch::of(&["x"]) }.encode());
    }

    #[test]
    fn raw_snappy_is_read_too() {
        let records = Batch::of(&["x"]).encode().slice(HEADER_BYTES..);
        let batch = Batch {
            payload: Some(crate::batch::raw_snappy(&records)),
            attributes: Some(Codec::Snappy as i16),
            ..Batch::of(&["x"])
        };
        assert_eq!(values(&batches(batch.encode())), ["x"]);
    }
}
