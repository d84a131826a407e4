//! Durability and the end of a partition, on a disk that counts, crashes and fails.

use super::*;
use crate::{
    api::produce::Outcome,
    testing::{Bench, bases, batch, open_logs, to, topic_config},
};
use std::{path::Path, sync::atomic::AtomicUsize, time::Duration};
use storage::{
    disk::{Disk, File, Stat, Wait, crashing::CrashingDisk},
    log::LogConfig,
};

/// A broker on such a disk, with a topic `t` of one partition.
fn bench(change: impl FnOnce(&mut LogConfig)) -> (Arc<Bench>, CrashingDisk) {
    let disk = CrashingDisk::default();
    let mut bench = Bench::on(Arc::new(disk.clone()));
    bench.topic("t", 1, |config| change(&mut config.log));
    (Arc::new(bench), disk)
}

#[tokio::test]
async fn the_default_settings_acknowledge_without_a_sync() {
    let (bench, disk) = bench(|_| {});
    let before = disk.syncs();
    bench.append("t", 0, batch(1).bytes()).await;
    assert_eq!(disk.syncs(), before);
    bench.partition("t", 0).wait_durable(0).await.expect("the sync succeeds");
    assert!(disk.syncs() > before);
}

/// D6: what was acknowledged survives a power cut, whatever the disk does with what was not synced.
#[tokio::test]
async fn flush_messages_and_flush_ms_are_honoured_before_the_answer() {
    for seed in 0..10 {
        let (bench, disk) = bench(|config| match seed % 2 {
            0 => config.flush_messages = 1,
            _ => config.flush_ms = 0,
        });
        for offset in 0..3 {
            assert_eq!(bench.append("t", 0, batch(1).bytes()).await.base_offset, offset);
        }
        let id = bench.id_of("t");
        disk.crash(seed);
        let logs = open_logs(Arc::new(disk), bench.dir.path(), false);
        let partition = logs.create(&"t".into(), id, 0, 1, &topic_config()).expect("the log opens");
        assert_eq!(partition.offsets().log_end, 3, "seed {seed}");
    }
}

/// D6: one sync for every batch that waits.
#[tokio::test]
async fn many_producers_share_a_sync() {
    const PRODUCERS: i64 = 50;
    let disk = GatedDisk::default();
    let mut bench = Bench::on(Arc::new(disk.clone()));
    bench.topic("t", 1, |config| config.log.flush_messages = 1);
    let bench = Arc::new(bench);
    let produce = || {
        let bench = bench.clone();
        tokio::spawn(async move { bench.append("t", 0, batch(1).bytes()).await.error_code })
    };
    disk.gate.close();
    let first = produce();
    while disk.log_syncs.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let others: Vec<_> = (1..PRODUCERS).map(|_| produce()).collect();
    while bench.partition("t", 0).offsets().log_end < PRODUCERS {
        tokio::task::yield_now().await;
    }
    assert!(!first.is_finished() && others.iter().all(|other| !other.is_finished()));
    disk.gate.open();
    for producing in others.into_iter().chain([first]) {
        assert_eq!(producing.await.expect("no panic"), 0);
    }
    assert_eq!(disk.log_syncs.load(Ordering::SeqCst), 2, "one that ran already, and one for all others");
}

