//! How many files stay open, counted by the system. Alone in its file, since the bound is the whole process's.

use bytes::Bytes;
use std::{fs, path::Path, sync::Arc};
use storage::{
    batch::{Builder, TargetCodec, TimestampType, batches},
    disk::RealDisk,
    log::{Hints, Log, LogConfig},
    open_files,
};

const LIMIT: usize = 16;
const LOGS: usize = 100;

fn config() -> LogConfig {
    LogConfig {
        segment_bytes: 400,
        segment_ms: i64::MAX,
        segment_jitter_ms: 0,
        segment_index_bytes: 10 << 20,
        index_interval_bytes: 4096,
        retention_ms: -1,
        retention_bytes: -1,
        delete: true,
        compact: false,
        file_delete_delay_ms: 0,
        flush_messages: i64::MAX,
        flush_ms: i64::MAX,
        preallocate: false,
        max_batch_bytes: i32::MAX,
        timestamp_type: TimestampType::CreateTime,
        timestamp_before_max_ms: i64::MAX,
        timestamp_after_max_ms: i64::MAX,
        max_decompressed_bytes: i32::MAX,
        target: TargetCodec::Producer,
        producer_id_expiration_ms: i64::MAX,
        max_compaction_lag_ms: i64::MAX,
    }
}

fn open(dir: &Path) -> Log {
    Log::open(Arc::new(RealDisk), dir, config(), Hints::default()).expect("opens").0
}

fn append(log: &mut Log, value: &str) {
    let mut batch = Builder::new(5);
    batch.push(None, Some(value.as_bytes()));
    log.append(batch.build(), 0, 5).expect("appends");
}

fn read(log: &Log, offset: i64) -> Bytes {
    let slice = log.locate(offset, 10_000, log.end_offset(), true).expect("in range").expect("there");
    slice.read().expect("reads")
}

fn open_below(dir: &Path) -> usize {
    let links = fs::read_dir("/proc/self/fd").expect("Linux");
    links.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok()).filter(|link| link.starts_with(dir)).count()
}

/// D11: more logs in use than files may be open, each with several segments; nothing is lost and nothing stays open.
#[test]
fn many_logs_share_few_open_files() {
    open_files::set_limit(LIMIT);
    let dir = tempfile::tempdir().expect("temporary folder");
    let folder = |index: usize| dir.path().join(format!("t-{index}"));
    let mut logs: Vec<Log> = (0..LOGS).map(|index| open(&folder(index))).collect();
    assert_eq!(open_below(dir.path()), 0, "a log without batches has no file");
    for round in 0..20 {
        for (index, log) in logs.iter_mut().enumerate() {
            append(log, &format!("{index} {round}"));
        }
        let open = open_below(dir.path());
        assert!((2..=LIMIT).contains(&open), "{open} files are open");
    }
    assert!(logs[0].segment_count() > 2);

    let held = logs[0].locate(0, 1, 20, true).expect("in range").expect("there");
    for (index, log) in logs.iter().enumerate() {
        for round in 0..20 {
            let bytes = read(log, round);
            let batch = batches(&bytes).next().expect("a batch");
            let mut value = Vec::new();
            batch
                .for_each_record(1000, &mut |record| value = record.value.unwrap_or_default().to_vec())
                .expect("intact");
            assert_eq!(value, format!("{index} {round}").into_bytes());
        }
        assert!(open_below(dir.path()) <= LIMIT);
    }
    let many: Vec<_> = logs.iter().map(|log| log.locate(0, 1, 20, true).expect("in range")).collect();
    assert!(open_below(dir.path()) <= LIMIT, "slices that wait to be read keep no file open");
    assert!(many.iter().flatten().all(|slice| slice.read().is_ok()));
    assert!(held.read().is_ok(), "what was found is read, whoever needed room meanwhile");

    logs.iter().for_each(Log::release_files);
    assert_eq!(open_below(dir.path()), 0);
    append(&mut logs[1], "opens what it needs");
    open_files::make_room();
    logs.iter().for_each(Log::release_files);
    drop(logs);
    assert!(held.read().is_err(), "a file that is nobody's any more is not opened again");
    assert_eq!(open(&folder(1)).end_offset(), 21);
}
