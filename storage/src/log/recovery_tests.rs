//! Opening after a kill, after damage, and after a crash in the middle of a replacement.

use super::{testing::*, *};
use crate::validate::testing::{NOW, Sketch};

const LOG_FILE: &str = "00000000000000000000.log";

/// LOG-11: the process was killed while it wrote, at any byte.
#[test]
fn a_log_cut_at_any_byte_keeps_every_whole_batch() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 100_000, ..config() });
    let mut ends = vec![0];
    for count in [1, 5, 2, 9, 1, 3] {
        bench.append(&Sketch::plain(count)).expect("appends");
        ends.push(bench.log.size_bytes() as usize);
    }
    let whole = bench.disk.contents(&bench.path(LOG_FILE)).expect("written");
    for cut in 0..=whole.len() {
        bench.overwrite(LOG_FILE, &whole[..cut]);
        bench = bench.reopen(Hints::default());
        let batches = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let records = [0, 1, 6, 8, 17, 18, 21][batches];
        assert_eq!(bench.log.end_offset(), records, "cut at {cut}");
        // A rest of zeros is space that was set aside, for all one can tell.
        let rest = &whole[ends[batches]..cut];
        let lost = if rest.iter().all(|&byte| byte == 0) { 0 } else { rest.len() as u64 };
        assert_eq!(bench.recovery.truncated_bytes, lost, "cut at {cut}");
        assert_eq!(bench.read_all(0, 1 << 20).len() as i64, records);
        assert_eq!(bench.log.size_bytes() as usize, ends[batches]);
    }
}

#[test]
fn a_flipped_bit_cuts_the_log_before_its_batch() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 100_000, ..config() });
    bench.fill(6);
    let whole = bench.disk.contents(&bench.path(LOG_FILE)).expect("written");
    for at in 0..whole.len() {
        // Base offset and leader epoch are outside the checksum.
        if [0..8, 12..16].iter().any(|unchecked| unchecked.contains(&(at % 98))) {
            continue;
        }
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        bench.overwrite(LOG_FILE, &damaged);
        bench = bench.reopen(Hints::default());
        assert_eq!(bench.log.end_offset(), at as i64 / 98, "flipped at {at}");
    }
}

#[test]
fn damage_in_the_middle_removes_the_segments_behind_it() {
    let mut bench = Bench::new(config());
    bench.fill(45);
    let names = bench.files(".log");
    let middle = &names[2];
    let mut damaged = bench.disk.contents(&bench.path(middle)).expect("written");
    damaged[3 * 98 + 70] ^= 1;
    bench.overwrite(middle, &damaged);
    let mut bench = bench.reopen(Hints::default());
    assert_eq!(bench.log.end_offset(), 23);
    assert_eq!(bench.files(".log"), names[..3]);
    assert!(bench.recovery.truncated_bytes > 1000);
    bench.fill(10);
    assert_eq!(bench.read_all(0, 1000).len(), 33);
}

#[test]
fn only_what_lies_above_the_recovery_point_is_scanned() {
    let mut bench = Bench::new(config());
    bench.fill(38);
    bench.flush();
    let recovery_point = bench.log.recovery_point();
    bench.fill(7);
    let bench = bench.reopen(Hints { recovery_point, ..Hints::default() });
    assert_eq!(bench.recovery.scanned_bytes, 15 * 98, "the segments from 30 and 40 on");
    assert_eq!(bench.log.end_offset(), 45);
    assert_eq!(bench.log.recovery_point(), 38);
    let bench = bench.close_and_reopen();
    assert_eq!(bench.recovery.scanned_bytes, 0);
    assert_eq!(bench.log.recovery_point(), 45);
}

#[test]
fn space_set_aside_is_no_damage() {
    let mut bench = Bench::new(LogConfig { preallocate: true, ..config() });
    bench.fill(13);
    let stat = bench.disk.stat(&bench.path("00000000000000000010.log")).expect("there");
    assert_eq!(stat.len, 1000);
    let bench = bench.reopen(Hints::default());
    assert_eq!((bench.log.end_offset(), bench.recovery.truncated_bytes), (13, 0));
    assert_eq!(bench.log.size_bytes(), 13 * 98);
}

/// LOG-13
#[test]
fn missing_empty_or_garbage_index_and_snapshot_files_are_made_again() {
    for suffix in [".index", ".timeindex", ".snapshot"] {
        for damage in ["missing", "empty", "garbage", "cut"] {
            for clean in [true, false] {
                damage_and_open(suffix, damage, clean);
            }
        }
    }
}

