//! The table of what is accepted and how the rest is refused. Apache Kafka 4.4 gave the same answers, except
//! where it failed with an unexpected exception (marked so).

use super::{testing::*, *};
use Reason::{Corrupt, InvalidProducerEpoch, InvalidRecord, InvalidTimestamp, TooLarge, UnsupportedCodec};

type Case = (&'static str, Bytes, Option<Reason>);

fn kv() -> RecordSketch {
    record().key(Some(b"k")).value(Some(b"v"))
}

fn one(record: RecordSketch) -> Sketch {
    Sketch::of(vec![record.build()])
}

fn check(cases: Vec<Case>) {
    for (name, bytes, expected) in cases {
        let got = validate(bytes, &rules());
        assert_eq!(got.as_ref().err().map(|e| e.reason), expected, "{name}: {got:?}");
    }
}

fn joined(parts: &[&[u8]]) -> Bytes {
    parts.concat().into()
}

/// A message set of one message, as versions 0 and 1 had them; the checksum does not matter here.
fn message_set(magic: u8) -> Vec<u8> {
    let mut message = vec![0, 0, 0, 0, magic, 0];
    message.extend_from_slice(&[0; 8][..if magic == 1 { 8 } else { 0 }]);
    message.extend_from_slice(b"\0\0\0\x01k\0\0\0\x01v");
    [&0i64.to_be_bytes()[..], &(message.len() as i32).to_be_bytes(), &message].concat()
}

/// PROD-06
#[test]
fn exactly_one_whole_batch_of_version_2_is_accepted() {
    let good = Sketch::plain(1).bytes();
    let length = |length| Sketch { length: Some(length), ..Sketch::plain(1) }.bytes();
    let magic = |magic| Sketch { magic, ..Sketch::plain(1) }.bytes();
    check(vec![
        ("good", good.clone(), None),
        ("nothing", Bytes::new(), Some(InvalidRecord)),
        ("one byte", Bytes::from_static(b"\0"), Some(InvalidRecord)),
        ("60 bytes", good.slice(..60), Some(InvalidRecord)),
        ("cut by one", good.slice(..good.len() - 1), Some(InvalidRecord)),
        ("plus one byte", joined(&[&good, b"\0"]), None),
        ("plus 11 zero bytes", joined(&[&good, &[0; 11]]), None),
        ("plus 61 zero bytes", joined(&[&good, &[0; 61]]), Some(Corrupt)),
        ("plus the start of another", joined(&[&good, &good[..65]]), None),
        ("two batches", joined(&[&good, &good]), Some(InvalidRecord)),
        ("magic 0", message_set(0).into(), Some(InvalidRecord)),
        ("magic 1", message_set(1).into(), Some(InvalidRecord)),
        ("magic 1, then a batch", joined(&[&message_set(1), &good]), Some(InvalidRecord)),
        ("a header of magic 1", magic(1), Some(InvalidRecord)),
        ("magic 3", magic(3), Some(Corrupt)),
        ("magic -1", magic(-1), Some(Corrupt)),
        ("length 48", length(48), Some(Corrupt)),
        ("length 0", length(0), Some(Corrupt)),
        ("length -1", length(-1), Some(Corrupt)),
        ("length one too many", length(good.len() as i32 - 11), Some(InvalidRecord)),
        ("largest length (unexpected exception in Kafka)", length(i32::MAX), Some(Corrupt)),
    ]);
}

/// PROD-01, PROD-03, PROD-04
#[test]
fn header_fields_are_checked_in_order() {
    let sketch = Sketch::plain(1);
    let epoch = |leader_epoch| Sketch { leader_epoch, ..Sketch::plain(1) }.bytes();
    let counts =
        |n, count, last_offset_delta| Sketch { count, last_offset_delta, ..Sketch::plain(n) }.bytes();
    let sized = |len: usize| {
        let empty = one(kv().value(Some(&vec![b'x'; 1_000_000]))).bytes().len() - 1_000_000;
        one(kv().value(Some(&vec![b'x'; len - empty]))).bytes()
    };
    assert_eq!(sized(1_048_588).len(), 1_048_588);
    check(vec![
        ("crc", Sketch { crc: Some(0), ..sketch.clone() }.bytes(), Some(Corrupt)),
        ("base offset 5", Sketch { base_offset: 5, ..sketch.clone() }.bytes(), Some(InvalidRecord)),
        ("base offset -1", Sketch { base_offset: -1, ..sketch.clone() }.bytes(), Some(InvalidRecord)),
        (
            "base offset and crc",
            Sketch { base_offset: 5, crc: Some(1), ..sketch }.bytes(),
            Some(InvalidRecord),
        ),
        ("leader epoch 0", epoch(0), None),
        ("leader epoch 5", epoch(5), None),
        ("leader epoch -7", epoch(-7), None),
        ("no records", counts(0, Some(0), Some(0)), Some(InvalidRecord)),
        ("no records, delta -1", counts(0, Some(0), Some(-1)), Some(InvalidRecord)),
        ("count 2 of 1, delta 0", counts(1, Some(2), None), Some(InvalidRecord)),
        ("count 2 of 1, delta 1", counts(1, Some(2), Some(1)), Some(InvalidRecord)),
        ("count 1 of 2, delta 0", counts(2, Some(1), Some(0)), Some(InvalidRecord)),
        ("count 1 of 2, delta 1", counts(2, Some(1), Some(1)), Some(InvalidRecord)),
        ("delta 5 with 2", counts(2, None, Some(5)), Some(InvalidRecord)),
        ("delta -1", counts(1, None, Some(-1)), Some(InvalidRecord)),
        ("count -1", counts(1, Some(-1), None), Some(InvalidRecord)),
        ("a count of billions", counts(1, Some(i32::MAX), Some(i32::MAX - 1)), Some(InvalidRecord)),
        ("exactly the limit", sized(1_048_588), None),
        ("one byte over the limit", sized(1_048_589), Some(TooLarge)),
    ]);
    let mut small = rules();
    small.max_batch_bytes = 69;
    let too_large_and_broken = Sketch { crc: Some(1), ..Sketch::plain(1) }.bytes();
    assert_eq!(validate(too_large_and_broken, &small).expect_err("too large").reason, TooLarge);
}

#[test]
fn attributes_that_nobody_knows_are_kept_and_control_batches_are_refused() {
    let attributes = |attributes| Sketch { attributes, ..Sketch::plain(1) }.bytes();
    check(vec![
        ("bit 7", attributes(1 << 7), None),
        ("delete horizon", attributes(1 << 6), None),
        ("high bits", attributes(0x7f00), None),
        ("LogAppendTime", attributes(1 << 3), None),
        ("control", attributes(1 << 5), Some(InvalidRecord)),
        ("transactional without a producer", attributes(1 << 4), None),
        ("codec 5 (unexpected exception in Kafka)", attributes(5), Some(InvalidRecord)),
        ("codec 7 (unexpected exception in Kafka)", attributes(7), Some(InvalidRecord)),
    ]);
    let kept = validate(attributes(0x7f00), &rules()).expect("kept");
    assert_eq!(kept.header.attributes, 0x7f00);
    let cleared = validate(attributes(1 << 3), &rules()).expect("accepted");
    assert_eq!(cleared.header.attributes, 0);
}

/// IDEM-10
#[test]
fn producer_fields_must_agree() {
    let producer =
        |id, epoch, sequence| Sketch { producer: (id, epoch, sequence), ..Sketch::plain(1) }.bytes();
    check(vec![
        ("id only", producer(5, -1, -1), Some(InvalidRecord)),
        ("id and epoch, sequence -1", producer(5, 0, -1), Some(InvalidRecord)),
        ("epoch -2", producer(5, -2, 0), Some(InvalidProducerEpoch)),
        ("epoch -1 with a sequence", producer(5, -1, 0), None),
        ("all", producer(5, 0, 0), None),
        ("sequence without id", producer(-1, -1, 0), None),
        ("epoch without id", producer(-1, 3, -1), None),
        ("id -2", producer(-2, 0, 0), None),
    ]);
}

/// PROD-21
#[test]
fn records_must_fill_the_batch_exactly() {
    let good = kv().build();
    let raw = |bytes: &[u8]| Sketch::of(vec![bytes.to_vec()]);
    let null_header_key = record().header_count(1).tail(&[1, 1]);
    for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let bytes = |sketch: Sketch| sketch.compressed(codec).bytes();
        check(vec![
            ("good", bytes(one(kv())), None),
            ("record length one less", bytes(one(kv().longer_by(-1))), Some(InvalidRecord)),
            ("record length one more", bytes(one(kv().longer_by(1))), Some(InvalidRecord)),
            ("record length huge", bytes(one(kv().longer_by(1 << 30))), Some(InvalidRecord)),
            ("record length negative", bytes(one(kv().longer_by(-50))), Some(InvalidRecord)),
            ("bytes after the fields", bytes(one(kv().tail(b"zz"))), Some(InvalidRecord)),
            ("bytes after the records", bytes(raw(&[&good[..], b"zz"].concat())), Some(InvalidRecord)),
            ("header count -1", bytes(one(kv().header_count(-1))), Some(InvalidRecord)),
            ("header count 5 of 0", bytes(one(kv().header_count(5))), Some(InvalidRecord)),
            ("header count huge", bytes(one(kv().header_count(1 << 30))), Some(InvalidRecord)),
            ("null header key", bytes(one(null_header_key.clone())), Some(InvalidRecord)),
            ("key past the end", bytes(one(kv().key_len(1000))), Some(InvalidRecord)),
            ("value past the end", bytes(one(kv().value_len(1000))), Some(InvalidRecord)),
            ("key length -2", bytes(one(record().key_len(-2))), None),
            ("value length -2", bytes(one(record().value_len(-2))), None),
            (
                "varint without end (unexpected exception in Kafka)",
                bytes(raw(&[0xff; 20])),
                Some(InvalidRecord),
            ),
            ("empty record", bytes(raw(&[0])), Some(InvalidRecord)),
            ("record attributes", bytes(one(kv().attributes(0xff))), None),
            ("null key, null value", bytes(one(record())), None),
            ("headers", bytes(one(kv().headers(&[(b"a", None), (b"", Some(b"\xff"))]))), None),
        ]);
    }
}

