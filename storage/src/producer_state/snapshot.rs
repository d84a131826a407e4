//! Producer state in a file: `<offset>.snapshot` holds it as it was before the batch at that offset.
//!
//! Only the last batch of each producer is kept, as in Kafka: after a restart duplicates of that one are known.

use super::{Producer, ProducerState, Remembered};
use crate::format::{
    SNAPSHOT_CHECKED_FROM, SNAPSHOT_CRC_AT, SNAPSHOT_ENTRY_LEN, SNAPSHOT_HEADER_LEN, SNAPSHOT_VERSION, crc32c,
};

/// The bytes of a snapshot.
pub(crate) fn encode(state: &ProducerState) -> Vec<u8> {
    let mut out = Vec::with_capacity(SNAPSHOT_HEADER_LEN + state.producers.len() * SNAPSHOT_ENTRY_LEN);
    out.extend_from_slice(&SNAPSHOT_VERSION.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(state.producers.len() as i32).to_be_bytes());
    let mut producers: Vec<_> = state.producers.iter().collect();
    // The same state is the same file, whatever the order of the map.
    producers.sort_by_key(|(id, _)| **id);
    for (id, producer) in producers {
        put_producer(&mut out, *id, producer);
    }
    let crc = crc32c(&[&out[SNAPSHOT_CHECKED_FROM..]]);
    out[SNAPSHOT_CRC_AT..SNAPSHOT_CHECKED_FROM].copy_from_slice(&crc.to_be_bytes());
    out
}

/// The state in a snapshot; `None` when the file is cut or damaged.
pub(crate) fn decode(bytes: &[u8]) -> Option<ProducerState> {
    let mut fields = bytes;
    let (version, crc) = (i16::from_be_bytes(take(&mut fields)?), u32::from_be_bytes(take(&mut fields)?));
    let count = i32::from_be_bytes(take(&mut fields)?);
    let count = usize::try_from(count).ok()?;
    if version != SNAPSHOT_VERSION
        || fields.len() != count.checked_mul(SNAPSHOT_ENTRY_LEN)?
        || crc != crc32c(&[&bytes[SNAPSHOT_CHECKED_FROM..]])
    {
        return None;
    }
    let mut state = ProducerState::default();
    for _ in 0..count {
        let (id, producer) = take_producer(&mut fields)?;
        if let Some(start) = producer.transaction_start {
            state.open_transactions.insert(start, id);
        }
        state.producers.insert(id, producer);
    }
    Some(state)
}

fn put_producer(out: &mut Vec<u8>, id: i64, producer: &Producer) {
    let none = Remembered { last_sequence: -1, last_offset: -1, offset_delta: 0, timestamp: -1 };
    let last = producer.batches.back().unwrap_or(&none);
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&producer.epoch.to_be_bytes());
    out.extend_from_slice(&last.last_sequence.to_be_bytes());
    out.extend_from_slice(&last.last_offset.to_be_bytes());
    out.extend_from_slice(&last.offset_delta.to_be_bytes());
    out.extend_from_slice(&producer.last_timestamp.to_be_bytes());
    out.extend_from_slice(&producer.coordinator_epoch.to_be_bytes());
    out.extend_from_slice(&producer.transaction_start.unwrap_or(-1).to_be_bytes());
}

fn take_producer(fields: &mut &[u8]) -> Option<(i64, Producer)> {
    let id = i64::from_be_bytes(take(fields)?);
    let epoch = i16::from_be_bytes(take(fields)?);
    let last_sequence = i32::from_be_bytes(take(fields)?);
    let last_offset = i64::from_be_bytes(take(fields)?);
    let offset_delta = i32::from_be_bytes(take(fields)?);
    let timestamp = i64::from_be_bytes(take(fields)?);
    let coordinator_epoch = i32::from_be_bytes(take(fields)?);
    let transaction_start = Some(i64::from_be_bytes(take(fields)?)).filter(|&start| start >= 0);
    let last = Remembered { last_sequence, last_offset, offset_delta, timestamp };
    let batches = (last_offset >= 0).then_some(last).into_iter().collect();
    Some((id, Producer { epoch, batches, last_timestamp: timestamp, coordinator_epoch, transaction_start }))
}

fn take<const N: usize>(fields: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = fields.split_first_chunk()?;
    *fields = rest;
    Some(*taken)
}
