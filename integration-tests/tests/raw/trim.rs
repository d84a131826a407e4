//! DeleteRecords, the log start and leader epochs (`TRIM-*`).

use integration_tests::{Connection, Daybook, batch::Batch, topic_name, verbs::LATEST};
use kafka_protocol::messages::{
    offset_for_leader_epoch_request::{OffsetForLeaderPartition, OffsetForLeaderTopic},
    *,
};

/// TRIM-01: the log starts where it was cut, inside a batch as well, over a crash and a restart.
#[test]
fn the_log_starts_where_it_was_cut() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c", "d"]));
    let answer = connection.delete_records("t", 0, 2);
    assert_eq!((answer.error_code, answer.low_watermark), (0, 2));
    for round in ["at once", "after a crash", "after a restart"] {
        let mut connection = daybook.connect();
        assert_eq!(connection.offsets("t", 0), (2, 4), "{round}");
        assert_eq!(connection.try_fetch("t", 0, 1).error_code, 1, "{round}");
        assert_eq!(connection.fetch("t", 0, 2)[0].records.len(), 4, "{round}: the whole batch");
        match round {
            "at once" => {
                daybook.kill9();
                daybook.start_again();
            }
            _ => daybook.restart(),
        }
    }
}

/// TRIM-01: cutting at a segment's start deletes its files at the next check.
#[test]
fn whole_segments_below_the_log_start_go() {
    let daybook = Daybook::start(&[
        ("log.retention.check.interval.ms", "200"),
        ("log.initial.task.delay.ms", "200"),
        ("log.segment.delete.delay.ms", "0"),
    ]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("segment.bytes", "1048576"), ("file.delete.delay.ms", "0")]);
    let large = Batch::of(&["x".repeat(900_000).as_str()]);
    for _ in 0..4 {
        connection.produce("t", 0, &large);
    }
    let segments = || {
        std::fs::read_dir(daybook.folder().join("t-0"))
            .expect("the partition's folder")
            .filter(|entry| entry.as_ref().expect("readable").file_name().to_string_lossy().ends_with(".log"))
            .count()
    };
    assert_eq!(segments(), 4);
    connection.delete_records("t", 0, 3);
    integration_tests::eventually("three segments are deleted", std::time::Duration::from_secs(10), || {
        segments() == 1
    });
    assert_eq!(connection.fetch("t", 0, 3)[0].base_offset, 3);
}

/// TRIM-02: -1 is the high watermark; other negatives and beyond are error 1; below the start is no change.
#[test]
fn where_a_log_can_be_cut() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c", "d"]));
    for (offset, error_code, low_watermark) in
        [(-2, 1, -1), (5, 1, -1), (2, 0, 2), (1, 0, 2), (2, 0, 2), (-1, 0, 4), (0, 0, 4)]
    {
        let answer = connection.delete_records("t", 0, offset);
        assert_eq!((answer.error_code, answer.low_watermark), (error_code, low_watermark), "offset {offset}");
    }
    assert_eq!(connection.offsets("t", 0), (4, 4));
    assert_eq!(connection.delete_records("t", 7, 0).error_code, 3);
    assert_eq!(connection.delete_records("nope", 0, 0).error_code, 3);
}

/// A compacted topic cannot be cut: error 44.
#[test]
fn a_compacted_topic_is_not_cut() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("c", 1, &[("cleanup.policy", "compact")]);
    connection.produce("c", 0, &Batch::keyed(&[("k", "v")]));
    assert_eq!(connection.delete_records("c", 0, 1).error_code, 44);
    connection.create_topic("both", 1, &[("cleanup.policy", "compact,delete")]);
    connection.produce("both", 0, &Batch::keyed(&[("k", "v")]));
    assert_eq!(connection.delete_records("both", 0, 1).error_code, 0);
}

/// (error, epoch, end offset) of a leader epoch.
fn epoch_end(connection: &mut Connection, current: i32, epoch: i32) -> (i16, i32, i64) {
    let asked = OffsetForLeaderPartition::default()
        .with_partition(0)
        .with_current_leader_epoch(current)
        .with_leader_epoch(epoch);
    let topic = OffsetForLeaderTopic::default().with_topic(topic_name("t")).with_partitions(vec![asked]);
    let request =
        OffsetForLeaderEpochRequest::default().with_replica_id(BrokerId(-2)).with_topics(vec![topic]);
    let answer = connection.ask(4, &request).topics.remove(0).partitions.remove(0);
    (answer.error_code, answer.leader_epoch, answer.end_offset)
}

/// TRIM-04: each leader epoch ends where the next one starts; unknown ones have no end.
#[test]
fn leader_epochs_end_where_the_next_one_starts() {
    let mut daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[]);
    let mut epochs = Vec::new();
    for round in 0..3 {
        let mut connection = daybook.connect();
        connection.produce("t", 0, &Batch::of(&["x", "y"]));
        epochs.push(connection.topic("t").partitions[0].leader_epoch);
        assert_eq!(connection.list_offset("t", 0, LATEST).0, 2 * (round + 1));
        daybook.kill9();
        daybook.start_again();
    }
    assert!(epochs.is_sorted_by(|one, next| one < next), "{epochs:?}");
    let mut connection = daybook.connect();
    let current = connection.topic("t").partitions[0].leader_epoch;
    assert_eq!(epoch_end(&mut connection, -1, epochs[0]), (0, epochs[0], 2));
    assert_eq!(epoch_end(&mut connection, current, epochs[1]), (0, epochs[1], 4));
    assert_eq!(epoch_end(&mut connection, -1, epochs[2]), (0, epochs[2], 6));
    assert_eq!(epoch_end(&mut connection, -1, current + 1), (0, -1, -1), "from the future");
    assert_eq!(epoch_end(&mut connection, -1, -1), (0, -1, -1), "undefined");
    assert_eq!(epoch_end(&mut connection, current - 1, epochs[0]).0, 74);
    assert_eq!(epoch_end(&mut connection, current + 1, epochs[0]).0, 75);
}