/// Kafka stores these uncompressed and fails on them compressed.
#[test]
fn offset_deltas_must_count_up_from_zero() {
    for codec in [Codec::None, Codec::Gzip, Codec::Zstd] {
        for deltas in [&[0, 2][..], &[1, 0], &[0, 0], &[5], &[-1], &[0, 2, 1], &[5, 6, 7]] {
            let records = deltas.iter().map(|&delta| kv().offset(delta).build()).collect();
            let refused =
                validate(Sketch::of(records).compressed(codec).bytes(), &rules()).expect_err("refused");
            assert_eq!((refused.reason, refused.answer_message()), (InvalidRecord, None), "{deltas:?}");
        }
    }
}

/// PROD-18
#[test]
fn compressed_batches_are_walked_in_every_codec() {
    for codec in [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let sketch = Sketch::plain(3).compressed(codec);
        let whole = sketch.payload_bytes();
        let payload = |payload: &[u8]| Sketch { payload: Some(payload.to_vec()), ..sketch.clone() }.bytes();
        let with_tail = [&whole[..], b"zzzz"].concat();
        let tail_ignored = matches!(codec, Codec::Gzip | Codec::Lz4);
        let counts = |n| Sketch { count: Some(n), last_offset_delta: Some(n - 1), ..sketch.clone() }.bytes();
        check(vec![
            ("good", sketch.bytes(), None),
            ("garbage", payload(b"\x01\x02\x03\x04\x05\x06\x07\x08garbage"), Some(InvalidRecord)),
            ("cut", payload(&whole[..whole.len() - 6]), Some(InvalidRecord)),
            ("empty", payload(b""), Some(InvalidRecord)),
            ("bytes after the stream", payload(&with_tail), (!tail_ignored).then_some(InvalidRecord)),
            ("count too big", counts(4), Some(InvalidRecord)),
            ("count too small", counts(2), Some(InvalidRecord)),
        ]);
        let lies = Sketch { max_timestamp: Some(77), ..sketch.clone() }.bytes();
        assert_eq!(validate(lies, &rules()).expect("accepted").max_timestamp(), NOW);
    }
    let mut raw = Sketch::plain(3).compressed(Codec::Snappy);
    raw.payload = Some(snap::raw::Encoder::new().compress_vec(&raw.records.concat()).expect("compresses"));
    validate(raw.bytes(), &rules()).expect("raw snappy");
    let old = Rules { zstd_allowed: false, ..rules() };
    let zstd = Sketch::plain(1).compressed(Codec::Zstd);
    assert_eq!(validate(zstd.bytes(), &old).expect_err("too old").reason, UnsupportedCodec);
    validate(Sketch::plain(1).bytes(), &old).expect("other codecs are fine");
}

