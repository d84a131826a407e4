//! What the tests of the log share: a log on a crashing disk, and short ways to write to it and look at it.

use super::*;
use crate::{
    batch::{Codec, batches},
    disk::crashing::CrashingDisk,
    validate::testing::{Sketch, record},
};

pub(crate) const DIR: &str = "/data/topic-0";

/// Kafka's defaults, with segments and intervals small enough to see them at work.
pub(crate) fn config() -> LogConfig {
    LogConfig {
        segment_bytes: 1000,
        segment_ms: 604_800_000,
        segment_jitter_ms: 0,
        segment_index_bytes: 10_485_760,
        index_interval_bytes: 200,
        retention_ms: 604_800_000,
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

/// A log and the disk under it.
pub(crate) struct Bench {
    pub disk: CrashingDisk,
    pub config: LogConfig,
    pub log: Log,
    pub recovery: Recovery,
}

impl Bench {
    pub fn new(config: LogConfig) -> Self {
        let disk = CrashingDisk::default();
        let (log, recovery) = open(&disk, &config, Hints::default()).expect("opens");
        Self { disk, config, log, recovery }
    }

    /// Without a close, as after kill -9.
    pub fn reopen(self, hints: Hints) -> Self {
        drop(self.log);
        let (log, recovery) = open(&self.disk, &self.config, hints).expect("opens");
        Self { log, recovery, ..self }
    }

    pub fn close_and_reopen(self) -> Self {
        let start = self.log.start_offset();
        self.log.close().expect("closes");
        let hints = Hints { clean: true, log_start_offset: start, ..Hints::default() };
        let (log, recovery) = open(&self.disk, &self.config, hints).expect("opens");
        Self { log, recovery, ..self }
    }

    pub fn append(&mut self, sketch: &Sketch) -> Result<Appended, AppendError> {
        self.log.append(sketch.valid(), 0, 0)
    }

    /// Appends `count` batches of one record, 98 bytes each.
    pub fn fill(&mut self, count: usize) {
        for _ in 0..count {
            let sketch = at_time(1000 + self.log.end_offset());
            self.append(&sketch).expect("appends");
        }
    }

    pub fn flush(&mut self) {
        let below = self.log.begin_flush().run().expect("syncs");
        self.log.flushed(below);
    }

    pub fn files(&self, suffix: &str) -> Vec<String> {
        let mut names = self.disk.list(Path::new(DIR)).expect("lists");
        names.retain(|name| name.ends_with(suffix));
        names.sort();
        names
    }

    pub fn path(&self, name: &str) -> PathBuf {
        Path::new(DIR).join(name)
    }

    pub fn overwrite(&self, name: &str, bytes: &[u8]) {
        let file = self.disk.open(&self.path(name), true).expect("opens");
        file.set_len(0).expect("empties");
        file.write_at(&[IoSlice::new(bytes)], 0).expect("writes");
    }

    /// Offsets and timestamps of all records from `offset` on, read in stretches of `max_bytes`.
    pub fn read_all(&self, offset: i64, max_bytes: usize) -> Vec<(i64, i64)> {
        read_all(&self.log, offset, max_bytes)
    }
}

pub(crate) fn open(
    disk: &CrashingDisk,
    config: &LogConfig,
    hints: Hints,
) -> Result<(Log, Recovery), LogError> {
    Log::open(Arc::new(disk.clone()), Path::new(DIR), config.clone(), hints)
}

pub(crate) fn read_all(log: &Log, mut offset: i64, max_bytes: usize) -> Vec<(i64, i64)> {
    let mut seen = Vec::new();
    while let Some(slice) = log.locate(offset, max_bytes, i64::MAX, true).expect("in range") {
        let bytes = slice.read().expect("reads");
        assert_eq!(bytes.len(), slice.byte_len());
        let mut read = 0;
        for batch in batches(&bytes) {
            read += batch.bytes.len();
            batch
                .for_each_record(usize::MAX, &mut |record| {
                    if record.offset >= offset {
                        seen.push((record.offset, record.timestamp));
                    }
                })
                .expect("well formed");
            offset = batch.last_offset() + 1;
        }
        assert_eq!(read, bytes.len(), "whole batches only");
    }
    seen
}

/// One record of 30 bytes with this timestamp; 98 bytes in all.
pub(crate) fn at_time(timestamp: i64) -> Sketch {
    Sketch { timestamp, ..Sketch::of(vec![record().value(Some(&[b'v'; 30])).build()]) }
}

/// Records with these timestamps in one batch.
pub(crate) fn at_times(timestamps: &[i64], codec: Codec) -> Sketch {
    let records = timestamps.iter().enumerate();
    let records = records
        .map(|(i, &at)| record().offset(i as i32).timestamp(at - timestamps[0]).value(Some(b"v")).build());
    Sketch { timestamp: timestamps[0], ..Sketch::of(records.collect()).compressed(codec) }
}
