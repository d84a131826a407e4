//! Acknowledged data survives `kill -9`: producers and a group at work while the broker is killed again and again.
//!
//! `DAYBOOK_KILL_ROUNDS` sets the number of kills (`cargo xtask stress kill`: 50), `DAYBOOK_BINARY` the binary, and
//! `DAYBOOK_SERVING_WITHIN_MS` how long a killed broker may take to serve again.

mod history;
mod workload;

use history::{Anomaly, History};
use integration_tests::{Daybook, eventually, stored};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use workload::{Consumer, Producer, TOPIC};

const PARTITIONS: i32 = 3;
/// A broker that was killed serves again within this time, on a machine that does other things too.
const SERVING_WITHIN_MS: u64 = 5_000;
const PROGRESS_WITHIN: Duration = Duration::from_secs(60);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// LOG-11, IDEM-07, GROUP-18: nothing acknowledged is lost, nothing idempotent is twice, no commit goes back.
#[test]
fn nothing_acknowledged_is_lost_by_kill_9() {
    let mut daybook = Daybook::start(&[]);
    daybook.connect().create_topic(TOPIC, PARTITIONS, &[("segment.bytes", "16777216")]);
    let history = History::default();
    let bootstrap = daybook.bootstrap();
    let producers: Vec<_> = [
        // (name, idempotent, largest value)
        ("small", true, 100),
        ("medium", true, 20_000),
        ("large", true, 900_000),
        ("plain", false, 2_000),
    ]
    .into_iter()
    .map(|(name, idempotent, largest)| {
        Producer::start(&bootstrap, name, idempotent, largest, PARTITIONS, &history)
    })
    .collect();
    let consumer = Consumer::start(&bootstrap, &history);

    let rounds = number("DAYBOOK_KILL_ROUNDS", 4);
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let commits = consumer.commits();
        let marks: Vec<usize> = producers.iter().map(Producer::acknowledged).collect();
        let wanted = 3 + (round as usize * 7) % 20;
        eventually("progress of every producer and of the group", PROGRESS_WITHIN, || {
            consumer.commits() > commits
                && producers
                    .iter()
                    .zip(&marks)
                    .all(|(producer, mark)| producer.acknowledged() >= mark + wanted)
        });
        daybook.kill9();
        let started_at = Instant::now();
        daybook.start_again();
        daybook.connect().all_topics();
        slowest = slowest.max(started_at.elapsed());
        history.committed_after_restart(committed(&daybook));
    }
    for producer in producers {
        producer.finish();
    }
    consumer.finish();
    history.committed_after_restart(committed(&daybook));
    let log = read_all(&daybook);
    let anomalies = history.check(&log);
    assert_eq!(anomalies, Vec::<Anomaly>::new());
    let records: usize = log.values().map(BTreeMap::len).sum();
    println!("{rounds} kills, {records} records, serving again after at most {slowest:?}");
    let within = Duration::from_millis(number("DAYBOOK_SERVING_WITHIN_MS", SERVING_WITHIN_MS));
    assert!(slowest < within, "serving again took {slowest:?}");
}

fn committed(daybook: &Daybook) -> BTreeMap<i32, i64> {
    daybook
        .connect()
        .committed(workload::GROUP)
        .into_iter()
        .map(|(_, index, offset)| (index, offset))
        .collect()
}

/// Every record of the topic: partition, offset, the value's name (what stands before its padding).
fn read_all(daybook: &Daybook) -> BTreeMap<i32, BTreeMap<i64, String>> {
    let mut connection = daybook.connect();
    let mut all = BTreeMap::new();
    for partition in 0..PARTITIONS {
        let (mut next, end) = connection.offsets(TOPIC, partition);
        let records = all.entry(partition).or_insert_with(BTreeMap::new);
        while next < end {
            let batches = connection.fetch(TOPIC, partition, next);
            for record in stored::records(&batches) {
                let name = record.value().split('|').next().expect("a name").to_owned();
                assert!(records.insert(record.offset, name).is_none(), "offset {} twice", record.offset);
            }
            next = batches.last().expect("data before the end").last_offset() + 1;
        }
    }
    all
}