#[test]
fn a_batch_that_keeps_every_rule_keeps_every_byte() {
    for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let sketch = Sketch { producer: (3, 1, 9), ..Sketch::plain(5) }.compressed(codec);
        let bytes = sketch.bytes();
        let batch = validate(bytes.clone(), &rules()).expect("valid");
        assert_eq!(batch.to_bytes(), bytes);
        assert_eq!(batch.payload.as_ptr(), bytes[HEADER_LEN..].as_ptr(), "the payload is not copied");
    }
}

#[test]
fn create_time_is_bounded_and_the_header_told_the_truth() {
    let at = |timestamp| Sketch { timestamp, ..Sketch::plain(1) };
    let max = |sketch: &Sketch| validate(sketch.bytes(), &rules()).map(|batch| batch.max_timestamp());
    assert_eq!(max(&at(-1)), Ok(-1));
    assert_eq!(max(&at(-2)), Ok(-1));
    assert_eq!(max(&at(0)), Ok(0));
    for lie in [NOW + 9000, 5, -1] {
        assert_eq!(max(&Sketch { max_timestamp: Some(lie), ..at(NOW) }), Ok(NOW));
    }
    let intact = validate(Sketch { max_timestamp: Some(5), ..at(NOW) }.bytes(), &rules()).expect("valid");
    assert_eq!(crate::batch::batches(&intact.to_bytes()).count(), 1, "the checksum is of the new header");
    assert_eq!(max(&at(NOW + 59 * 60_000)), Ok(NOW + 59 * 60_000));
    for timestamp in [NOW + 61 * 60_000, i64::MIN] {
        let refused = max(&at(timestamp)).expect_err("out of bounds");
        assert_eq!(
            (refused.reason, refused.records.len(), refused.records[0].index),
            (InvalidTimestamp, 1, 0)
        );
        assert!(refused.answer_message().is_some());
    }
}

