//! The log's verbs, one behaviour each.

use super::{testing::*, *};
use crate::{
    batch::{Builder, Codec, batches},
    disk::RealDisk,
    validate::testing::{NOW, Sketch, rules},
};

#[test]
fn what_is_appended_is_read_back_with_offsets_and_epoch() {
    let mut bench = Bench::new(config());
    let first = bench.append(&Sketch::plain(3)).expect("appends");
    assert_eq!(
        (first.base_offset, first.last_offset, first.duplicate, first.sync_needed),
        (0, 2, false, false)
    );
    assert_eq!(first.log_append_time, None);
    let second = bench.log.append(Sketch::plain(2).valid(), 7, 0).expect("appends");
    assert_eq!((second.base_offset, second.last_offset), (3, 4));
    assert_eq!((bench.log.start_offset(), bench.log.end_offset(), bench.log.last_stable_offset()), (0, 5, 5));
    let bytes =
        bench.log.locate(0, 10_000, 5, true).expect("in range").expect("there").read().expect("reads");
    let read: Vec<_> = batches(&bytes)
        .map(|batch| (batch.base_offset(), batch.last_offset(), batch.leader_epoch()))
        .collect();
    assert_eq!(read, [(0, 2, 0), (3, 4, 7)]);
    assert_eq!(bench.log.size_bytes(), bytes.len() as u64);
}

#[test]
fn reads_are_cut_at_batch_boundaries_by_size_and_bound() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 100_000, ..config() });
    bench.fill(50);
    let size = at_time(0).valid().byte_len();
    let log = &bench.log;
    let got = |offset, max_bytes, upper, at_least_one| {
        log.locate(offset, max_bytes, upper, at_least_one)
            .expect("in range")
            .map(|slice| slice.byte_len() / size)
    };
    assert_eq!(got(0, usize::MAX, 50, false), Some(50));
    assert_eq!(got(7, 10 * size, 50, false), Some(10));
    assert_eq!(got(7, 10 * size - 1, 50, false), Some(9));
    assert_eq!(got(7, 10 * size, 9, false), Some(2));
    assert_eq!(got(7, size - 1, 50, true), Some(1));
    assert_eq!(got(7, size - 1, 50, false), None);
    assert_eq!(got(7, size, 7, true), None);
    assert_eq!(got(50, size, 50, true), None);
    for outside in [-1, 51] {
        assert!(matches!(
            log.locate(outside, 1, 50, true),
            Err(ReadError::OutOfRange { start: 0, end: 50, .. })
        ));
    }
}

#[test]
fn a_batch_that_straddles_the_bound_is_not_returned() {
    let mut bench = Bench::new(config());
    bench.append(&Sketch::plain(5)).expect("appends");
    bench.append(&Sketch::plain(5)).expect("appends");
    let last = |upper| {
        let slice = bench.log.locate(2, 10_000, upper, true).expect("in range")?;
        batches(&slice.read().expect("reads")).last().map(|batch| batch.last_offset())
    };
    assert_eq!([last(4), last(5), last(9), last(10)], [None, Some(4), Some(4), Some(9)]);
}

#[test]
fn every_offset_is_found_in_every_segment() {
    for preallocate in [false, true] {
        let mut bench = Bench::new(LogConfig { preallocate, ..config() });
        bench.fill(95);
        assert!(bench.log.segment_count() > 5);
        let all: Vec<_> = (0..95).map(|i| (i, 1000 + i)).collect();
        for offset in 0..95 {
            assert_eq!(bench.read_all(offset, 250), all[offset as usize..], "from {offset}");
        }
        let bench = bench.close_and_reopen();
        assert_eq!(bench.recovery, Recovery::default(), "nothing to do after a proper close");
        assert_eq!(bench.read_all(0, 10_000), all);
        let bench = bench.reopen(Hints::default());
        assert_eq!((bench.recovery.truncated_bytes, bench.read_all(0, 10_000)), (0, all));
    }
}

#[test]
fn a_batch_larger_than_a_segment_is_refused() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 97, ..config() });
    assert!(matches!(bench.append(&at_time(0)), Err(AppendError::LargerThanSegment { size: 98, limit: 97 })));
    assert_eq!(bench.log.end_offset(), 0);
}