fn damage_and_open(suffix: &str, damage: &str, clean: bool) {
    let mut bench = Bench::new(LogConfig { index_interval_bytes: 100, ..config() });
    for i in 0..45 {
        bench.append(&Sketch { producer: (1, 0, i), ..at_time(1000 + i64::from(i)) }).expect("appends");
    }
    let bench = bench.close_and_reopen();
    let before: Vec<_> =
        bench.files(suffix).iter().map(|name| bench.disk.contents(&bench.path(name))).collect();
    for name in bench.files(suffix) {
        let bytes = bench.disk.contents(&bench.path(&name)).expect("there");
        match damage {
            "missing" => bench.disk.remove(&bench.path(&name)).expect("removes"),
            "empty" => bench.overwrite(&name, b""),
            "garbage" => {
                bench.overwrite(&name, &(0..bytes.len()).map(|i| (i * 151 + 7) as u8).collect::<Vec<_>>())
            }
            _ => bench.overwrite(&name, &bytes[..bytes.len() - 1]),
        }
    }
    let mut bench = bench.reopen(Hints { clean, ..Hints::default() });
    let story = format!("{suffix} {damage} clean {clean}");
    assert_eq!(bench.recovery.truncated_bytes, 0, "{story}");
    assert_eq!(bench.recovery.rebuilt_indexes > 0, suffix != ".snapshot" || !clean, "{story}");
    assert_eq!(bench.read_all(0, 300).len(), 45, "{story}");
    for offset in 0..45 {
        let found = bench.log.find_timestamp(1000 + offset).expect("reads").expect("there");
        assert_eq!(found.offset, offset, "{story}");
    }
    let again = Sketch { producer: (1, 0, 44), ..at_time(1044) };
    assert!(bench.append(&again).expect("known").duplicate, "{story}");
    let bench = bench.close_and_reopen();
    let after: Vec<_> =
        bench.files(suffix).iter().map(|name| bench.disk.contents(&bench.path(name))).collect();
    // A snapshot of a producer's earlier state cannot be made again, and nobody needs it.
    assert!(after == before || suffix == ".snapshot", "{story}: the files are the same again");
}

#[test]
fn garbage_in_the_middle_of_an_index_is_noticed_when_it_is_followed_and_repaired() {
    let mut bench = Bench::new(LogConfig { segment_bytes: 10_000, index_interval_bytes: 100, ..config() });
    bench.fill(150);
    let bench = bench.close_and_reopen();
    let name = "00000000000000000000.index";
    let good = bench.disk.contents(&bench.path(name)).expect("written");
    let mut damaged = good.clone();
    let middle = damaged.len() / 2 / 8 * 8;
    for entry in damaged[8..middle].chunks_exact_mut(8) {
        entry[7] ^= 0x15;
    }
    bench.overwrite(name, &damaged);
    let mut bench = bench.reopen(Hints { clean: true, ..Hints::default() });
    assert_eq!(bench.recovery.rebuilt_indexes, 0, "a look at the end of the file cannot tell");
    for offset in 0..150 {
        assert_eq!(bench.read_all(offset, 300).len() as i64, 150 - offset);
    }
    bench.log.apply_retention(0).expect("repairs");
    let bench = bench.close_and_reopen();
    assert_eq!(bench.disk.contents(&bench.path(name)).expect("written"), good);
}

/// IDEM-07
#[test]
fn producers_are_known_after_a_kill() {
    let mut bench = Bench::new(config());
    for i in 0..25 {
        bench.append(&Sketch { producer: (1, 0, i), ..at_time(1) }).expect("appends");
    }
    let mut bench = bench.reopen(Hints::default());
    let again =
        |bench: &mut Bench, sequence| bench.append(&Sketch { producer: (1, 0, sequence), ..at_time(1) });
    assert_eq!(again(&mut bench, 24).expect("known").base_offset, 24);
    assert!(again(&mut bench, 24).expect("known").duplicate);
    assert!(matches!(again(&mut bench, 26), Err(AppendError::OutOfOrderSequence { .. })));
    assert!(!again(&mut bench, 25).expect("follows").duplicate);
}

#[test]
fn producers_that_expired_meanwhile_are_unknown_after_a_restart() {
    let mut bench = Bench::new(config());
    bench.append(&Sketch { producer: (1, 0, 0), ..at_time(NOW) }).expect("appends");
    let start = |bench: Bench, now_ms| {
        let closed = bench.close_and_reopen();
        closed.reopen(Hints { clean: true, now_ms, ..Hints::default() })
    };
    let bench = start(bench, NOW + 86_399_999);
    assert_eq!(bench.log.producers().count(), 1);
    let bench = start(bench, NOW + 86_400_000);
    assert_eq!(bench.log.producers().count(), 0);
}

