//! All partitions together, on a temporary folder.

use super::*;
use crate::testing::{Bench, batch, open_logs, topic_config};
use std::{fs, time::Duration};
use storage::disk::RealDisk;
use tokio::sync::watch;

const PERIODS: duties::Periods = duties::Periods {
    first_after: Duration::from_secs(30),
    retention: Duration::from_secs(300),
    producer_expiry: Duration::from_secs(600),
    checkpoint: Duration::from_secs(60),
    log_start_checkpoint: Duration::from_secs(60),
};

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the folder is there");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The broker's data path as the next process finds it.
fn reopened(bench: Bench, clean: bool) -> (Bench, Uuid) {
    let id = bench.id_of("t");
    let logs = open_logs(Arc::new(RealDisk), bench.dir.path(), clean);
    let partitions = bench.image.topics["t"].partitions.len() as i32;
    let config = Arc::new(topic_config());
    let open =
        |index| ToOpen { topic: "t".into(), topic_id: id, index, leader_epoch: 1, config: config.clone() };
    logs.open_all(&(0..partitions).map(open).collect::<Vec<_>>()).expect("the logs open");
    (Bench { logs, ..bench }, id)
}

#[tokio::test]
async fn partitions_are_found_by_name_and_by_id() {
    let mut bench = Bench::with_topic(2);
    let other = bench.topic("other", 1, |_| {});
    let id = bench.id_of("t");
    let found = |partition: Option<Arc<Partition>>| partition.map(|p| (p.topic().to_string(), p.index()));
    assert_eq!(found(bench.logs.get("t", 1)), Some(("t".into(), 1)));
    assert_eq!(found(bench.logs.get_by_id(id, 1)), Some(("t".into(), 1)));
    assert_eq!(found(bench.logs.get_by_id(other, 0)), Some(("other".into(), 0)));
    assert_eq!(found(bench.logs.get("t", 2)), None);
    assert_eq!(found(bench.logs.get_by_id(other, 1)), None);
    assert_eq!(bench.logs.all().len(), 3);
}

/// META-12: the name is free at once, and the new topic begins at 0 with an id of its own.
#[tokio::test]
async fn a_topic_can_be_made_again_as_soon_as_it_was_removed() {
    let mut bench = Bench::with_topic(1);
    bench.append("t", 0, batch(3).bytes()).await;
    let old = bench.partition("t", 0);
    bench.logs.remove("t", 0).expect("the folder can be renamed");
    assert!(bench.logs.get("t", 0).is_none() && bench.logs.get_by_id(old.topic_id(), 0).is_none());
    let id = bench.topic("t", 1, |_| {});
    assert_ne!(id, old.topic_id());
    assert_eq!(bench.append("t", 0, batch(1).bytes()).await.base_offset, 0);
    assert!(old.is_deleted());
    let deleted = names(bench.dir.path()).into_iter().find(|name| name.ends_with("-delete"));
    assert!(deleted.expect("the old folder is there for a while").starts_with("t-0."));
}

#[tokio::test(start_paused = true)]
async fn deleted_folders_go_after_their_delay() {
    let mut bench = Bench::new();
    bench.topic("t", 1, |config| config.log.file_delete_delay_ms = 60_000);
    let (stop, stopped) = watch::channel(false);
    let mut duties = duties::start(&bench.logs, PERIODS, &stopped);
    bench.logs.remove("t", 0).expect("the folder can be renamed");
    let deleted = || names(bench.dir.path()).into_iter().filter(|name| name.ends_with("-delete")).count();
    tokio::time::sleep(Duration::from_millis(59_000)).await;
    assert_eq!(deleted(), 1);
    tokio::time::sleep(Duration::from_millis(2_000)).await;
    stop.send(true).expect("the duties listen");
    while duties.join_next().await.is_some() {}
    assert_eq!(deleted(), 0);
}

#[tokio::test]
async fn folders_that_a_crash_left_to_remove_are_removed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let left = dir.path().join("t-0.0123456789abcdef0123456789abcdef-delete");
    fs::create_dir(&left).expect("a folder");
    let logs = open_logs(Arc::new(RealDisk), dir.path(), false);
    logs.remove_doomed(Instant::now());
    assert!(!left.exists());
}

