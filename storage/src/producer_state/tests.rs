//! Scripts of what a producer sends and what becomes of it.

use super::*;
use crate::batch::Header;

/// A batch of `count` records at `offset`.
fn batch(producer: (i64, i16, i32), count: i32, offset: i64) -> Header {
    Header {
        base_offset: offset,
        batch_length: 100,
        leader_epoch: 0,
        magic: 2,
        crc: 0,
        attributes: 0,
        last_offset_delta: count - 1,
        base_timestamp: 1000,
        max_timestamp: 1000 + offset,
        producer_id: producer.0,
        producer_epoch: producer.1,
        base_sequence: producer.2,
        record_count: count,
    }
}

#[derive(Default)]
struct Script {
    state: ProducerState,
    end: i64,
}

impl Script {
    /// Sends a batch; says where it went, or what was wrong.
    fn send(&mut self, epoch: i16, sequence: i32, count: i32) -> Result<i64, &'static str> {
        let header = batch((1, epoch, sequence), count, self.end);
        match self.state.check(&header) {
            Ok(Check::Append) => {
                self.state.apply(&header, None);
                self.end += i64::from(count);
                Ok(header.base_offset)
            }
            Ok(Check::Duplicate(known)) => Ok(known.first_offset()),
            Err(AppendError::OutOfOrderSequence { .. }) => Err("sequence"),
            Err(AppendError::InvalidProducerEpoch { .. }) => Err("epoch"),
            Err(other) => panic!("unexpected {other}"),
        }
    }
}

/// IDEM-01, IDEM-02, IDEM-03
#[test]
fn five_batches_are_remembered_and_gaps_refused() {
    let mut script = Script::default();
    assert_eq!(script.send(0, 0, 10), Ok(0));
    assert_eq!(script.send(0, 0, 10), Ok(0), "the same again");
    assert_eq!(script.send(0, 5, 10), Err("sequence"), "overlap");
    assert_eq!(script.send(0, 0, 5), Err("sequence"), "a part of it");
    assert_eq!(script.send(0, 20, 1), Err("sequence"), "gap");
    for (sequence, offset) in (10..16).zip(10..) {
        assert_eq!(script.send(0, sequence, 1), Ok(offset));
    }
    for sequence in (11..16).rev() {
        assert_eq!(script.send(0, sequence, 1), Ok(i64::from(sequence)));
    }
    for (sequence, count) in [(10, 1), (0, 1), (0, 10), (14, 2)] {
        assert_eq!(script.send(0, sequence, count), Err("sequence"));
    }
    assert_eq!(script.end, 16, "duplicates and refusals leave no trace");
    assert_eq!(script.send(0, 16, 1), Ok(16));
}

#[test]
fn a_newer_epoch_starts_at_zero_and_fences_the_older() {
    let mut script = Script::default();
    script.send(0, 0, 1).expect("first");
    assert_eq!(script.send(1, 5, 1), Err("sequence"));
    assert_eq!(script.send(1, 0, 1), Ok(1));
    assert_eq!(script.send(0, 1, 1), Err("epoch"));
    assert_eq!(script.send(0, 0, 1), Err("epoch"), "even what was stored under the older epoch");
    assert_eq!(script.send(3, 0, 1), Ok(2));
    assert_eq!(script.send(-1, 1, 1), Err("epoch"));
}

#[test]
fn without_an_epoch_there_is_no_sequence_check() {
    let mut script = Script::default();
    for (epoch, sequence) in [(-1, 7), (-1, 99), (0, 5)] {
        script.send(epoch, sequence, 1).expect("accepted");
    }
    assert_eq!(script.send(0, 5, 1), Ok(2));
}

/// IDEM-04
#[test]
fn sequences_wrap_to_zero() {
    let mut script = Script::default();
    assert_eq!(script.send(0, 2_147_483_640, 5), Ok(0));
    assert_eq!(script.send(0, 2_147_483_645, 5), Ok(5), "straddles the wrap: ends with sequence 1");
    assert_eq!(script.send(0, 2_147_483_645, 5), Ok(5));
    assert_eq!(script.send(0, 2, 1), Ok(10));
    let mut at_the_edge = Script::default();
    at_the_edge.send(0, i32::MAX, 1).expect("first");
    assert_eq!(at_the_edge.send(0, 0, 1), Ok(1));
    assert_eq!(at_the_edge.send(0, 1, 1), Ok(2));
}

