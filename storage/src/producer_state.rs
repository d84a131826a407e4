//! What the log knows of each producer, so that a batch sent twice is stored once (KIP-98, KIP-360).
//!
//! Per producer: its epoch, its last five batches, and its open transaction. The state is a function of the log:
//! it is rebuilt from a snapshot and the batch headers after it.

pub(crate) mod snapshot;

use crate::{
    batch::Header,
    format::{CONTROL_ABORT, CONTROL_COMMIT},
    log::AppendError,
};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A producer may have so many requests in flight, and resend them all.
const REMEMBERED_BATCHES: usize = 5;
const NO_EPOCH: i16 = -1;
const NO_SEQUENCE: i32 = -1;

/// A batch that was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remembered {
    pub last_sequence: i32,
    pub last_offset: i64,
    /// Last offset minus first, and last sequence minus first.
    pub offset_delta: i32,
    pub timestamp: i64,
}

impl Remembered {
    pub fn first_offset(&self) -> i64 {
        self.last_offset - i64::from(self.offset_delta)
    }

    fn first_sequence(&self) -> i32 {
        // Sequences count modulo 2^31.
        self.last_sequence.wrapping_sub(self.offset_delta) & i32::MAX
    }
}

/// One producer, as `DescribeProducers` wants to know it. -1 where there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerInfo {
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub last_sequence: i32,
    pub last_timestamp: i64,
    pub coordinator_epoch: i32,
    pub transaction_start: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Producer {
    epoch: i16,
    /// Oldest first.
    batches: VecDeque<Remembered>,
    last_timestamp: i64,
    coordinator_epoch: i32,
    transaction_start: Option<i64>,
}

impl Default for Producer {
    fn default() -> Self {
        Self {
            epoch: NO_EPOCH,
            batches: VecDeque::new(),
            last_timestamp: -1,
            coordinator_epoch: -1,
            transaction_start: None,
        }
    }
}

impl Producer {
    fn last_sequence(&self) -> i32 {
        self.batches.back().map_or(NO_SEQUENCE, |batch| batch.last_sequence)
    }
}

/// What a transaction marker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub coordinator_epoch: i32,
}

impl Marker {
    /// Reads the record of a control batch; `None` when it is a marker of another kind.
    pub fn parse(key: &[u8], value: &[u8]) -> Option<Self> {
        let kind = i16::from_be_bytes(*key.get(2..)?.first_chunk()?);
        if kind != CONTROL_ABORT && kind != CONTROL_COMMIT {
            return None;
        }
        Some(Self { coordinator_epoch: i32::from_be_bytes(*value.get(2..)?.first_chunk()?) })
    }
}

/// May a batch be appended?
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Append,
    /// It was appended before.
    Duplicate(Remembered),
}

/// All producers of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProducerState {
    producers: HashMap<i64, Producer>,
    /// First offsets of the transactions that are open.
    open_transactions: BTreeMap<i64, i64>,
}

impl ProducerState {
    /// Judges a batch of a client. The order of the checks is Kafka's.
    pub fn check(&self, header: &Header) -> Result<Check, AppendError> {
        if !header.has_producer_id() || header.is_control() {
            return Ok(Check::Append);
        }
        let Some(producer) = self.producers.get(&header.producer_id) else {
            // Unknown here (new, expired, or its records are gone): any sequence may be its first (KIP-360).
            return Ok(Check::Append);
        };
        if let Some(duplicate) = find_duplicate(producer, header) {
            return Ok(Check::Duplicate(duplicate));
        }
        check_epoch(producer, header)?;
        check_sequence(producer, header)?;
        Ok(Check::Append)
    }