/// IDEM-07, TRIM-01: also what was not closed is all there, and a duplicate is still one.
#[tokio::test]
async fn everything_acknowledged_is_there_after_closing_and_after_being_killed() {
    for clean in [true, false] {
        let bench = Bench::with_topic(2);
        let retried = batch(2).by_producer(7, 0, 0).bytes();
        bench.append("t", 0, batch(3).bytes()).await;
        bench.append("t", 0, retried.clone()).await;
        bench.partition("t", 0).delete_records(2).expect("within the log");
        assert!(bench.logs.save_log_starts().await);
        if clean {
            bench.logs.close().expect("the logs close");
        }
        let (bench, id) = reopened(bench, clean);
        let partition = bench.partition("t", 0);
        let offsets = partition.offsets();
        assert_eq!((offsets.log_start, offsets.log_end, partition.topic_id()), (2, 5, id), "clean: {clean}");
        assert_eq!(bench.append("t", 0, retried).await.base_offset, 3, "clean: {clean}");
        assert_eq!(bench.append("t", 0, batch(1).bytes()).await.base_offset, 5, "clean: {clean}");
    }
}

#[tokio::test]
async fn closing_writes_the_checkpoints() {
    let bench = Bench::with_topic(2);
    bench.append("t", 1, batch(3).bytes()).await;
    bench.partition("t", 1).delete_records(2).expect("within the log");
    bench.logs.close().expect("the logs close");
    let text = |name: &str| fs::read_to_string(bench.dir.path().join(name)).expect("the file is there");
    assert_eq!(text("recovery-point-offset-checkpoint"), "0\n2\nt 0 0\nt 1 3\n");
    assert_eq!(text("replication-offset-checkpoint"), "0\n2\nt 0 0\nt 1 3\n");
    assert_eq!(text("log-start-offset-checkpoint"), "0\n1\nt 1 2\n");
    let late = bench.append("t", 1, batch(1).bytes()).await;
    assert_eq!(late.error_code, 6, "closed, and not gone");
}

#[tokio::test]
async fn a_damaged_checkpoint_does_not_stop_the_start() {
    let bench = Bench::with_topic(1);
    bench.append("t", 0, batch(3).bytes()).await;
    fs::write(bench.dir.path().join("recovery-point-offset-checkpoint"), "garbage").expect("a write");
    let (bench, _) = reopened(bench, false);
    assert_eq!(bench.partition("t", 0).offsets().log_end, 3);
}

#[tokio::test]
async fn a_folder_of_another_topic_is_set_aside() {
    let bench = Bench::with_topic(1);
    bench.append("t", 0, batch(3).bytes()).await;
    let logs = open_logs(Arc::new(RealDisk), bench.dir.path(), false);
    let partition = logs.create(&"t".into(), Uuid::new_v4(), 0, 0, &topic_config()).expect("the log opens");
    assert_eq!(partition.offsets().log_end, 0);
    assert!(names(bench.dir.path()).iter().any(|name| name.ends_with("-stray")));
}

#[tokio::test]
async fn settings_reach_open_logs() {
    let bench = Bench::with_topic(1);
    let mut config = topic_config();
    config.log.max_batch_bytes = 10;
    bench.logs.reconfigure("t", &config);
    assert_eq!(bench.append("t", 0, batch(1).bytes()).await.error_code, 10);
}

/// LOG-07: the largest timestamp counts, here one of 1970.
#[tokio::test]
async fn retention_moves_the_log_start_and_keeps_what_is_young() {
    let mut bench = Bench::new();
    bench.topic("t", 2, |config| config.log.retention_ms = 1000);
    let old = crate::testing::Batch { timestamp: 1000, ..batch(1) };
    bench.append("t", 0, old.bytes()).await;
    let young = crate::testing::Batch { timestamp: i64::MAX / 2, ..batch(1) };
    bench.partition("t", 1).reconfigure(&storage::log::LogConfig {
        timestamp_after_max_ms: i64::MAX,
        retention_ms: 1000,
        ..topic_config().log
    });
    assert_eq!(bench.append("t", 1, young.bytes()).await.error_code, 0);
    duties::apply_retention(&bench.logs);
    assert_eq!(bench.partition("t", 0).offsets().log_start, 1);
    assert_eq!(bench.partition("t", 1).offsets().log_start, 0);
}

/// D11: what holds no data costs (next to) nothing.
#[test]
fn thousands_of_empty_partitions_open_without_files_and_in_no_time() {
    let open_files = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = Arc::new(topic_config());
    let id = Uuid::new_v4();
    let open =
        |index| ToOpen { topic: "t".into(), topic_id: id, index, leader_epoch: 0, config: config.clone() };
    let all: Vec<_> = (0..1000).map(open).collect();
    let before = open_files();
    for _ in 0..2 {
        let logs = open_logs(Arc::new(RealDisk), dir.path(), false);
        logs.open_all(&all).expect("the logs open");
        assert_eq!(logs.all().len(), 1000);
        assert!(open_files() < before + 20, "{} files are open", open_files());
    }
}