#[test]
fn the_log_rolls_by_size_age_index_and_never_before_a_batch() {
    let mut by_size = Bench::new(LogConfig { segment_bytes: 300, ..config() });
    by_size.fill(7);
    let per_segment = 300 / at_time(0).valid().byte_len();
    assert_eq!(by_size.log.segment_count(), 7_usize.div_ceil(per_segment));

    let mut by_age = Bench::new(LogConfig { segment_ms: 100, ..config() });
    for timestamp in [1000, 1100, 1101, 1150, 900, 1202] {
        by_age.append(&at_time(timestamp)).expect("appends");
    }
    assert_eq!(by_age.files(".log").len(), 3, "1000 1100 | 1101 1150 900 | 1202");

    let mut by_clock = Bench::new(LogConfig { segment_ms: 100, ..config() });
    for now_ms in [0, 100, 101] {
        by_clock.log.append(at_time(-1).valid(), 0, now_ms).expect("appends");
    }
    assert_eq!(by_clock.files(".log").len(), 2, "without timestamps the clock counts");

    let mut by_index = Bench::new(LogConfig {
        segment_index_bytes: 16,
        index_interval_bytes: 0,
        segment_bytes: 9000,
        ..config()
    });
    by_index.fill(10);
    assert!(by_index.log.segment_count() > 2);

    let mut compacted = Bench::new(LogConfig { compact: true, max_compaction_lag_ms: 10, ..config() });
    for timestamp in [1000, 1011] {
        compacted.append(&at_time(timestamp)).expect("appends");
    }
    assert_eq!(compacted.log.segment_count(), 2);
}

#[test]
fn jitter_makes_logs_roll_earlier_and_each_at_its_own_time() {
    let jittered = LogConfig { segment_ms: 1000, segment_jitter_ms: 900, ..config() };
    let bench = Bench::new(jittered);
    let mut delays: Vec<_> = (0..20).map(|base| bench.log.jitter_for_tests(base)).collect();
    assert!(delays.iter().all(|delay| (0..900).contains(delay)));
    delays.dedup();
    assert!(delays.len() > 10);
}

#[test]
fn closing_a_log_to_which_nothing_happened_syncs_nothing() {
    let mut bench = Bench::new(config());
    bench.fill(15);
    let bench = bench.close_and_reopen();
    let syncs = bench.disk.syncs();
    let bench = bench.close_and_reopen();
    assert_eq!((bench.disk.syncs(), bench.log.end_offset()), (syncs, 15));
}

/// D11: 10,000 empty logs open in no time and hold no file.
#[test]
fn a_log_without_batches_opens_no_file() {
    let bench = Bench::new(config());
    assert_eq!((bench.disk.opened(), bench.files("")), (0, vec![]));
    let bench = bench.close_and_reopen();
    assert_eq!((bench.disk.opened(), bench.log.end_offset()), (0, 0));
    assert_eq!(bench.read_all(0, 100), []);
}

#[test]
fn cached_reads_give_the_same_bytes() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let (mut log, _) = Log::open(Arc::new(RealDisk), dir.path(), config(), Hints::default()).expect("opens");
    log.append(at_time(5).valid(), 3, 0).expect("appends");
    let slice = log.locate(0, 1000, 1, true).expect("in range").expect("there");
    let waited = slice.read().expect("reads");
    if let Some(cached) = slice.read_cached().expect("reads") {
        assert_eq!(cached, waited);
    }
    if let Some(located) = log.locate_cached(0, 1000, 1, true).expect("in range") {
        assert_eq!(located.expect("there").read().expect("reads"), waited);
    }
}

/// IDEM-01, PROD-08
#[test]
fn a_duplicate_answers_with_the_offset_and_time_of_the_first() {
    let mut bench = Bench::new(config());
    bench.fill(2);
    let stamped = crate::batch::Rules { timestamp_type: TimestampType::LogAppendTime, ..rules() };
    let sketch = Sketch { producer: (1, 0, 0), ..at_time(50) };
    let batch = crate::batch::validate(sketch.bytes(), &stamped).expect("valid");
    let first = bench.log.append(batch, 0, 0).expect("appends");
    assert_eq!((first.base_offset, first.log_append_time, first.duplicate), (2, Some(NOW), false));
    let later = crate::batch::Rules { now_ms: NOW + 9, ..stamped };
    let again = bench
        .log
        .append(crate::batch::validate(sketch.bytes(), &later).expect("valid"), 0, 0)
        .expect("known");
    assert_eq!(again, Appended { duplicate: true, ..first });
    assert_eq!(bench.log.end_offset(), 3);
}

