//! Batches from records of our own: coordinators, metadata, markers. One batch, not compressed.

use crate::{
    batch::{HEADER_LEN, Header, ValidBatch},
    format::{LENGTH_PREFIX_LEN, MAGIC_V2, attribute},
    records::put_varint,
};

/// Builds one uncompressed batch from records of our own (coordinators, metadata).
pub struct Builder {
    timestamp_ms: i64,
    payload: Vec<u8>,
    record_count: i32,
    attributes: i16,
    producer: (i64, i16, i32),
}

impl Builder {
    /// An empty batch whose records carry `timestamp_ms`.
    pub fn new(timestamp_ms: i64) -> Self {
        Self { timestamp_ms, payload: Vec::new(), record_count: 0, attributes: 0, producer: (-1, -1, -1) }
    }

    /// Adds a record.
    pub fn push(&mut self, key: Option<&[u8]>, value: Option<&[u8]>) -> &mut Self {
        put_record(&mut self.payload, self.record_count, 0, key, value);
        self.record_count += 1;
        self
    }

    /// Marks the batch as a control batch (metadata leader change, snapshot header and footer).
    pub fn control(&mut self) -> &mut Self {
        self.attributes |= attribute::CONTROL;
        self
    }

    /// Makes the batch one of a transaction (with [`Self::control`]: its marker), written for this producer.
    pub fn transactional(&mut self, producer_id: i64, producer_epoch: i16) -> &mut Self {
        self.attributes |= attribute::TRANSACTIONAL;
        self.producer = (producer_id, producer_epoch, -1);
        self
    }

    /// Bytes of the batch as it stands.
    pub fn byte_len(&self) -> usize {
        HEADER_LEN + self.payload.len()
    }

    pub fn is_empty(&self) -> bool {
        self.record_count == 0
    }

    /// The batch.
    ///
    /// # Panics
    /// When nothing was pushed: an empty batch is a mistake of ours.
    pub fn build(self) -> ValidBatch {
        assert!(self.record_count > 0, "a batch has at least one record");
        let (producer_id, producer_epoch, base_sequence) = self.producer;
        let header = Header {
            base_offset: 0,
            batch_length: (HEADER_LEN - LENGTH_PREFIX_LEN + self.payload.len()) as i32,
            leader_epoch: -1,
            magic: MAGIC_V2,
            crc: 0,
            attributes: self.attributes,
            last_offset_delta: self.record_count - 1,
            base_timestamp: self.timestamp_ms,
            max_timestamp: self.timestamp_ms,
            producer_id,
            producer_epoch,
            base_sequence,
            record_count: self.record_count,
        };
        ValidBatch::seal(header, self.payload.into())
    }
}

fn put_record(
    out: &mut Vec<u8>,
    offset_delta: i32,
    timestamp_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
) {
    let mut body = Vec::with_capacity(16 + key.map_or(0, <[u8]>::len) + value.map_or(0, <[u8]>::len));
    body.push(0);
    put_varint(&mut body, timestamp_delta);
    put_varint(&mut body, i64::from(offset_delta));
    for field in [key, value] {
        put_varint(&mut body, field.map_or(-1, |bytes| bytes.len() as i64));
        body.extend_from_slice(field.unwrap_or_default());
    }
    put_varint(&mut body, 0);
    put_varint(out, body.len() as i64);
    out.extend_from_slice(&body);
}

#[cfg(test)]
pub(crate) fn encode_record(
    offset_delta: i32,
    timestamp_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    put_record(&mut out, offset_delta, timestamp_delta, key, value);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::batches;

    #[test]
    fn built_batches_are_intact_and_hold_what_was_pushed() {
        let mut builder = Builder::new(1234);
        builder.push(Some(b"k"), None).push(None, Some(b"v")).control();
        let bytes = builder.build().to_bytes();
        let batch = batches(&bytes).next().expect("intact");
        assert!(batch.is_control());
        let mut seen = Vec::new();
        batch
            .for_each_record(1000, &mut |record| {
                seen.push((
                    record.offset,
                    record.timestamp,
                    record.key.map(<[u8]>::to_vec),
                    record.value.is_some(),
                ));
            })
            .expect("well formed");
        assert_eq!(seen, [(0, 1234, Some(b"k".to_vec()), false), (1, 1234, None, true)]);
    }
}