/// IDEM-05
#[test]
fn an_unknown_producer_may_start_anywhere() {
    let mut script = Script::default();
    assert_eq!(script.send(0, 7, 1), Ok(0));
    assert_eq!(script.send(0, 8, 1), Ok(1));
    assert_eq!(script.send(0, i32::MAX - 1, 1), Err("sequence"));
    script.state.expire(1001 + 86_400_000, 86_400_000);
    assert_eq!(script.send(0, 40, 1), Ok(2), "forgotten, so unknown again");
}

#[test]
fn producers_expire_by_the_time_of_their_last_batch_unless_a_transaction_is_open() {
    let mut state = ProducerState::default();
    state.apply(&batch((1, 0, 0), 1, 0), None);
    let mut transactional = batch((2, 0, 0), 1, 1);
    transactional.attributes = crate::format::attribute::TRANSACTIONAL;
    state.apply(&transactional, None);
    state.expire(1099, 100);
    assert_eq!(state.infos().count(), 2);
    state.expire(1100, 100);
    assert_eq!(state.infos().map(|info| info.producer_id).collect::<Vec<_>>(), [2]);
}

fn marker(epoch: i16, offset: i64) -> Header {
    let attributes = crate::format::attribute::TRANSACTIONAL | crate::format::attribute::CONTROL;
    Header { attributes, ..batch((1, epoch, -1), 1, offset) }
}

#[test]
fn a_marker_closes_the_transaction_and_may_raise_the_epoch() {
    let mut state = ProducerState::default();
    let mut data = batch((1, 0, 0), 3, 10);
    data.attributes = crate::format::attribute::TRANSACTIONAL;
    state.apply(&data, None);
    assert_eq!(state.oldest_open_transaction(), Some(10));
    state.apply(&marker(1, 13), Some(Marker { coordinator_epoch: 4 }));
    assert_eq!(state.oldest_open_transaction(), None);
    let info = state.infos().next().expect("known");
    assert_eq!((info.producer_epoch, info.last_sequence, info.coordinator_epoch), (1, -1, 4));
    assert!(state.check(&batch((1, 1, 3), 1, 14)).is_err(), "after the raise the first sequence is 0");
    assert_eq!(state.check(&batch((1, 1, 0), 1, 14)).expect("accepted"), Check::Append);
}

#[test]
fn markers_are_read_from_their_record() {
    let value = [0, 0, 0, 0, 0, 9];
    assert_eq!(Marker::parse(&[0, 0, 0, 1], &value), Some(Marker { coordinator_epoch: 9 }));
    assert_eq!(Marker::parse(&[0, 0, 0, 2], &value), None, "a leader change is none");
    assert_eq!(Marker::parse(&[0, 0, 0], &value), None);
    assert_eq!(Marker::parse(&[0, 0, 0, 0], &value[..5]), None);
}

#[test]
fn snapshots_keep_the_last_batch_and_the_open_transaction() {
    let mut script = Script::default();
    script.send(2, 0, 3).expect("first");
    script.send(2, 3, 4).expect("second");
    let mut transactional = batch((9, 0, 0), 1, 7);
    transactional.attributes = crate::format::attribute::TRANSACTIONAL;
    script.state.apply(&transactional, None);
    let bytes = snapshot::encode(&script.state);
    assert_eq!(bytes.len(), 10 + 2 * 46);
    let loaded = snapshot::decode(&bytes).expect("intact");
    assert_eq!(loaded.oldest_open_transaction(), Some(7));
    assert_eq!(snapshot::encode(&loaded), bytes);
    script.state = loaded;
    assert_eq!(script.send(2, 3, 4), Ok(3), "the last batch is still known");
    assert_eq!(script.send(2, 0, 3), Err("sequence"), "the one before is not");
    assert_eq!(script.send(2, 7, 1), Ok(7));
}

#[test]
fn a_damaged_snapshot_is_no_snapshot() {
    let mut script = Script::default();
    script.send(0, 0, 1).expect("first");
    let good = snapshot::encode(&script.state);
    for len in 0..good.len() {
        assert!(snapshot::decode(&good[..len]).is_none(), "cut to {len}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        assert!(snapshot::decode(&bad).is_none(), "bit flipped at {at}");
    }
}
