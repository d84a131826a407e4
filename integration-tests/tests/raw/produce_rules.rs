//! Produce: batches and records that must be refused, whole and with the right code (`PROD-*`).

use bytes::{Buf, BufMut, Bytes, BytesMut};
use integration_tests::{
    Connection, Daybook,
    batch::{Batch, Codec, HEADER_BYTES, Record, compress, now_ms, put_varint},
};

const CORRUPT_MESSAGE: i16 = 2;
const INVALID_TIMESTAMP: i16 = 32;
const INVALID_RECORD: i16 = 87;

/// The records must be refused with one of these codes; nothing stored, the connection alive.
fn assert_refused(connection: &mut Connection, what: &str, records: Bytes, codes: &[i16]) {
    let answer = connection.try_produce("t", 0, records);
    assert!(codes.contains(&answer.error_code), "{what}: error {} instead of {codes:?}", answer.error_code);
    assert_eq!(answer.base_offset, -1, "{what}");
    assert_eq!(connection.offsets("t", 0), (0, 0), "{what}: something was stored");
}

fn with_topic(configs: &[(&str, &str)]) -> (Daybook, Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, configs);
    (daybook, connection)
}

/// PROD-03: one flipped bit is error 2.
#[test]
fn a_wrong_crc_is_corrupt() {
    let (_daybook, mut connection) = with_topic(&[]);
    for position in [17, 21, 23, HEADER_BYTES, HEADER_BYTES + 3] {
        let mut bytes = BytesMut::from(&Batch::of(&["x", "y"]).encode()[..]);
        bytes[position] ^= 1;
        assert_refused(&mut connection, &format!("bit at {position}"), bytes.freeze(), &[CORRUPT_MESSAGE]);
    }
    let good = Batch::of(&["x"]).encode();
    assert_eq!(connection.try_produce("t", 0, good).error_code, 0, "the connection is kept");
}

/// PROD-06: exactly one batch, of format 2, whose counts agree.
#[test]
fn anything_but_one_whole_batch_is_refused() {
    let (_daybook, mut connection) = with_topic(&[]);
    let good = Batch::of(&["x"]).encode();
    let two = Bytes::from([&good[..], &good[..]].concat());
    assert_refused(&mut connection, "no batch", Bytes::new(), &[INVALID_RECORD]);
    assert_refused(&mut connection, "two batches", two, &[INVALID_RECORD]);
    assert_refused(&mut connection, "an old message set", old_message_set(), &[INVALID_RECORD]);
    let records = || Batch::of(&["x", "y"]);
    for (what, batch) in [
        ("count above", Batch { record_count: Some(3), ..records() }),
        ("count below", Batch { record_count: Some(1), ..records() }),
        ("count and delta disagree", Batch { last_offset_delta: Some(5), ..records() }),
        ("no records", Batch { record_count: Some(0), last_offset_delta: Some(-1), ..Batch::default() }),
    ] {
        assert_refused(&mut connection, what, batch.encode(), &[INVALID_RECORD, CORRUPT_MESSAGE]);
    }
}

/// A message set of format 1 with one message.
fn old_message_set() -> Bytes {
    let mut message = BytesMut::new();
    message.put_i8(1);
    message.put_i8(0);
    message.put_i64(1_000);
    message.put_i32(-1);
    message.put_i32(1);
    message.put_u8(b'x');
    let mut crc = flate2::Crc::new();
    crc.update(&message);
    let mut set = BytesMut::new();
    set.put_i64(0);
    set.put_i32(message.len() as i32 + 4);
    set.put_u32(crc.sum());
    set.put(message);
    set.freeze()
}

/// A cut batch is refused, wherever it is cut.
#[test]
fn a_cut_batch_is_refused() {
    let (_daybook, mut connection) = with_topic(&[]);
    let good = Batch::of(&["x"]).encode();
    for length in [1, 11, 12, 17, 60, good.len() - 1] {
        let cut = good.slice(..length);
        assert_refused(&mut connection, &format!("{length} bytes"), cut, &[CORRUPT_MESSAGE, INVALID_RECORD]);
    }
}

/// PROD-10: a record too far in the future or past is error 32 for the whole batch, and is named.
#[test]
fn a_timestamp_out_of_range_names_its_record() {
    let (_daybook, mut connection) = with_topic(&[
        ("message.timestamp.after.max.ms", "1000"),
        ("message.timestamp.before.max.ms", "60000"),
    ]);
    for out_of_range_ms in [600_000, -600_000] {
        let mut records = vec![Record::value("a"), Record::value("b"), Record::value("c")];
        records[1].timestamp_delta_ms = out_of_range_ms;
        let batch = Batch { records, ..Batch::default() };
        let answer = connection.try_produce("t", 0, batch.encode());
        assert_eq!(answer.error_code, INVALID_TIMESTAMP);
        let named: Vec<_> = answer.record_errors.iter().map(|error| error.batch_index).collect();
        assert_eq!(named, [1]);
        assert!(answer.record_errors[0].batch_index_error_message.is_some());
    }
    assert_eq!(connection.offsets("t", 0), (0, 0));
}

