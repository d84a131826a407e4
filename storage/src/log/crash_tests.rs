//! Power cuts, full disks and failing syncs.

use super::{testing::*, *};
use crate::validate::testing::{NOW, Sketch};
use proptest::prelude::*;

/// What is there after a power cut: all that was durable, and of the rest some, as it was written and in order. A
/// lost end of a segment may leave a gap before the next one; what is whole is not thrown away for that.
fn check_survivors(bench: &Bench, durable: &[(i64, i64)], written: i64) -> Vec<(i64, i64)> {
    assert!(bench.log.end_offset() <= written);
    let survivors = bench.read_all(bench.log.start_offset(), 500);
    assert!(survivors.iter().all(|&(offset, timestamp)| timestamp == 1000 + offset));
    assert!(survivors.windows(2).all(|two| two[0].0 < two[1].0));
    assert!(survivors.starts_with(durable), "{survivors:?}");
    survivors
}

fn survives(seed: u64, batches: usize, flush_every: usize, config: &LogConfig) {
    let mut bench = Bench::new(config.clone());
    let mut durable = Vec::new();
    for i in 0..batches {
        let sketch = Sketch { producer: (1, 0, i as i32), ..at_time(1000 + i as i64) };
        bench.log.append(sketch.valid(), (i / 20) as i32, 0).expect("appends");
        if i % flush_every == flush_every - 1 {
            bench.flush();
            durable = bench.read_all(0, 500);
        }
    }
    let recovery_point = bench.log.recovery_point();
    bench.disk.crash(seed);
    let mut bench = bench.reopen(Hints { recovery_point, ..Hints::default() });
    let end = bench.log.end_offset();
    for (offset, _) in check_survivors(&bench, &durable, batches as i64) {
        let found = bench.log.find_timestamp(1000 + offset).expect("reads").expect("there");
        assert_eq!(found.offset, offset);
        assert_eq!(bench.log.epoch_of(offset), Some((offset / 20) as i32));
    }
    assert_eq!(bench.append(&at_time(1000 + end)).expect("the log goes on").base_offset, end);
    let bench = bench.close_and_reopen();
    assert_eq!((bench.recovery.truncated_bytes, bench.log.end_offset()), (0, end + 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_power_cut_loses_nothing_that_was_synced(
        seed in any::<u64>(),
        batches in 1usize..60,
        flush_every in 1usize..40,
        preallocate in any::<bool>(),
    ) {
        survives(seed, batches, flush_every, &LogConfig { preallocate, ..config() });
    }

    #[test]
    fn repeated_crashes_leave_a_log_that_goes_on(seeds in proptest::collection::vec(any::<u64>(), 1..6)) {
        let mut bench = Bench::new(config());
        for (round, &seed) in seeds.iter().enumerate() {
            bench.fill(round * 3 + 4);
            bench.flush();
            let recovery_point = bench.log.recovery_point();
            let durable = bench.read_all(bench.log.start_offset(), 700);
            bench.fill(5);
            bench.disk.crash(seed);
            bench = bench.reopen(Hints { recovery_point, ..Hints::default() });
            check_survivors(&bench, &durable, recovery_point + 5);
        }
    }
}

/// LOG-15
#[test]
fn a_full_disk_refuses_appends_leaves_no_torn_batch_and_is_forgotten_once_there_is_room() {
    let mut bench = Bench::new(config());
    for room in 0..600 {
        let end = bench.log.end_offset();
        bench.disk.set_capacity(Some(bench.disk.used() + room % 120));
        let sketch = Sketch { producer: (1, 0, end as i32), ..at_time(1000 + end) };
        match bench.append(&sketch) {
            Ok(appended) => assert_eq!(appended.base_offset, end),
            Err(AppendError::DiskFull) => assert_eq!(bench.log.end_offset(), end),
            Err(other) => panic!("unexpected {other}"),
        }
        assert_eq!(bench.read_all(0, 10_000).len() as i64, bench.log.end_offset(), "reads go on");
        let active = bench.files(".log").pop();
        if let Some(active) = active {
            let len = bench.disk.stat(&bench.path(&active)).expect("there").len;
            assert_eq!(len % 98, 0, "no torn batch in the file");
        }
    }
    let end = bench.log.end_offset();
    assert!(end > 50 && end < 550, "the disk was sometimes full: {end}");
    bench.disk.set_capacity(Some(bench.disk.used()));
    bench = bench.reopen(Hints::default());
    assert_eq!((bench.log.end_offset(), bench.recovery.truncated_bytes), (end, 0), "opens on a full disk");
    bench.disk.set_capacity(None);
    assert_eq!(bench.append(&at_time(1)).expect("there is room").base_offset, end);
}

/// LOG-15: the roll writes indexes, a snapshot and a new file.
#[test]
fn a_disk_that_fills_up_during_a_roll_changes_nothing() {
    for room in (0..700).step_by(7) {
        let mut bench = Bench::new(LogConfig { index_interval_bytes: 100, ..config() });
        bench.fill(10);
        let refused = at_time(1010);
        bench.disk.set_capacity(Some(bench.disk.used() + room));
        let outcome = bench.append(&refused);
        let end = if outcome.is_ok() { 11 } else { 10 };
        assert!(matches!(outcome, Ok(_) | Err(AppendError::DiskFull)), "{outcome:?}");
        assert_eq!(bench.read_all(0, 10_000).len(), end);
        bench.disk.set_capacity(None);
        bench.fill(20);
        let bench = bench.reopen(Hints::default());
        assert_eq!(bench.read_all(0, 10_000).len(), end + 20);
        let bench = bench.close_and_reopen();
        assert_eq!((bench.recovery.rebuilt_indexes, bench.log.end_offset()), (0, end as i64 + 20));
    }
}

/// LOG-15: a sync needs room for the epochs beside the batches. Without it the batches are durable, and what was not
/// noted is read again after a crash.
#[test]
fn a_flush_on_a_full_disk_is_no_failed_sync() {
    let mut bench = Bench::new(config());
    bench.fill(5);
    bench.disk.set_capacity(Some(bench.disk.used()));
    assert_eq!(bench.log.begin_flush().run().expect("the batches are synced"), 5);
    bench.log.flushed(5);
    assert_eq!(bench.log.recovery_point(), 0);
    bench.disk.set_capacity(None);
    bench.flush();
    assert_eq!(bench.log.recovery_point(), 5);
}

#[test]
fn a_failed_sync_is_an_error_and_moves_no_recovery_point() {
    let mut bench = Bench::new(config());
    bench.fill(15);
    bench.disk.fail_syncs(true);
    assert!(matches!(bench.log.begin_flush().run(), Err(LogError::Io { .. })));
    assert_eq!(bench.log.recovery_point(), 0);
    assert!(matches!(bench.log.close(), Err(LogError::Io { .. })));
}

#[test]
fn one_flush_makes_all_before_it_durable_and_names_what_is() {
    let mut bench = Bench::new(config());
    bench.fill(15);
    let flush = bench.log.begin_flush();
    bench.fill(10);
    assert_eq!(flush.run().expect("syncs"), 15, "what came after it began is not promised");
    bench.log.flushed(15);
    assert_eq!(bench.log.recovery_point(), 15);
    let before = bench.disk.syncs();
    bench.flush();
    assert!(bench.disk.syncs() - before <= 4, "segments that were synced are not synced again");
    assert_eq!(bench.log.recovery_point(), 25);
}

#[test]
fn a_flush_outlives_the_deletion_of_what_it_was_to_sync() {
    let mut bench = Bench::new(LogConfig { retention_ms: 0, ..config() });
    bench.fill(25);
    let flush = bench.log.begin_flush();
    bench.log.apply_retention(NOW).expect("deletes");
    for path in bench.log.take_due_deletions(i64::MAX) {
        bench.disk.remove(&path).expect("removes");
    }
    flush.run().expect("nothing is left to sync");
    let flush = bench.log.begin_flush();
    bench.disk.remove(Path::new(DIR)).expect("the whole log goes");
    flush.run().expect("nothing is left to sync");
}
