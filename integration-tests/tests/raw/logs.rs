//! What stays on disk: retention, recovery, damaged files, whose folder it is (`LOG-*`).

use integration_tests::{
    Daybook,
    batch::{Batch, Codec, now_ms},
    eventually, stored,
    verbs::EARLIEST,
};
use std::{fs, io::Write, path::PathBuf, time::Duration};

const SOON: Duration = Duration::from_secs(20);

/// A broker that looks for old segments ten times a second.
fn with_eager_retention() -> Daybook {
    Daybook::start(&[("log.retention.check.interval.ms", "100"), ("log.initial.task.delay.ms", "100")])
}

/// LOG-07: retention goes by the records' own times: old ones are deleted, future ones stay.
#[test]
fn retention_goes_by_the_records_times() {
    let daybook = with_eager_retention();
    let mut connection = daybook.connect();
    for (topic, at_ms) in [("seconds", now_ms() / 1000), ("now", now_ms()), ("ahead", now_ms() + 3_000_000)] {
        connection.create_topic(topic, 1, &[("retention.ms", "60000")]);
        connection.produce(topic, 0, &Batch::of(&["x"]).at(at_ms));
    }
    eventually("times in seconds are from 1970", SOON, || {
        connection.list_offset("seconds", 0, EARLIEST).0 == 1
    });
    assert_eq!(connection.offsets("seconds", 0), (1, 1), "the next offset stays");
    assert_eq!(connection.offsets("now", 0), (0, 1));
    assert_eq!(connection.offsets("ahead", 0), (0, 1));
}

/// Retention by size deletes whole segments, the oldest first, down to the limit.
#[test]
fn retention_by_size_deletes_the_oldest_segments() {
    let daybook = with_eager_retention();
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("segment.bytes", "1048576"), ("retention.bytes", "2000000")]);
    let large = Batch::of(&["x".repeat(900_000).as_str()]);
    for _ in 0..5 {
        connection.produce("t", 0, &large);
    }
    eventually("old segments are deleted", SOON, || connection.list_offset("t", 0, EARLIEST).0 == 2);
    assert_eq!(connection.fetch("t", 0, 2)[0].base_offset, 2);
}

/// LOG-09: -1 keeps for ever, and a topic without a setting keeps as long as the default says.
#[test]
fn no_retention_is_not_delete_all() {
    let daybook = Daybook::start(&[
        ("log.retention.check.interval.ms", "100"),
        ("log.initial.task.delay.ms", "100"),
        ("log.retention.bytes", "-1"),
    ]);
    let mut connection = daybook.connect();
    connection.create_topic("for-ever", 1, &[("retention.ms", "-1"), ("retention.bytes", "-1")]);
    connection.create_topic("default", 1, &[]);
    connection.create_topic("witness", 1, &[("retention.ms", "1")]);
    connection.produce("for-ever", 0, &Batch::of(&["x"]).at(1_000));
    connection.produce("default", 0, &Batch::of(&["x"]));
    connection.produce("witness", 0, &Batch::of(&["x"]).at(1_000));
    eventually("a check has run", SOON, || connection.list_offset("witness", 0, EARLIEST).0 == 1);
    assert_eq!(connection.offsets("for-ever", 0), (0, 1));
    assert_eq!(connection.offsets("default", 0), (0, 1));
}

/// LOG-10: a consumer that was paused beyond retention gets error 1; its committed offset stays as it was.
#[test]
fn a_position_below_the_log_start_is_out_of_range() {
    let daybook = with_eager_retention();
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("retention.ms", "1000")]);
    connection.produce("t", 0, &Batch::of(&["old"]).at(now_ms() - 60_000));
    connection.commit("g", "t", &[(0, 0)]);
    eventually("retention", SOON, || connection.list_offset("t", 0, EARLIEST).0 == 1);
    assert_eq!(connection.try_fetch("t", 0, 0).error_code, 1);
    assert_eq!(connection.committed_offset("g", "t", 0), 0);
}

fn segment(daybook: &Daybook, suffix: &str) -> PathBuf {
    daybook.folder().join("t-0").join(format!("{:020}.{suffix}", 0))
}

/// LOG-11: a torn tail is cut at the last whole valid batch, and the next offsets continue from there.
#[test]
fn a_torn_tail_is_cut() {
    let next = Batch::of(&["torn", "away"]).encode();
    for torn in [&next[..1], &next[..30], &next[..next.len() - 1], &[0; 4096]] {
        let mut daybook = Daybook::start(&[]);
        let mut connection = daybook.connect();
        connection.create_topic("t", 1, &[]);
        for value in ["a", "b", "c"] {
            connection.produce("t", 0, &Batch::of(&[value]).with_codec(Codec::Zstd));
        }
        daybook.kill9();
        let log = segment(&daybook, "log");
        let whole = fs::metadata(&log).expect("the log").len();
        let mut file = fs::OpenOptions::new().append(true).open(&log).expect("the log");
        file.write_all(torn).expect("a torn write");
        daybook.start_again();
        let mut connection = daybook.connect();
        assert_eq!(stored::values(&connection.fetch("t", 0, 0)), ["a", "b", "c"]);
        assert_eq!(fs::metadata(&log).expect("the log").len(), whole);
        assert_eq!(connection.produce("t", 0, &Batch::of(&["d"])), 3);
    }
}