/// PROD-10: without a setting, an hour ahead is the limit (KIP-1030), and the past has none.
#[test]
fn the_default_allows_the_past_and_an_hour_ahead() {
    let (_daybook, mut connection) = with_topic(&[]);
    let two_hours_ahead = Batch::of(&["x"]).at(now_ms() + 7_200_000);
    assert_refused(&mut connection, "two hours ahead", two_hours_ahead.encode(), &[INVALID_TIMESTAMP]);
    connection.produce("t", 0, &Batch::of(&["x"]).at(0));
    connection.produce("t", 0, &Batch::of(&["x"]).at(now_ms() + 1_800_000));
}

/// PROD-11: a compacted topic takes no record without key; each one is named.
#[test]
fn a_compacted_topic_needs_keys() {
    for policy in ["compact", "compact,delete"] {
        let (_daybook, mut connection) = with_topic(&[("cleanup.policy", policy)]);
        let mut batch = Batch::keyed(&[("k", "a"), ("k", "b")]);
        batch.records[1].key = None;
        let answer = connection.try_produce("t", 0, batch.encode());
        assert_eq!(answer.error_code, INVALID_RECORD, "{policy}");
        let named: Vec<_> = answer.record_errors.iter().map(|error| error.batch_index).collect();
        assert_eq!(named, [1]);
        assert_eq!(connection.offsets("t", 0), (0, 0));
        connection.produce("t", 0, &Batch::keyed(&[("k", "a")]));
    }
}

/// PROD-21: records that do not parse are refused although the CRC is right, plain and compressed.
#[test]
fn malformed_records_are_refused_and_nobody_panics() {
    let (daybook, mut connection) = with_topic(&[]);
    let good = Record::value("v").encode(0);
    let framed = |length: i64, body: &[u8]| {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, length);
        bytes.extend_from_slice(body);
        bytes
    };
    let mut negative_headers = good[..good.len() - 1].to_vec();
    put_varint(&mut negative_headers, -1);
    let mut endless_headers = good[..good.len() - 1].to_vec();
    put_varint(&mut endless_headers, i64::from(i32::MAX));
    for (what, payload) in [
        ("a length past the batch", framed(1 << 20, &good)),
        ("a length past 32 bits", framed(1 << 40, &good)),
        ("a negative length", framed(-1, &good)),
        ("a varint that never ends", vec![0xff; 20]),
        ("a negative header count", framed(negative_headers.len() as i64, &negative_headers)),
        ("a header count without headers", framed(endless_headers.len() as i64, &endless_headers)),
        ("a length too short", framed(good.len() as i64 - 2, &good)),
        ("bytes after the last record", [framed(good.len() as i64, &good), vec![0; 3]].concat()),
        ("nothing at all", Vec::new()),
    ] {
        for codec in Codec::ALL {
            let batch = Batch { payload: Some(compress(codec, &payload)), codec, ..Batch::of(&["v"]) };
            let what = format!("{what}, {codec:?}");
            assert_refused(&mut connection, &what, batch.encode(), &[INVALID_RECORD, CORRUPT_MESSAGE]);
        }
    }
    assert!(!daybook.log().contains("panick"), "{}", daybook.log());
}

/// A payload that is not what its codec says, or a codec that does not exist, is refused.
#[test]
fn a_payload_that_does_not_decompress_is_refused() {
    let (_daybook, mut connection) = with_topic(&[]);
    for codec in 1..=7_i16 {
        let batch = Batch { payload: Some(vec![0xab; 40]), attributes: Some(codec), ..Batch::of(&["x"]) };
        let what = format!("codec {codec}");
        assert_refused(&mut connection, &what, batch.encode(), &[INVALID_RECORD, CORRUPT_MESSAGE, 76]);
    }
}

/// A few kilobytes that decompress to gigabytes are refused without being held in memory.
#[test]
fn a_decompression_bomb_is_refused_within_bounds() {
    let daybook = Daybook::start(&[("max.decompressed.message.bytes", "10000000")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let zeros = vec![0_u8; 400 << 20];
    let memory_before = daybook.resident_kib();
    for codec in [Codec::Zstd, Codec::Gzip] {
        let batch = Batch { payload: Some(compress(codec, &zeros)), codec, ..Batch::of(&["x"]) };
        let answer = connection.try_produce("t", 0, batch.encode());
        assert_ne!(answer.error_code, 0, "{codec:?}");
    }
    let grown = daybook.resident_kib().saturating_sub(memory_before);
    assert!(grown < 64 * 1024, "memory grew by {grown} KiB");
    assert_eq!(connection.offsets("t", 0), (0, 0));
}

/// Control batches are the broker's: a client may not send one.
#[test]
fn a_client_may_not_write_control_batches() {
    let (_daybook, mut connection) = with_topic(&[]);
    let batch = Batch { attributes: Some(32), ..Batch::keyed(&[("k", "v")]) };
    assert_refused(&mut connection, "control", batch.encode(), &[INVALID_RECORD]);
    let good = Batch::of(&["x"]).encode();
    assert_eq!(good.slice(16..17).get_i8(), 2, "the bytes that were varied are where they are thought to be");
}