#[test]
fn durability_is_asked_for_by_messages_or_by_zero_milliseconds() {
    let mut every_third = Bench::new(LogConfig { flush_messages: 3, ..config() });
    let asked: Vec<_> =
        (0..4).map(|_| every_third.append(&at_time(1)).expect("appends").sync_needed).collect();
    assert_eq!(asked, [false, false, true, true]);
    every_third.flush();
    assert_eq!(every_third.log.recovery_point(), 4);
    assert!(!every_third.append(&at_time(1)).expect("appends").sync_needed);

    let mut always = Bench::new(LogConfig { flush_ms: 0, ..config() });
    let sketch = Sketch { producer: (1, 0, 0), ..at_time(1) };
    assert!(always.append(&sketch).expect("appends").sync_needed);
    assert!(always.append(&sketch).expect("known").sync_needed, "the first may still wait for its sync");
    always.flush();
    assert!(!always.append(&sketch).expect("known").sync_needed);
}

#[test]
fn after_a_roll_a_flush_is_wanted_until_it_happened() {
    let mut bench = Bench::new(config());
    bench.fill(5);
    assert!(!bench.log.wants_background_flush());
    bench.fill(20);
    assert!(bench.log.wants_background_flush());
    bench.flush();
    assert!(!bench.log.wants_background_flush());
    assert_eq!(bench.log.unflushed_records(), 0);
}

fn times_log(codec: Codec) -> Bench {
    let mut bench = Bench::new(config());
    for timestamps in [[2, 4], [6, 8]] {
        bench.append(&at_times(&timestamps, codec)).expect("appends");
    }
    bench
}

fn found(found: Result<Option<Found>, LogError>) -> (i64, i64) {
    found.expect("reads").map_or((-1, -1), |found| (found.offset, found.timestamp))
}

/// LIST-02
#[test]
fn the_first_record_at_or_after_a_time_is_found() {
    for codec in [Codec::None, Codec::Gzip] {
        let bench = times_log(codec);
        let asked: Vec<_> = (1..=9).map(|timestamp| found(bench.log.find_timestamp(timestamp))).collect();
        let expected = [(0, 2), (0, 2), (1, 4), (1, 4), (2, 6), (2, 6), (3, 8), (3, 8), (-1, -1)];
        assert_eq!(asked, expected);
        let bench = bench.close_and_reopen();
        assert_eq!(found(bench.log.find_timestamp(5)), (2, 6));
    }
}

/// LIST-03
#[test]
fn an_empty_or_emptied_log_has_no_record_at_any_time() {
    let mut bench = Bench::new(config());
    assert_eq!(found(bench.log.find_timestamp(0)), (-1, -1));
    assert_eq!(found(bench.log.find_max_timestamp()), (-1, -1));
    bench.fill(30);
    bench.log.raise_start_offset(30).expect("trims");
    for _ in 0..2 {
        assert_eq!(found(bench.log.find_timestamp(0)), (-1, -1));
        assert_eq!(found(bench.log.find_max_timestamp()), (-1, -1));
        bench.log.apply_retention(0).expect("deletes");
    }
}

/// LIST-04
#[test]
fn a_time_inside_a_compressed_batch_is_found_at_its_own_record() {
    for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let mut bench = Bench::new(config());
        let timestamps: Vec<i64> = (0..50).map(|i| 1000 + 10 * i).collect();
        bench.append(&at_times(&timestamps, codec)).expect("appends");
        assert_eq!(found(bench.log.find_timestamp(1300)), (30, 1300), "{codec:?}");
        assert_eq!(found(bench.log.find_timestamp(1301)), (31, 1310), "{codec:?}");
        bench.log.raise_start_offset(40).expect("trims");
        assert_eq!(found(bench.log.find_timestamp(1300)), (40, 1400), "{codec:?}");
    }
}