fn indexes(rejected: &Rejected) -> Vec<i32> {
    rejected.records.iter().map(|record| record.index).collect()
}

/// PROD-10
#[test]
fn every_record_out_of_bounds_is_named() {
    let rules = Rules { timestamp_after_max_ms: 1000, timestamp_before_max_ms: 3_600_000, ..rules() };
    let with_deltas = |deltas: [i64; 3]| {
        let record = |(i, &delta)| kv().offset(i as i32).timestamp(delta).build();
        Sketch::of(deltas.iter().enumerate().map(record).collect())
    };
    for codec in [Codec::None, Codec::Gzip] {
        let ahead =
            validate(with_deltas([0, 600_000, 0]).compressed(codec).bytes(), &rules).expect_err("ahead");
        assert_eq!((ahead.reason, indexes(&ahead)), (InvalidTimestamp, vec![1]));
        let old = with_deltas([0, -7_200_000, -7_200_000]).compressed(codec);
        let old = validate(old.bytes(), &rules).expect_err("too old");
        assert_eq!((old.reason, indexes(&old)), (InvalidTimestamp, vec![1, 2]));
    }
    let at = |timestamp| validate(Sketch { timestamp, ..Sketch::plain(1) }.bytes(), &rules);
    at(-1).expect("no timestamp is never out of bounds");
    assert_eq!(at(-2).expect_err("too old").reason, InvalidTimestamp);
}

