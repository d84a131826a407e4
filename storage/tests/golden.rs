//! The files of one small log, byte for byte.
//!
//! `kafka-dump-log` of Apache Kafka 4.4 read the golden files (`--deep-iteration --index-sanity-check`, and
//! `--files *.snapshot`) and had nothing to complain of; whoever changes a byte must ask it again.
//! `DAYBOOK_BLESS=1` rewrites them.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};
use storage::{
    batch::{Builder, Codec, Rules, TargetCodec, TimestampType, validate},
    disk::RealDisk,
    log::{Hints, Log, LogConfig},
};

const NOW: i64 = 1_700_000_000_000;

#[test]
fn the_files_of_a_log_are_the_golden_ones() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let dir = dir.path().join("golden-0");
    write_log(&dir);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/golden-0");
    if std::env::var_os("DAYBOOK_BLESS").is_some() {
        let _ = fs::remove_dir_all(&golden);
        fs::create_dir_all(&golden).expect("creates");
        for (name, bytes) in files(&dir) {
            fs::write(golden.join(name), bytes).expect("writes");
        }
    }
    assert_eq!(files(&dir), files(&golden));
}

#[test]
fn the_golden_files_are_read_as_they_are() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for (name, bytes) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/golden-0")) {
        fs::write(dir.path().join(name), bytes).expect("writes");
    }
    for clean in [true, false] {
        let hints = Hints { clean, now_ms: NOW, ..Hints::default() };
        let (log, recovery) = Log::open(Arc::new(RealDisk), dir.path(), config(), hints).expect("opens");
        assert_eq!((log.start_offset(), log.end_offset(), recovery.truncated_bytes), (0, 66, 0));
        assert_eq!(recovery.rebuilt_indexes == 0, clean);
        assert_eq!(log.find_timestamp(NOW + 56).expect("reads").expect("there").offset, 56);
        assert_eq!((log.epoch_of(0), log.epoch_of(40), log.producers().count()), (Some(0), Some(3), 1));
    }
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entry = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("lists");
        (entry.file_name().into_string().expect("text"), fs::read(entry.path()).expect("reads"))
    };
    fs::read_dir(dir).expect("the folder is there").map(entry).collect()
}

fn write_log(dir: &Path) {
    let hints = Hints { now_ms: NOW, ..Hints::default() };
    let (mut log, _) = Log::open(Arc::new(RealDisk), dir, config(), hints).expect("opens");
    // The codecs written here are the ones whose output depends on no library version.
    let as_it_is = rules(TimestampType::CreateTime, Codec::None);
    let stamped = rules(TimestampType::LogAppendTime, Codec::None);
    for i in 0..60 {
        let mut records = Builder::new(NOW + i);
        records.push(Some(format!("key-{i}").as_bytes()), Some(&[b'v'; 20]));
        let rules = if i % 7 == 6 { &stamped } else { &as_it_is };
        let batch = validate(records.build().to_bytes(), rules).expect("valid");
        log.append(batch, if i < 35 { 0 } else { 3 }, NOW).expect("appends");
    }
    let mut open = Builder::new(NOW + 100);
    open.push(None, Some(b"one")).push(Some(b""), None).push(Some(b"k"), Some(b"")).transactional(4711, 2);
    log.append(open.build(), 3, NOW).expect("appends");
    let mut marker = Builder::new(NOW + 101);
    marker.push(Some(&[0, 0, 0, 1]), Some(&[0, 0, 0, 0, 0, 7])).control().transactional(4711, 2);
    log.append(marker.build(), 3, NOW).expect("appends");
    let mut last = Builder::new(NOW + 102);
    last.push(Some(b"a"), Some(b"1")).push(Some(b"b"), Some(b"2"));
    log.append(last.build(), 3, NOW).expect("appends");
    log.close().expect("closes");
}

fn rules(timestamp_type: TimestampType, codec: Codec) -> Rules {
    Rules {
        max_batch_bytes: 1_048_588,
        timestamp_type,
        timestamp_before_max_ms: i64::MAX,
        timestamp_after_max_ms: 3_600_000,
        keys_required: false,
        max_decompressed_bytes: 2_147_483_639,
        target: TargetCodec::Fixed { codec, level: None },
        zstd_allowed: true,
        now_ms: NOW + 50,
    }
}

fn config() -> LogConfig {
    LogConfig {
        segment_bytes: 2048,
        segment_ms: 604_800_000,
        segment_jitter_ms: 0,
        segment_index_bytes: 10_485_760,
        index_interval_bytes: 300,
        retention_ms: -1,
        retention_bytes: -1,
        delete: true,
        compact: false,
        file_delete_delay_ms: 60_000,
        flush_messages: i64::MAX,
        flush_ms: i64::MAX,
        preallocate: false,
        max_batch_bytes: 1_048_588,
        timestamp_type: TimestampType::CreateTime,
        timestamp_before_max_ms: i64::MAX,
        timestamp_after_max_ms: 3_600_000,
        max_decompressed_bytes: 2_147_483_639,
        target: TargetCodec::Producer,
        producer_id_expiration_ms: 86_400_000,
        max_compaction_lag_ms: i64::MAX,
    }
}