    /// Takes note of a batch that is in the log. Checks nothing: what is in the log happened.
    pub fn apply(&mut self, header: &Header, marker: Option<Marker>) {
        if !header.has_producer_id() {
            return;
        }
        if header.is_control() {
            if let Some(marker) = marker {
                self.end_transaction(header, marker);
            }
            return;
        }
        let producer = self.producers.entry(header.producer_id).or_default();
        if producer.epoch != header.producer_epoch {
            producer.epoch = header.producer_epoch;
            producer.batches.clear();
        }
        if producer.batches.len() == REMEMBERED_BATCHES {
            producer.batches.pop_front();
        }
        producer.batches.push_back(Remembered {
            last_sequence: last_sequence(header),
            last_offset: header.last_offset(),
            offset_delta: header.last_offset_delta,
            timestamp: header.max_timestamp,
        });
        producer.last_timestamp = header.max_timestamp;
        if header.is_transactional() && producer.transaction_start.is_none() {
            producer.transaction_start = Some(header.base_offset);
            self.open_transactions.insert(header.base_offset, header.producer_id);
        }
    }

    fn end_transaction(&mut self, header: &Header, marker: Marker) {
        let producer = self.producers.entry(header.producer_id).or_default();
        if header.producer_epoch > producer.epoch {
            producer.epoch = header.producer_epoch;
            producer.batches.clear();
        }
        producer.last_timestamp = header.max_timestamp;
        producer.coordinator_epoch = marker.coordinator_epoch;
        if let Some(start) = producer.transaction_start.take() {
            self.open_transactions.remove(&start);
        }
    }

    /// First offset of the oldest transaction that is open.
    pub fn oldest_open_transaction(&self) -> Option<i64> {
        self.open_transactions.first_key_value().map(|(&start, _)| start)
    }

    /// Forgets producers whose last batch is older than `expiration_ms` by its own timestamp; never one with an
    /// open transaction.
    pub fn expire(&mut self, now_ms: i64, expiration_ms: i64) {
        self.producers.retain(|_, producer| {
            producer.transaction_start.is_some()
                || now_ms.saturating_sub(producer.last_timestamp) < expiration_ms
        });
    }

    pub fn infos(&self) -> impl Iterator<Item = ProducerInfo> {
        self.producers.iter().map(|(&producer_id, producer)| ProducerInfo {
            producer_id,
            producer_epoch: producer.epoch,
            last_sequence: producer.last_sequence(),
            last_timestamp: producer.last_timestamp,
            coordinator_epoch: producer.coordinator_epoch,
            transaction_start: producer.transaction_start.unwrap_or(-1),
        })
    }
}

fn find_duplicate(producer: &Producer, header: &Header) -> Option<Remembered> {
    if producer.epoch != header.producer_epoch {
        return None;
    }
    let both_ends = (header.base_sequence, last_sequence(header));
    producer.batches.iter().find(|batch| (batch.first_sequence(), batch.last_sequence) == both_ends).copied()
}

fn check_epoch(producer: &Producer, header: &Header) -> Result<(), AppendError> {
    match header.producer_epoch < producer.epoch {
        true => Err(AppendError::InvalidProducerEpoch {
            producer_id: header.producer_id,
            epoch: header.producer_epoch,
            current: producer.epoch,
        }),
        false => Ok(()),
    }
}

fn check_sequence(producer: &Producer, header: &Header) -> Result<(), AppendError> {
    let (first, last) = (header.base_sequence, producer.last_sequence());
    let follows = if producer.epoch == NO_EPOCH {
        true
    } else if header.producer_epoch != producer.epoch {
        first == 0
    } else {
        // Without a batch since a marker raised the epoch, `last` is -1 and 0 follows.
        first == last.wrapping_add(1) & i32::MAX
    };
    match follows {
        true => Ok(()),
        false => Err(AppendError::OutOfOrderSequence { producer_id: header.producer_id, first, last }),
    }
}

fn last_sequence(header: &Header) -> i32 {
    match header.base_sequence {
        NO_SEQUENCE => NO_SEQUENCE,
        first => first.wrapping_add(header.last_offset_delta) & i32::MAX,
    }
}

#[cfg(test)]
mod tests;