/// PROD-11
#[test]
fn compacted_logs_need_keys() {
    let rules = Rules { keys_required: true, ..rules() };
    let three = Sketch::of(vec![kv().build(), record().offset(1).build(), record().offset(2).build()]);
    for codec in [Codec::None, Codec::Gzip] {
        let refused = validate(three.clone().compressed(codec).bytes(), &rules).expect_err("no key");
        assert_eq!((refused.reason, indexes(&refused)), (InvalidRecord, vec![1, 2]));
        assert!(refused.answer_message().is_some());
    }
    let far = 3 * 3_600_000;
    for records in [
        vec![record().build(), kv().offset(1).timestamp(far).build()],
        vec![kv().timestamp(far).build(), record().offset(1).build()],
    ] {
        let mixed = validate(Sketch::of(records).bytes(), &rules).expect_err("both");
        assert_eq!((mixed.reason, indexes(&mixed)), (InvalidTimestamp, vec![0, 1]));
    }
    validate(one(record().key(Some(b""))).bytes(), &rules).expect("an empty key is a key");
}

/// PROD-08
#[test]
fn log_append_time_is_stamped_into_header_and_checksum() {
    let rules = Rules { timestamp_type: TimestampType::LogAppendTime, ..rules() };
    for codec in [Codec::None, Codec::Gzip] {
        for timestamp in [1000, NOW + 30_000_000] {
            let sketch = Sketch { timestamp, ..Sketch::plain(2) }.compressed(codec);
            let batch = validate(sketch.bytes(), &rules).expect("any time is fine");
            assert_eq!(batch.header.attributes, 1 << 3 | codec.bits());
            assert_eq!((batch.header.base_timestamp, batch.header.max_timestamp), (timestamp, NOW));
            let bytes = batch.to_bytes();
            let stored = crate::batch::batches(&bytes).next().expect("intact");
            stored.for_each_record(1000, &mut |record| assert_eq!(record.timestamp, NOW)).expect("reads");
        }
    }
    let client_stamped = Sketch { attributes: 1 << 3, ..Sketch::plain(2) };
    let refused = validate(client_stamped.bytes(), &rules).expect_err("the bit is ours");
    assert_eq!((refused.reason, indexes(&refused)), (InvalidTimestamp, vec![0, 1]));
}

#[test]
fn a_fixed_codec_recompresses_what_came_in_another() {
    let plain = || Sketch::of((0..50).map(|i| kv().offset(i).value(Some(&[b'x'; 100])).build()).collect());
    for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let rules = Rules { target: TargetCodec::Fixed { codec, level: None }, ..rules() };
        for came in [Codec::None, Codec::Gzip, Codec::Lz4] {
            let bytes = plain().compressed(came).bytes();
            let batch = validate(bytes.clone(), &rules).expect("valid");
            assert_eq!(batch.header.codec(), Some(codec));
            assert_eq!(came == codec, batch.to_bytes() == bytes);
            let stored = batch.to_bytes();
            let mut values = 0;
            let stored = crate::batch::batches(&stored).next().expect("intact");
            stored.for_each_record(1000, &mut |r| values += r.value.map_or(0, <[u8]>::len)).expect("reads");
            assert_eq!(values, 5000);
        }
    }
    let came = plain().compressed(Codec::Gzip).bytes();
    let small = Rules {
        max_batch_bytes: came.len() as i32,
        target: TargetCodec::Fixed { codec: Codec::None, level: None },
        ..rules()
    };
    assert_eq!(validate(came, &small).expect_err("too large once plain").reason, TooLarge);
}

