//! ListOffsets and time queries (`LIST-*`).

use integration_tests::{
    Daybook,
    batch::{Batch, Codec, Record, now_ms},
    topic_name,
    verbs::{EARLIEST, LATEST, MAX_TIMESTAMP},
};
use kafka_protocol::messages::{
    list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
    *,
};

const NOTHING: (i64, i64) = (-1, -1);

/// Records at these times after `base_ms`, in one batch.
fn timed(base_ms: i64, deltas_ms: &[i64]) -> Batch {
    let records =
        deltas_ms.iter().map(|delta| Record { timestamp_delta_ms: *delta, ..Record::value("x") }).collect();
    Batch { records, ..Batch::default() }.at(base_ms)
}

/// LIST-01: latest is the next offset to be written, earliest the log start; empty, filled and trimmed.
#[test]
fn earliest_and_latest() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    assert_eq!(connection.offsets("t", 0), (0, 0));
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    assert_eq!(connection.offsets("t", 0), (0, 3));
    connection.delete_records("t", 0, -1);
    assert_eq!(connection.offsets("t", 0), (3, 3));
    assert_eq!(connection.list_offset("t", 0, LATEST).1, -1, "no timestamp with a special offset");
    assert_eq!(connection.list_offset("t", 0, EARLIEST).1, -1);
}

/// LIST-02: the first record at or after the asked time, with its own time; after the last one nothing.
#[test]
fn the_first_record_at_or_after_a_time() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for time in [2, 4, 6, 8] {
        connection.produce("t", 0, &Batch::of(&["x"]).at(time));
    }
    for (asked, found) in [
        (0, (0, 2)),
        (1, (0, 2)),
        (2, (0, 2)),
        (3, (1, 4)),
        (4, (1, 4)),
        (5, (2, 6)),
        (7, (3, 8)),
        (8, (3, 8)),
        (9, NOTHING),
    ] {
        assert_eq!(connection.list_offset("t", 0, asked), found, "at {asked}");
    }
}

/// LIST-02: times that run backwards: still the first offset whose record is late enough.
#[test]
fn times_need_not_be_in_order() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for time in [100, 300, 200, 400] {
        connection.produce("t", 0, &Batch::of(&["x"]).at(time));
    }
    assert_eq!(connection.list_offset("t", 0, 150), (1, 300));
    assert_eq!(connection.list_offset("t", 0, 301), (3, 400));
}

/// LIST-03: a time query on an empty or emptied log finds nothing, without error.
#[test]
fn an_empty_log_has_no_times() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for trimmed in [false, true] {
        if trimmed {
            connection.produce("t", 0, &Batch::of(&["x"]));
            connection.delete_records("t", 0, -1);
        }
        assert_eq!(connection.list_offset("t", 0, 0), NOTHING, "trimmed: {trimmed}");
        assert_eq!(connection.list_offset("t", 0, MAX_TIMESTAMP), NOTHING, "trimmed: {trimmed}");
    }
}

/// LIST-04: inside a batch, compressed or not, the record itself is found.
#[test]
fn a_time_inside_a_batch_finds_the_record() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let base_ms = now_ms() - 100_000;
    let deltas: Vec<i64> = (0..50).map(|number| number * 10).collect();
    for codec in Codec::ALL {
        let topic = format!("{codec:?}");
        connection.create_topic(&topic, 1, &[]);
        connection.produce(&topic, 0, &timed(base_ms, &deltas).with_codec(codec));
        assert_eq!(connection.list_offset(&topic, 0, base_ms + 295), (30, base_ms + 300), "{codec:?}");
        assert_eq!(connection.list_offset(&topic, 0, base_ms + 300), (30, base_ms + 300), "{codec:?}");
        assert_eq!(connection.list_offset(&topic, 0, base_ms + 491), NOTHING, "{codec:?}");
    }
}

/// LIST-06: the maximum may stand in the middle; among equals the first one counts.
#[test]
fn the_largest_timestamp_is_found_with_its_first_record() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let base_ms = now_ms() - 100_000;
    for codec in [Codec::None, Codec::Gzip, Codec::Zstd] {
        let topic = format!("{codec:?}");
        connection.create_topic(&topic, 1, &[]);
        connection.produce(&topic, 0, &timed(base_ms, &[0, 10]).with_codec(codec));
        connection.produce(&topic, 0, &timed(base_ms, &[0, 50, 20, 50, 10]).with_codec(codec));
        connection.produce(&topic, 0, &timed(base_ms, &[50]).with_codec(codec));
        assert_eq!(connection.list_offset(&topic, 0, MAX_TIMESTAMP), (3, base_ms + 50), "{codec:?}");
    }
}

/// LIST-06: with LogAppendTime every record of a batch has the maximum: the first of the batch is found.
#[test]
fn the_largest_log_append_time_is_a_batchs_first_record() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("message.timestamp.type", "LogAppendTime")]);
    connection.produce("t", 0, &Batch::of(&["a", "b", "c"]));
    let stored = connection.fetch("t", 0, 0).remove(0);
    assert_eq!(connection.list_offset("t", 0, MAX_TIMESTAMP), (0, stored.max_timestamp_ms));
}

/// LIST-10: unknown partitions are error 3, one asked twice is error 42, the others are answered.
#[test]
fn each_partition_is_answered_for_itself() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    let asked = |index| ListOffsetsPartition::default().with_partition_index(index).with_timestamp(LATEST);
    let topic = ListOffsetsTopic::default().with_name(topic_name("t")).with_partitions(vec![
        asked(0),
        asked(1),
        asked(1),
        asked(9),
    ]);
    let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(vec![topic]);
    let answer = connection.ask(7, &request);
    let mut codes: Vec<_> =
        answer.topics.iter().flat_map(|t| &t.partitions).map(|p| (p.partition_index, p.error_code)).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, [(0, 0), (1, 42), (9, 3)]);
    assert_eq!(connection.try_list_offset("nope", 0, LATEST).error_code, 3);
}

/// Special offsets below those that the version knows are error 35 (Kafka: UNSUPPORTED_VERSION).
#[test]
fn unknown_special_offsets_are_unsupported() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for timestamp in [-4, -5, -6, -7, i64::MIN] {
        assert_eq!(connection.try_list_offset("t", 0, timestamp).error_code, 35, "{timestamp} in version 7");
    }
}
