//! Fetch: what is read, limits, and the long poll (`FETCH-*`).

use integration_tests::{
    Connection, Daybook,
    batch::Batch,
    stored,
    verbs::{fetch_request, produce_request},
};
use kafka_protocol::messages::*;
use std::{
    thread,
    time::{Duration, Instant},
};

fn with_topic(partitions: i32) -> (Daybook, Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", partitions, &[]);
    (daybook, connection)
}

/// FETCH-01: at the end there is nothing and the real high watermark; outside the log error 1, at once.
#[test]
fn the_ends_of_the_log() {
    let (_daybook, mut connection) = with_topic(1);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    connection.delete_records("t", 0, 1);
    let at_end = connection.try_fetch("t", 0, 3);
    assert_eq!((at_end.error_code, at_end.high_watermark, at_end.log_start_offset), (0, 3, 1));
    assert_eq!(at_end.records.as_deref(), Some(&b""[..]));
    let asked_at = Instant::now();
    for offset in [4, 0, 1 << 40] {
        let request = fetch_request("t", &[(0, offset)]).with_max_wait_ms(10_000);
        let outside = connection.ask(12, &request).responses.remove(0).partitions.remove(0);
        assert_eq!((outside.error_code, outside.high_watermark), (1, -1), "offset {offset}");
    }
    assert!(asked_at.elapsed() < Duration::from_secs(5), "an error is answered at once");
}

/// FETCH-01: at the end a fetch waits for its max_wait_ms and then answers empty.
#[test]
fn an_empty_fetch_waits_its_time() {
    let (_daybook, mut connection) = with_topic(1);
    let asked_at = Instant::now();
    let answer = connection.ask(12, &fetch_request("t", &[(0, 0)]).with_max_wait_ms(500));
    assert_eq!(answer.responses[0].partitions[0].error_code, 0);
    let waited = asked_at.elapsed();
    assert!((450..3_000).contains(&(waited.as_millis() as u64)), "{waited:?}");
}

/// FETCH-02: "no records" is zero bytes, never null, also beside an error: librdkafka and sarama reject null.
#[test]
fn no_records_is_empty_and_not_null() {
    let (_daybook, mut connection) = with_topic(1);
    for version in [4, 7, 11, 12] {
        let request = fetch_request("t", &[(0, 0), (7, 0), (0, 99)][..2]);
        for partition in &connection.ask(version, &request).responses[0].partitions {
            assert_eq!(partition.records.as_deref(), Some(&b""[..]), "version {version}: {partition:?}");
        }
        let outside = connection.ask(version, &fetch_request("t", &[(0, 99)]));
        assert_eq!(
            outside.responses[0].partitions[0].records.as_deref(),
            Some(&b""[..]),
            "version {version}"
        );
    }
}

/// FETCH-03: a parked fetch is woken by the append, long before its max_wait_ms.
#[test]
fn an_append_wakes_a_parked_fetch() {
    let (daybook, mut connection) = with_topic(1);
    let mut worst = Duration::ZERO;
    for offset in 0..20 {
        connection.send(12, &fetch_request("t", &[(0, offset)]).with_max_wait_ms(10_000));
        let mut producer = daybook.connect();
        // Gives the fetch time to be parked; when it is not yet, the test is only easier.
        connection.assert_silent(Duration::from_millis(20));
        let appended_at = Instant::now();
        producer.produce("t", 0, &Batch::of(&["x"]));
        let (_, answer) = connection.answer::<FetchRequest>(12);
        worst = worst.max(appended_at.elapsed());
        let records = answer.responses[0].partitions[0].records.clone().expect("not null");
        assert_eq!(stored::batches(records)[0].base_offset, offset);
    }
    assert!(worst < Duration::from_secs(1), "the slowest took {worst:?}");
}

/// FETCH-03: min_bytes is waited for; one small append is not enough.
#[test]
fn a_fetch_waits_for_min_bytes() {
    let (daybook, mut connection) = with_topic(1);
    let size = Batch::of(&["x"]).encode().len() as i32;
    let request = fetch_request("t", &[(0, 0)]).with_max_wait_ms(10_000).with_min_bytes(2 * size);
    connection.send(12, &request);
    let mut producer = daybook.connect();
    producer.produce("t", 0, &Batch::of(&["x"]));
    connection.assert_silent(Duration::from_millis(200));
    producer.produce("t", 0, &Batch::of(&["x"]));
    let (_, answer) = connection.answer::<FetchRequest>(12);
    assert_eq!(
        stored::batches(answer.responses[0].partitions[0].records.clone().expect("not null")).len(),
        2
    );
}

/// FETCH-07: the first batch comes whole, however small the limits; later partitions obey them.
#[test]
fn the_first_batch_always_comes_whole() {
    let (_daybook, mut connection) = with_topic(3);
    let large = Batch::of(&["x".repeat(10_000).as_str()]);
    let size = large.encode().len();
    for partition in 0..3 {
        connection.produce("t", partition, &large);
        connection.produce("t", partition, &large);
    }
    let mut request = fetch_request("t", &[(0, 0), (1, 0), (2, 0)]).with_max_bytes(1);
    for partition in &mut request.topics[0].partitions {
        partition.partition_max_bytes = 1;
    }
    let lengths = |answer: FetchResponse| -> Vec<usize> {
        answer.responses[0].partitions.iter().map(|p| p.records.as_ref().expect("not null").len()).collect()
    };
    assert_eq!(lengths(connection.ask(12, &request)), [size, 0, 0]);

    // Limits that fit exactly drop nothing.
    for partition in &mut request.topics[0].partitions {
        partition.partition_max_bytes = size as i32;
    }
    let exact = request.clone().with_max_bytes(3 * size as i32);
    assert_eq!(lengths(connection.ask(12, &exact)), [size, size, size]);
}