#[test]
fn a_bomb_is_refused_without_holding_it() {
    let zeros = one(kv().value(Some(&vec![0; 50_000_000])));
    for codec in [Codec::Gzip, Codec::Zstd] {
        let bytes = zeros.clone().compressed(codec).bytes();
        assert!(bytes.len() < 100_000);
        validate(bytes.clone(), &rules()).expect("within the default limit");
        let tight = Rules { max_decompressed_bytes: 1_000_000, ..rules() };
        assert_eq!(validate(bytes, &tight).expect_err("over the limit").reason, InvalidRecord);
    }
}

#[test]
fn only_broken_frames_and_bad_records_carry_a_message() {
    let message = |bytes: Bytes| validate(bytes, &rules()).expect_err("refused").tell_client;
    assert!(message(Sketch { magic: 3, ..Sketch::plain(1) }.bytes()));
    assert!(message(Sketch { length: Some(0), ..Sketch::plain(1) }.bytes()));
    assert!(!message(Sketch { length: Some(48), ..Sketch::plain(1) }.bytes()));
    assert!(!message(joined(&[&Sketch::plain(1).bytes(), &[0; 61]])));
    assert!(!message(Sketch { crc: Some(0), ..Sketch::plain(1) }.bytes()));
    assert!(!message(Bytes::new()));
}

#[test]
fn the_log_start_is_told_once_the_batch_was_looked_into() {
    let told = |bytes: Bytes| validate(bytes, &rules()).expect_err("refused").tells_log_start();
    assert!(told(Sketch { base_offset: 5, ..Sketch::plain(1) }.bytes()));
    assert!(told(Sketch { count: Some(2), ..Sketch::plain(1) }.bytes()));
    assert!(told(Sketch { timestamp: i64::MIN, ..Sketch::plain(1) }.bytes()));
    assert!(!told(Sketch { crc: Some(0), ..Sketch::plain(1) }.bytes()));
    assert!(!told(one(kv().value(Some(&vec![0; 2_000_000]))).bytes()));
    assert!(!told(Bytes::new()));
}

proptest::proptest! {
    #[test]
    fn nothing_a_client_sends_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = validate(bytes.into(), &rules());
    }

    #[test]
    fn no_payload_of_any_codec_panics(
        codec in proptest::sample::select(vec![Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd]),
        noise in proptest::collection::vec((0usize..400, proptest::prelude::any::<u8>()), 0..6),
        cut in 0usize..400,
        random in proptest::option::of(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..100)),
    ) {
        let mut sketch = Sketch::plain(20).compressed(codec);
        let mut payload = sketch.payload_bytes();
        payload.truncate(cut);
        for (at, to) in noise {
            if let Some(byte) = payload.get_mut(at) {
                *byte = to;
            }
        }
        sketch.payload = Some(random.unwrap_or(payload));
        if let Ok(batch) = validate(sketch.bytes(), &rules()) {
            // What was accepted can be read.
            let bytes = batch.to_bytes();
            let stored = crate::batch::batches(&bytes).next().expect("intact");
            let mut offsets = Vec::new();
            stored.for_each_record(usize::MAX, &mut |record| offsets.push(record.offset)).expect("reads");
            proptest::prop_assert_eq!(offsets, (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_flipped_byte_is_refused_or_outside_the_checksum(at in 0usize..80, to in proptest::prelude::any::<u8>()) {
        let good = Sketch::plain(2).bytes();
        let mut bad = good.to_vec();
        let at = at % bad.len();
        bad[at] = to;
        let in_leader_epoch = (12..16).contains(&at);
        let accepted = validate(bad.clone().into(), &rules()).is_ok();
        proptest::prop_assert!(!accepted || in_leader_epoch || bad == good);
    }
}