/// LIST-06
#[test]
fn the_largest_timestamp_is_found_at_the_first_record_that_has_it() {
    for codec in [Codec::None, Codec::Lz4] {
        let mut bench = Bench::new(config());
        bench.append(&at_times(&[5, 9, 7], codec)).expect("appends");
        bench.append(&at_times(&[1, 9, 2], codec)).expect("appends");
        assert_eq!(found(bench.log.find_max_timestamp()), (1, 9));
        bench.log.raise_start_offset(2).expect("trims");
        assert_eq!(found(bench.log.find_max_timestamp()), (4, 9));
        bench.log.raise_start_offset(5).expect("trims");
        assert_eq!(found(bench.log.find_max_timestamp()), (5, 2));
    }
    let mut stamped = Bench::new(config());
    let rules = crate::batch::Rules { timestamp_type: TimestampType::LogAppendTime, ..rules() };
    let batch = crate::batch::validate(Sketch::plain(3).bytes(), &rules).expect("valid");
    stamped.log.append(batch, 0, 0).expect("appends");
    assert_eq!(found(stamped.log.find_max_timestamp()), (0, NOW), "the batch's first record");
}

#[test]
fn times_are_found_across_segments_and_with_disorder() {
    let mut bench = Bench::new(config());
    let timestamps: Vec<i64> = (0..120).map(|i| 1000 + (i * 37) % 101).collect();
    for &timestamp in &timestamps {
        bench.append(&at_time(timestamp)).expect("appends");
    }
    for asked in 990..1110 {
        let expected =
            timestamps.iter().position(|&at| at >= asked).map_or((-1, -1), |i| (i as i64, timestamps[i]));
        assert_eq!(found(bench.log.find_timestamp(asked)), expected, "{asked}");
    }
    let largest = timestamps.iter().enumerate().max_by_key(|&(i, &at)| (at, -(i as i64))).expect("not empty");
    assert_eq!(found(bench.log.find_max_timestamp()), (largest.0 as i64, *largest.1));
}

/// TRIM-01
#[test]
fn the_start_may_be_raised_into_a_batch_and_stays_after_a_restart() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 400, ..config() });
    for _ in 0..10 {
        bench.append(&Sketch::plain(10)).expect("appends");
    }
    bench.log.raise_start_offset(57).expect("trims");
    let check = |bench: &Bench| {
        assert_eq!((bench.log.start_offset(), bench.log.end_offset()), (57, 100));
        assert!(matches!(bench.log.locate(56, 100, 100, true), Err(ReadError::OutOfRange { start: 57, .. })));
        assert_eq!(bench.read_all(57, 10_000).len(), 43);
    };
    check(&bench);
    let segments = bench.log.segment_count();
    assert!(bench.log.apply_retention(NOW).expect("deletes") > 0);
    assert!(bench.log.segment_count() < segments);
    check(&bench);
    bench.log.raise_start_offset(3).expect("lower than the start changes nothing");
    let bench = bench.reopen(Hints { log_start_offset: 57, ..Hints::default() });
    check(&bench);
    check(&bench.close_and_reopen());
}

/// LOG-07
#[test]
fn retention_by_time_goes_by_the_largest_timestamp_of_a_segment() {
    let mut bench = Bench::new(LogConfig { retention_ms: 1000, segment_bytes: 98, ..config() });
    let now = 1_000_000;
    for timestamp in [now - 5000, now - 3000, now - 1001, now - 1000, now - 2000] {
        bench.log.append(at_time(timestamp).valid(), 0, now).expect("appends");
    }
    let deleted = bench.log.apply_retention(now).expect("deletes");
    assert_eq!((deleted, bench.log.start_offset()), (3, 3));
    assert_eq!(bench.files(".log.deleted").len(), 3);
    assert_eq!(bench.log.take_due_deletions(now + 59_999), Vec::<PathBuf>::new());
    let due = bench.log.take_due_deletions(now + 60_000);
    assert!(due.iter().any(|path| path.ends_with("00000000000000000000.log.deleted")), "{due:?}");
    assert_eq!(bench.log.take_due_deletions(i64::MAX), Vec::<PathBuf>::new());

    let mut in_seconds = Bench::new(LogConfig { retention_ms: 1000, ..config() });
    in_seconds.append(&at_time(NOW / 1000)).expect("appends");
    assert_eq!(in_seconds.log.apply_retention(NOW).expect("deletes"), 1, "1970 is long ago");
    assert_eq!((in_seconds.log.start_offset(), in_seconds.log.end_offset()), (1, 1));

    let mut future = Bench::new(LogConfig { retention_ms: 1000, segment_bytes: 98, ..config() });
    for timestamp in [NOW + 1_000_000, 5, 7] {
        future.append(&at_time(timestamp)).expect("appends");
    }
    assert_eq!(future.log.apply_retention(NOW).expect("keeps"), 0);
}