/// FETCH-09: an offset inside a batch gives the whole batch; clients drop its head.
#[test]
fn an_offset_inside_a_batch_gives_the_whole_batch() {
    let (_daybook, mut connection) = with_topic(1);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    connection.produce("t", 0, &Batch::of(&["d", "e", "f"]));
    let stored = connection.fetch("t", 0, 4);
    assert_eq!((stored.len(), stored[0].base_offset), (1, 3));
    assert_eq!(stored::values(&stored), ["d", "e", "f"]);
}

/// FETCH-13: there is no other replica to prefer, with or without a rack.
#[test]
fn there_is_no_preferred_replica() {
    let (_daybook, mut connection) = with_topic(1);
    connection.produce("t", 0, &Batch::of(&["x"]));
    for rack in ["", "a"] {
        let request = fetch_request("t", &[(0, 0)]).with_rack_id(integration_tests::text(rack));
        let data = connection.ask(12, &request).responses.remove(0).partitions.remove(0);
        assert_eq!(data.preferred_read_replica, -1);
        assert!(!data.records.expect("not null").is_empty());
    }
}

/// FETCH-14: a leader epoch of -1 is not checked, an older one is error 74, a newer one 75.
#[test]
fn the_leader_epoch_fences() {
    let (mut daybook, mut connection) = with_topic(1);
    connection.produce("t", 0, &Batch::of(&["x"]));
    daybook.kill9();
    daybook.start_again();
    let mut connection = daybook.connect();
    let current = connection.topic("t").partitions[0].leader_epoch;
    assert!(current > 0, "a start after a crash is an election");
    for (epoch, error_code) in [(-1, 0), (current, 0), (current - 1, 74), (current + 1, 75)] {
        let mut request = fetch_request("t", &[(0, 0)]);
        request.topics[0].partitions[0].current_leader_epoch = epoch;
        let answer = connection.ask(12, &request);
        assert_eq!(answer.responses[0].partitions[0].error_code, error_code, "epoch {epoch} of {current}");
    }
}

/// FETCH-17: a long poll on a topic that is deleted ends with error 3, and the process lives.
#[test]
fn deleting_a_topic_ends_its_long_polls() {
    let (daybook, mut admin) = with_topic(1);
    let mut waiting: Vec<_> = (0..5).map(|_| daybook.connect()).collect();
    for connection in &mut waiting {
        connection.send(12, &fetch_request("t", &[(0, 0)]).with_max_wait_ms(30_000));
        connection.assert_silent(Duration::from_millis(10));
    }
    let address = daybook.address();
    let producer = thread::spawn(move || {
        let mut connection = Connection::open(address);
        let request = produce_request("t", 0, Batch::of(&["x"]).encode(), -1);
        for _ in 0..200 {
            let answer = connection.ask(9, &request);
            let code = answer.responses[0].partition_responses[0].error_code;
            assert!([0, 3].contains(&code), "error {code}");
        }
    });
    assert_eq!(admin.delete_topic("t"), 0);
    for connection in &mut waiting {
        let (_, answer) = connection.answer::<FetchRequest>(12);
        let data = &answer.responses[0].partitions[0];
        assert!(data.error_code == 3 || !data.records.as_ref().expect("not null").is_empty(), "{data:?}");
    }
    producer.join().expect("no panic");
    assert!(admin.all_topics().topics.is_empty());
}

/// Everything produced by many writers is read once, in the order of its offsets, by every reader.
#[test]
fn readers_see_every_record_once_and_in_order() {
    let (daybook, mut connection) = with_topic(1);
    let address = daybook.address();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            thread::spawn(move || {
                let mut connection = Connection::open(address);
                for number in 0..100 {
                    connection.produce("t", 0, &Batch::of(&[&format!("{writer}-{number}")]));
                }
            })
        })
        .collect();
    let mut values = Vec::new();
    while values.len() < 400 {
        let request = fetch_request("t", &[(0, values.len() as i64)]).with_max_wait_ms(5_000);
        let answer = connection.ask(12, &request);
        let batches = stored::batches(answer.responses[0].partitions[0].records.clone().expect("not null"));
        for record in stored::records(&batches) {
            assert_eq!(record.offset, values.len() as i64);
            values.push(record.value().to_owned());
        }
    }
    for writer in writers {
        writer.join().expect("no panic");
    }
    for writer in 0..4 {
        let own: Vec<_> = values.iter().filter(|value| value.starts_with(&format!("{writer}-"))).collect();
        let expected: Vec<_> = (0..100).map(|number| format!("{writer}-{number}")).collect();
        assert!(own.iter().copied().eq(expected.iter()), "writer {writer}'s order");
    }
}