/// LOG-11: a batch that is damaged after a crash ends the log: nothing behind it is served.
#[test]
fn a_damaged_batch_ends_the_log_after_a_crash() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let size = Batch::of(&["a"]).encode().len();
    for value in ["a", "b", "c"] {
        connection.produce("t", 0, &Batch::of(&[value]));
    }
    daybook.kill9();
    let log = segment(&daybook, "log");
    let mut bytes = fs::read(&log).expect("the log");
    bytes[size + 65] ^= 1;
    fs::write(&log, bytes).expect("the log");
    daybook.start_again();
    let mut connection = daybook.connect();
    assert_eq!(stored::values(&connection.fetch("t", 0, 0)), ["a"]);
    assert_eq!(connection.produce("t", 0, &Batch::of(&["d"])), 1);
}

/// LOG-13: index and snapshot files that are missing, empty or garbage are made again, clean stop or not.
#[test]
fn damaged_indexes_are_made_again() {
    for crash in [false, true] {
        for damage in ["remove", "empty", "garbage"] {
            let mut daybook = Daybook::start(&[]);
            let mut connection = daybook.connect();
            connection.create_topic("t", 1, &[("index.interval.bytes", "0")]);
            let start_ms = now_ms() - 1_000;
            for number in 0..50 {
                connection.produce("t", 0, &Batch::of(&[&number.to_string()]).at(start_ms + number));
            }
            if crash {
                daybook.kill9();
            } else {
                daybook.stop();
            }
            for entry in fs::read_dir(daybook.folder().join("t-0")).expect("the partition's folder") {
                let path = entry.expect("readable").path();
                let suffix = path.extension().unwrap_or_default().to_string_lossy().into_owned();
                if ["index", "timeindex", "snapshot"].contains(&suffix.as_str()) {
                    match damage {
                        "remove" => fs::remove_file(&path).expect("ours"),
                        "empty" => fs::write(&path, b"").expect("ours"),
                        _ => fs::write(&path, [0x5a; 240]).expect("ours"),
                    }
                }
            }
            daybook.start_again();
            let mut connection = daybook.connect();
            let what = format!("crash: {crash}, {damage}");
            let mut values = Vec::new();
            while values.len() < 50 {
                values.extend(stored::values(&connection.fetch("t", 0, values.len() as i64)));
            }
            assert!(
                values.iter().map(String::as_str).eq((0..50)
                    .map(|n| n.to_string())
                    .collect::<Vec<_>>()
                    .iter()
                    .map(String::as_str)),
                "{what}"
            );
            assert_eq!(connection.list_offset("t", 0, start_ms + 30), (30, start_ms + 30), "{what}");
            assert_eq!(connection.fetch("t", 0, 37)[0].base_offset, 37, "{what}");
        }
    }
}

/// LOG-14: after kill -9 with many partitions and much data the broker serves again within seconds.
#[test]
fn a_crashed_broker_with_much_data_is_soon_back() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for topic in 0..20 {
        connection.create_topic(&format!("t{topic}"), 10, &[]);
    }
    let large = Batch::of(&["x".repeat(900_000).as_str()]);
    for topic in 0..20 {
        for partition in 0..5 {
            connection.produce(&format!("t{topic}"), partition, &large);
        }
    }
    daybook.kill9();
    let started_at = std::time::Instant::now();
    daybook.start_again();
    assert_eq!(daybook.connect().offsets("t19", 4), (0, 1));
    assert!(started_at.elapsed() < SOON, "{:?}", started_at.elapsed());
}

/// `flush.messages=1`: acknowledged after the sync, and served as always.
#[test]
fn a_topic_can_be_flushed_before_each_acknowledgement() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("flush.messages", "1")]);
    for number in 0..20 {
        assert_eq!(connection.produce("t", 0, &Batch::of(&["x"])), number);
    }
    daybook.kill9();
    daybook.start_again();
    assert_eq!(daybook.connect().offsets("t", 0), (0, 20));
}

/// Segments roll by size and by time; reads go across them.
#[test]
fn reads_go_across_segments() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("segment.bytes", "1048576")]);
    let large = |number: i32| Batch::of(&[&format!("{number}-{}", "x".repeat(400_000))]);
    for number in 0..6 {
        connection.produce("t", 0, &large(number));
    }
    let segments = fs::read_dir(daybook.folder().join("t-0"))
        .expect("the partition's folder")
        .filter(|entry| {
            entry.as_ref().expect("readable").path().extension().is_some_and(|suffix| suffix == "log")
        })
        .count();
    assert_eq!(segments, 3);
    for restarted in [false, true] {
        if restarted {
            daybook.restart();
        }
        let mut connection = daybook.connect();
        let mut next = 0;
        while next < 6 {
            for batch in connection.fetch("t", 0, next) {
                assert_eq!(batch.base_offset, next);
                assert!(batch.records[0].value().starts_with(&format!("{next}-")));
                next = batch.last_offset() + 1;
            }
        }
    }
}