/// LOG-09
#[test]
fn minus_one_keeps_for_ever_and_other_policies_are_not_asked() {
    for config in [
        LogConfig { retention_ms: -1, retention_bytes: -1, ..config() },
        LogConfig { retention_ms: 1, retention_bytes: 1, delete: false, ..config() },
        LogConfig { retention_ms: 1, retention_bytes: 1, delete: false, compact: true, ..config() },
    ] {
        let mut bench = Bench::new(config);
        bench.fill(50);
        assert_eq!(bench.log.apply_retention(i64::MAX).expect("keeps"), 0);
        bench.log.raise_start_offset(45).expect("trims");
        assert!(
            bench.log.apply_retention(i64::MAX).expect("deletes") > 0,
            "below the start any policy deletes"
        );
    }
}

#[test]
fn retention_by_size_keeps_at_least_the_bound() {
    let mut bench = Bench::new(LogConfig { retention_bytes: 2000, retention_ms: -1, ..config() });
    bench.fill(100);
    bench.log.apply_retention(0).expect("deletes");
    let size = bench.log.size_bytes();
    assert!((2000..3000).contains(&size), "{size}");
    let mut nothing = Bench::new(LogConfig { retention_bytes: 0, retention_ms: -1, ..config() });
    nothing.fill(30);
    nothing.log.apply_retention(0).expect("deletes");
    assert_eq!((nothing.log.size_bytes(), nothing.log.segment_count()), (0, 1));
    assert_eq!(nothing.log.apply_retention(0).expect("keeps"), 0, "an empty active segment stays");
}

#[test]
fn an_emptied_log_goes_on_at_its_end_after_any_restart() {
    let mut bench = Bench::new(LogConfig { retention_ms: 0, ..config() });
    bench.fill(30);
    bench.log.apply_retention(i64::MAX).expect("deletes");
    assert_eq!((bench.log.start_offset(), bench.log.end_offset()), (30, 30));
    let bench = bench.reopen(Hints::default());
    assert_eq!((bench.log.start_offset(), bench.log.end_offset()), (30, 30));
    assert_eq!(bench.files(".deleted"), Vec::<String>::new(), "what waited for its deletion is gone");
    let mut bench = bench.close_and_reopen();
    assert_eq!(bench.append(&at_time(1)).expect("appends").base_offset, 30);
}

#[test]
fn readers_of_a_deleted_segment_finish() {
    let mut bench = Bench::new(LogConfig { retention_bytes: 0, ..config() });
    bench.fill(30);
    let slice = bench.log.locate(0, 500, 30, true).expect("in range").expect("there");
    bench.log.apply_retention(0).expect("deletes");
    assert_eq!(slice.read().expect("still there").len(), slice.byte_len());
}

#[test]
fn truncation_cuts_at_batches_and_forgets_what_was_above() {
    for cut in [0, 1, 9, 10, 11, 55, 99, 100, 200] {
        let mut bench = Bench::new(config());
        for i in 0..10 {
            let sketch = Sketch { producer: (1, 0, 10 * i), ..Sketch::plain(10) };
            bench.log.append(sketch.valid(), i / 3, 0).expect("appends");
        }
        bench.log.truncate(cut).expect("cuts");
        let end = (cut / 10 * 10).min(100);
        assert_eq!(bench.log.end_offset(), end, "{cut}");
        assert_eq!(bench.read_all(0, 300).len() as i64, end);
        assert_eq!(bench.log.epoch_of(end), None);
        let next = Sketch { producer: (1, 0, end as i32), ..Sketch::plain(1) };
        assert_eq!(bench.append(&next).expect("the sequence goes on there").base_offset, end);
        let bench = bench.reopen(Hints::default());
        assert_eq!((bench.log.end_offset(), bench.recovery.truncated_bytes), (end + 1, 0));
    }
}