#[tokio::test]
async fn acks_zero_does_not_wait_for_the_sync() {
    let (bench, disk) = bench(|config| config.flush_messages = 1);
    let before = disk.syncs();
    let outcome = bench.produce_as("c", 9, to("t", &[(0, batch(1).bytes())]).with_acks(0)).await;
    assert!(matches!(outcome, Outcome::Nothing));
    while disk.syncs() == before {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn flush_ms_bounds_how_long_data_is_not_durable() {
    let (bench, _disk) = bench(|config| config.flush_ms = 1000);
    bench.append("t", 0, batch(1).bytes()).await;
    bench.append("t", 0, batch(1).bytes()).await;
    let recovery_point = || bench.partition("t", 0).kept_offsets().expect("it is open").recovery_point;
    tokio::time::sleep(Duration::from_millis(999)).await;
    assert_eq!(recovery_point(), 0);
    tokio::time::sleep(Duration::from_millis(2)).await;
    bench.partition("t", 0).wait_durable(1).await.expect("the sync succeeds");
    assert_eq!(recovery_point(), 2);
}

#[tokio::test]
async fn a_failed_sync_is_fatal_and_never_acknowledged() {
    let disk = CrashingDisk::default();
    let deaths = Arc::new(AtomicUsize::new(0));
    let fatal: Fatal = Arc::new({
        let deaths = deaths.clone();
        move |_| _ = deaths.fetch_add(1, Ordering::SeqCst)
    });
    let mut bench = Bench::on_with(Arc::new(disk.clone()), fatal);
    bench.topic("t", 1, |config| config.log.flush_messages = 1);
    disk.fail_syncs(true);
    assert_eq!(bench.append("t", 0, batch(1).bytes()).await.error_code, 56);
    assert_eq!(deaths.load(Ordering::SeqCst), 1);
    disk.fail_syncs(false);
    assert_eq!(bench.append("t", 0, batch(1).bytes()).await.error_code, 56, "pages may have been dropped");
}

/// LOG-15
#[tokio::test]
async fn a_full_disk_refuses_writes_and_nothing_else_and_heals() {
    let (bench, disk) = bench(|_| {});
    bench.append("t", 0, batch(3).bytes()).await;
    disk.set_capacity(Some(disk.used() + 10));
    assert_eq!(bench.append("t", 0, batch(3).bytes()).await.error_code, 56);
    assert_eq!(bases(&bench.read(0, 0).await), [0]);
    disk.set_capacity(None);
    assert_eq!(bench.append("t", 0, batch(3).bytes()).await.base_offset, 3);
    assert_eq!(bases(&bench.read(0, 0).await), [0, 3]);
}

#[tokio::test]
async fn a_deleted_partition_refuses_everything_and_keeps_its_last_offsets() {
    let (bench, _disk) = bench(|_| {});
    bench.append("t", 0, batch(3).bytes()).await;
    let partition = bench.partition("t", 0);
    partition.delete();
    let at = ReadAt {
        offset: 0,
        max_bytes: 1,
        at_least_one: true,
        committed_only: false,
        current_leader_epoch: None,
        last_fetched_epoch: None,
    };
    assert!(matches!(partition.locate(&at), Err(Refused::Deleted)));
    assert!(partition.find_timestamp(0).is_err() && partition.delete_records(1).is_err());
    assert_eq!((partition.offsets().log_end, partition.size_bytes(), partition.kept_offsets()), (3, 0, None));
    assert_eq!(partition.wait_durable(2).await, Ok(()), "there is nothing left to promise");
}

#[test]
fn leader_epochs_never_go_back() {
    let (bench, _disk) = bench(|_| {});
    let partition = bench.partition("t", 0);
    partition.set_leader_epoch(5);
    partition.set_leader_epoch(3);
    assert_eq!(partition.leader_epoch(), 5);
}

/// A disk whose syncs of `.log` files wait at a gate, and are counted.
#[derive(Clone, Default)]
struct GatedDisk {
    inner: CrashingDisk,
    gate: Arc<Gate>,
    log_syncs: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Gate {
    closed: Mutex<bool>,
    opened: parking_lot::Condvar,
}

impl Gate {
    fn close(&self) {
        *self.closed.lock() = true;
    }

    fn open(&self) {
        *self.closed.lock() = false;
        self.opened.notify_all();
    }

    fn pass(&self) {
        self.opened.wait_while(&mut self.closed.lock(), |closed| *closed);
    }
}

impl Disk for GatedDisk {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>> {
        let file = self.inner.open(path, create)?;
        match path.extension() {
            Some(extension) if extension == "log" => Ok(Arc::new(GatedFile { file, disk: self.clone() })),
            _ => Ok(file),
        }
    }
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.inner.list(dir)
    }
    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        self.inner.make_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }
    fn rename_unsynced(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename_unsynced(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.inner.sync_dir(dir)
    }
}

struct GatedFile {
    file: Arc<dyn File>,
    disk: GatedDisk,
}

impl File for GatedFile {
    fn read_at(&self, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize> {
        self.file.read_at(buf, position, wait)
    }
    fn write_at(&self, parts: &[io::IoSlice<'_>], position: u64) -> io::Result<()> {
        self.file.write_at(parts, position)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
    fn sync(&self) -> io::Result<()> {
        self.disk.log_syncs.fetch_add(1, Ordering::SeqCst);
        self.disk.gate.pass();
        self.file.sync()
    }
}
