//! Idempotent producers (`IDEM-*`).

use integration_tests::{Connection, Daybook, batch::Batch};

const OUT_OF_ORDER: i16 = 45;
const INVALID_RECORD: i16 = 87;

fn numbered(count: i32, first: i32) -> Batch {
    let values: Vec<String> = (0..count).map(|n| (i64::from(first) + i64::from(n)).to_string()).collect();
    Batch::of(&values.iter().map(String::as_str).collect::<Vec<_>>())
}

fn with_topic() -> (Daybook, Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    (daybook, connection)
}

/// IDEM-01: the same batch again is a success with the first one's offset, and is stored once.
#[test]
fn a_batch_sent_twice_is_stored_once() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    connection.produce("t", 0, &Batch::of(&["before"]));
    let batch = numbered(3, 0).from_producer(producer.producer_id.0, producer.producer_epoch, 0);
    assert_eq!(connection.produce("t", 0, &batch), 1);
    assert_eq!(connection.produce("t", 0, &batch), 1);
    assert_eq!(connection.offsets("t", 0), (0, 4));
}

/// IDEM-02: the last five batches are recognised; an older one is error 45, never a second copy.
#[test]
fn five_batches_in_flight_are_recognised() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let batches: Vec<_> = (0..6)
        .map(|n| numbered(1, n).from_producer(producer.producer_id.0, producer.producer_epoch, n))
        .collect();
    for (offset, batch) in (0..).zip(&batches) {
        assert_eq!(connection.produce("t", 0, batch), offset);
    }
    for (offset, batch) in (0..).zip(&batches).skip(1) {
        assert_eq!(connection.produce("t", 0, batch), offset, "sent again");
    }
    assert_eq!(connection.try_produce("t", 0, batches[0].encode()).error_code, OUT_OF_ORDER);
    assert_eq!(connection.offsets("t", 0), (0, 6));
}

/// IDEM-03: a gap is error 45 and stores nothing; the right sequence is welcome afterwards.
#[test]
fn a_gap_in_the_sequence_is_out_of_order() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let from = |batch: Batch, sequence| {
        batch.from_producer(producer.producer_id.0, producer.producer_epoch, sequence)
    };
    connection.produce("t", 0, &from(numbered(10, 0), 0));
    assert_eq!(connection.try_produce("t", 0, from(numbered(1, 20), 20).encode()).error_code, OUT_OF_ORDER);
    assert_eq!(connection.offsets("t", 0), (0, 10));
    assert_eq!(connection.produce("t", 0, &from(numbered(1, 10), 10)), 10);
}

/// IDEM-04: sequences wrap from 2147483647 to 0, between batches and inside one.
#[test]
fn sequences_wrap_to_zero() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let from = |count, sequence| {
        numbered(count, 0).from_producer(producer.producer_id.0, producer.producer_epoch, sequence)
    };
    assert_eq!(connection.produce("t", 0, &from(8, i32::MAX - 7)), 0, "ends at the highest sequence");
    assert_eq!(connection.produce("t", 0, &from(5, 0)), 8, "the next one starts at 0");

    let other = connection.init_producer();
    let from = |count, sequence| {
        numbered(count, 0).from_producer(other.producer_id.0, other.producer_epoch, sequence)
    };
    assert_eq!(connection.produce("t", 0, &from(1, i32::MAX - 2)), 13);
    assert_eq!(connection.produce("t", 0, &from(4, i32::MAX - 1)), 14, "straddles the wrap");
    assert_eq!(connection.produce("t", 0, &from(1, 2)), 18);
    assert_eq!(connection.produce("t", 0, &from(4, i32::MAX - 1)), 14, "and is recognised when sent again");
}

/// IDEM-05: the first batch of a producer that the partition does not know may have any sequence.
#[test]
fn an_unknown_producer_may_start_anywhere() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let batch = numbered(1, 0).from_producer(producer.producer_id.0, producer.producer_epoch, 17);
    assert_eq!(connection.produce("t", 0, &batch), 0);
}

/// IDEM-07: a retry after kill -9 is recognised: producer state is rebuilt from the log.
#[test]
fn a_retry_after_a_crash_is_recognised() {
    let (mut daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let from = |sequence| {
        numbered(2, sequence).from_producer(producer.producer_id.0, producer.producer_epoch, sequence)
    };
    connection.produce("t", 0, &from(0));
    for (number, crash) in (1..).zip([true, false, true]) {
        let (last, next) = (from(2 * (number - 1)), from(2 * number));
        let end = i64::from(2 * number);
        if crash {
            daybook.kill9();
            daybook.start_again();
        } else {
            daybook.restart();
        }
        let mut connection = daybook.connect();
        assert_eq!(connection.produce("t", 0, &last), end - 2, "crash: {crash}");
        assert_eq!(connection.offsets("t", 0), (0, end), "crash: {crash}");
        assert_eq!(connection.produce("t", 0, &next), end, "crash: {crash}");
    }
}

/// IDEM-10: a producer id without a sequence is no record at all.
#[test]
fn a_producer_id_needs_a_sequence() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    let batch = numbered(1, 0).from_producer(producer.producer_id.0, producer.producer_epoch, -1);
    assert_eq!(connection.try_produce("t", 0, batch.encode()).error_code, INVALID_RECORD);
    assert_eq!(connection.offsets("t", 0), (0, 0));
}

/// An older epoch of the same producer is fenced: error 47, as Kafka's producers expect it.
#[test]
fn an_older_epoch_is_fenced() {
    let (_daybook, mut connection) = with_topic();
    let producer = connection.init_producer();
    connection.produce("t", 0, &numbered(1, 0).from_producer(producer.producer_id.0, 1, 0));
    let old = numbered(1, 0).from_producer(producer.producer_id.0, 0, 1);
    assert_eq!(connection.try_produce("t", 0, old.encode()).error_code, 47);
    let newer_from_the_middle = numbered(1, 0).from_producer(producer.producer_id.0, 2, 5);
    assert_eq!(connection.try_produce("t", 0, newer_from_the_middle.encode()).error_code, OUT_OF_ORDER);
    connection.produce("t", 0, &numbered(1, 0).from_producer(producer.producer_id.0, 2, 0));
}

/// Producer ids are never given twice, not even over a crash.
#[test]
fn producer_ids_are_never_given_twice() {
    let mut daybook = Daybook::start(&[]);
    let mut given = Vec::new();
    for _ in 0..3 {
        let mut connection = daybook.connect();
        given.extend((0..10).map(|_| connection.init_producer().producer_id.0));
        daybook.kill9();
        daybook.start_again();
    }
    let count = given.len();
    given.sort_unstable();
    given.dedup();
    assert_eq!(given.len(), count, "{given:?}");
}
