//! librdkafka consumes without a group: seeking by offset and time, ends, empty partitions.

use crate::librdkafka::{WITHIN, assigned, client, send, take, take_values};
use integration_tests::{Daybook, batch::Batch, batch::Record};
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::{KafkaError, RDKafkaErrorCode},
    producer::FutureProducer,
};
use std::time::Duration;

/// LIST-02: seeking by time goes to the first record at or after it.
#[test]
fn seeking_by_time_finds_the_record() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    for partition in 0..2 {
        for time in [2_000, 4_000, 6_000, 8_000] {
            let records =
                (0..3).map(|n| Record { timestamp_delta_ms: n, ..Record::value(&format!("{}", time + n)) });
            connection.produce(
                "t",
                partition,
                &Batch { records: records.collect(), ..Batch::default() }.at(time),
            );
        }
    }
    let consumer = assigned(&daybook, "t", 0, 0);
    let offset_at = |time: i64| {
        let mut asked = TopicPartitionList::new();
        asked.add_partition_offset("t", 1, Offset::Offset(time)).expect("a valid time");
        let found = consumer.offsets_for_times(asked, WITHIN).expect("an answer");
        found.find_partition("t", 1).expect("asked for").offset()
    };
    assert_eq!(offset_at(1), Offset::Offset(0));
    assert_eq!(offset_at(4_001), Offset::Offset(4));
    assert_eq!(offset_at(4_003), Offset::Offset(6));
    assert_eq!(offset_at(8_002), Offset::Offset(11));
    assert_eq!(offset_at(8_003), Offset::End);

    take(&consumer, 1);
    consumer.seek("t", 0, Offset::Offset(7), WITHIN).expect("assigned");
    assert_eq!(take_values(&consumer, 2), ["6001", "6002"], "in the middle of a batch");
}

/// LIST-01: the watermarks of filled, trimmed and empty partitions.
#[test]
fn watermarks_are_the_logs_ends() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    connection.delete_records("t", 0, 1);
    let consumer = assigned(&daybook, "t", 0, 0);
    assert_eq!(consumer.fetch_watermarks("t", 0, WITHIN), Ok((1, 3)));
    assert_eq!(consumer.fetch_watermarks("t", 1, WITHIN), Ok((0, 0)));
}

/// FETCH-01: a position outside the log is an error where the reset policy says so.
#[test]
fn a_position_outside_the_log_is_reported() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    connection.delete_records("t", 0, 2);
    let consumer = assigned(&daybook, "t", 0, 0);
    let error = match consumer.poll(WITHIN).expect("something") {
        Ok(message) => panic!("a record that was deleted: {}", message.offset()),
        Err(error) => error,
    };
    assert!(
        matches!(
            error,
            KafkaError::MessageConsumption(
                RDKafkaErrorCode::AutoOffsetReset | RDKafkaErrorCode::OffsetOutOfRange
            )
        ),
        "{error:?}"
    );
}

/// A consumer that reads to the end is told so, also where there is nothing.
#[test]
fn the_end_of_a_partition_is_told() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[]);
    let consumer: BaseConsumer = client(&daybook, &[("group.id", "none"), ("enable.partition.eof", "true")]);
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_offset("t", 0, Offset::Beginning).expect("valid");
    consumer.assign(&partitions).expect("no group needed");
    let end = consumer.poll(WITHIN).expect("something");
    assert!(matches!(end, Err(KafkaError::PartitionEOF(0))), "{end:?}");
}

/// FETCH-03: what is produced reaches a waiting consumer at once, not at the end of its poll.
#[tokio::test]
async fn a_waiting_consumer_gets_records_at_once() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[]);
    let producer: FutureProducer = client(&daybook, &[("linger.ms", "0")]);
    send(&producer, "t", 0, "first").await;
    let consumer: BaseConsumer = client(
        &daybook,
        &[("group.id", "none"), ("fetch.wait.max.ms", "5000"), ("enable.auto.commit", "false")],
    );
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_offset("t", 0, Offset::Beginning).expect("valid");
    consumer.assign(&partitions).expect("no group needed");
    take(&consumer, 1);
    let started_at = std::time::Instant::now();
    for number in 0..10 {
        send(&producer, "t", 0, &number.to_string()).await;
        assert_eq!(take_values(&consumer, 1), [number.to_string()]);
    }
    assert!(started_at.elapsed() < Duration::from_secs(4), "{:?}", started_at.elapsed());
}