#[test]
fn snapshots_are_kept_for_segments_and_for_the_end_only() {
    let mut bench = Bench::new(config());
    bench.fill(35);
    let bench = bench.close_and_reopen();
    let offsets = |bench: &Bench| -> Vec<i64> {
        bench.files(".snapshot").iter().map(|name| name[..20].parse().expect("digits")).collect()
    };
    assert_eq!(offsets(&bench), [10, 20, 30, 35]);
    let mut bench = bench.close_and_reopen();
    bench.fill(2);
    bench.log.raise_start_offset(25).expect("trims");
    bench.log.apply_retention(0).expect("deletes");
    let bench = bench.close_and_reopen();
    assert_eq!(offsets(&bench), [20, 30, 37]);
}

#[test]
fn a_start_offset_beyond_the_end_empties_the_log_there() {
    let mut bench = Bench::new(config());
    bench.fill(25);
    let mut bench = bench.reopen(Hints { log_start_offset: 40, ..Hints::default() });
    assert_eq!((bench.log.start_offset(), bench.log.end_offset()), (40, 40));
    assert_eq!(bench.append(&at_time(1)).expect("appends").base_offset, 40);
    let bench = bench.reopen(Hints { log_start_offset: 40, ..Hints::default() });
    assert_eq!(bench.read_all(40, 1000).len(), 1);
}

#[test]
fn a_recovery_point_beyond_the_end_is_no_promise() {
    let mut bench = Bench::new(config());
    bench.fill(15);
    let whole = bench.disk.contents(&bench.path("00000000000000000010.log")).expect("written");
    bench.overwrite("00000000000000000010.log", &whole[..3 * 98 + 5]);
    let bench = bench.reopen(Hints { recovery_point: 1000, ..Hints::default() });
    assert_eq!((bench.log.end_offset(), bench.log.recovery_point()), (13, 13));
}

#[test]
fn what_a_crash_left_in_the_folder_is_settled() {
    let mut bench = Bench::new(config());
    bench.fill(25);
    let bench = bench.close_and_reopen();
    let first = bench.disk.contents(&bench.path(LOG_FILE)).expect("written");
    let second = bench.disk.contents(&bench.path("00000000000000000010.log")).expect("written");
    // A compaction that had joined the first two segments and was about to put the result in place.
    bench.overwrite("00000000000000000000.log.swap", &[&first[..98], &second[..]].concat());
    bench.overwrite("00000000000000000000.index.swap", b"");
    // And what is void.
    for name in
        ["00000000000000000005.log.deleted", "leader-epoch-checkpoint.tmp", "00000000000000000070.index"]
    {
        bench.overwrite(name, b"x");
    }
    let bench = bench.reopen(Hints::default());
    let offsets: Vec<i64> = bench.read_all(0, 1000).iter().map(|record| record.0).collect();
    assert_eq!(offsets, [&[0][..], &(10..25).collect::<Vec<_>>()].concat());
    assert_eq!(bench.files(".log"), ["00000000000000000000.log", "00000000000000000020.log"]);
    for ending in [".swap", ".deleted", ".tmp"] {
        assert_eq!(bench.files(ending), Vec::<String>::new());
    }
    assert!(!bench.files("").contains(&"00000000000000000070.index".to_owned()));
    assert_eq!(bench.read_all(3, 1000)[0].0, 10, "an offset that was compacted away leads to the next");
}

#[test]
fn a_split_that_was_not_finished_is_void() {
    let mut bench = Bench::new(config());
    bench.fill(25);
    bench.overwrite("00000000000000000010.log.swap", b"half of it");
    bench.overwrite("00000000000000000007.log.cleaned", b"the other half");
    let bench = bench.reopen(Hints::default());
    assert_eq!(bench.read_all(0, 1000).len(), 25);
}

#[test]
fn nonsense_in_the_folder_is_left_alone() {
    let mut bench = Bench::new(config());
    bench.fill(5);
    for name in ["partition.metadata", "readme.log", "0.log", "00000000000000000099.txt"] {
        bench.overwrite(name, b"not ours");
    }
    let bench = bench.reopen(Hints::default());
    assert_eq!(bench.read_all(0, 1000).len(), 5);
    assert_eq!(bench.disk.contents(&bench.path("partition.metadata")).expect("kept"), b"not ours");
}