#[test]
fn epochs_are_known_by_offset_and_after_a_restart() {
    let mut bench = Bench::new(config());
    for epoch in [0, 0, 2, 5] {
        bench.log.append(at_time(1).valid(), epoch, 0).expect("appends");
    }
    let check = |log: &Log| {
        let of: Vec<_> = (-1..=4).map(|offset| log.epoch_of(offset)).collect();
        assert_eq!(of, [None, Some(0), Some(0), Some(2), Some(5), None]);
        assert_eq!(log.end_of_epoch(1, 6), Some((0, 2)));
        assert_eq!(log.end_of_epoch(6, 6), Some((6, 4)));
        assert_eq!(log.end_of_epoch(7, 6), None);
        assert_eq!(log.latest_epoch(), Some(5));
    };
    check(&bench.log);
    let bench = bench.reopen(Hints::default());
    check(&bench.log);
    let bench = bench.close_and_reopen();
    check(&bench.log);
    assert_eq!(
        bench.disk.contents(&bench.path("leader-epoch-checkpoint")).expect("written"),
        b"0\n3\n0 0\n2 2\n5 3\n"
    );
    bench.overwrite("leader-epoch-checkpoint", b"garbage");
    check(&bench.close_and_reopen().log);
}

#[test]
fn an_open_transaction_holds_the_stable_offset_until_its_marker() {
    let mut bench = Bench::new(config());
    bench.fill(1);
    let open = Sketch { producer: (4, 0, 0), attributes: 1 << 4, ..at_time(1) };
    bench.append(&open).expect("appends");
    bench.fill(1);
    assert_eq!((bench.log.last_stable_offset(), bench.log.end_offset()), (1, 3));
    let bench = bench.reopen(Hints::default());
    assert_eq!(bench.log.last_stable_offset(), 1);
    let mut bench = bench.close_and_reopen();
    assert_eq!(bench.log.last_stable_offset(), 1);
    let mut marker = Builder::new(5);
    marker.push(Some(&[0, 0, 0, 1]), Some(&[0, 0, 0, 0, 0, 3])).control().transactional(4, 0);
    bench.log.append(marker.build(), 0, 0).expect("appends");
    assert_eq!((bench.log.last_stable_offset(), bench.log.end_offset()), (4, 4));
    let bench = bench.reopen(Hints::default());
    assert_eq!(bench.log.last_stable_offset(), 4);
    assert_eq!(bench.log.producers().next().expect("known").coordinator_epoch, 3);
}

#[test]
fn index_entries_speak_of_batches_as_kafka_checks_them() {
    let mut bench = Bench::new(config());
    bench.fill(100);
    let disk = bench.disk.clone();
    bench.log.segments.iter_mut().for_each(|segment| segment.seal(&disk).expect("seals"));
    let mut entries = 0;
    for segment in &bench.log.segments {
        for entry in segment.offsets.entries(&disk).expect("reads") {
            let batch = segment
                .find(&disk, segment.base_offset + i64::from(entry.relative), crate::disk::Wait::Block)
                .expect("reads")
                .expect("there");
            assert_eq!(batch.position, u64::from(entry.position));
            assert_eq!(batch.header.last_offset(), segment.base_offset + i64::from(entry.relative));
            assert!(entry.position > 0, "never for the first batch");
            entries += 1;
        }
        let times = segment.times.entries(&disk).expect("reads");
        assert!(
            times
                .windows(2)
                .all(|two| two[0].timestamp < two[1].timestamp && two[0].relative < two[1].relative)
        );
        assert_eq!(times.last().map(|entry| entry.timestamp), Some(segment.largest.timestamp));
        for entry in times {
            assert!(segment.carries(&disk, entry).expect("reads"));
        }
    }
    assert!(entries > 20);
}
