//! `__consumer_offsets` as the group coordinator sees it: its partitions, appended to and read back.

use crate::{
    catalog::Topics,
    coordinator::{AppendFailure, Durable, OffsetsLog, ReplayFailure, Visit},
    logs::Logs,
    partition::{Partition, ReadAt},
    wall_clock::now_ms,
};
use bytes::Bytes;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use storage::{
    batch::{Builder, batches},
    log::AppendError,
};

pub use crate::catalog::names::OFFSETS as NAME;

/// Bytes read at a time while loading.
const REPLAY_BYTES: usize = 1 << 20;

/// The partitions of [`NAME`].
pub struct OffsetsTopic {
    topics: Topics,
    logs: Arc<Logs>,
    /// By partition: the last offset that has to be durable before it is acknowledged, if any has to.
    to_sync: Mutex<HashMap<i32, i64>>,
}

impl OffsetsTopic {
    pub fn new(topics: Topics, logs: Arc<Logs>) -> Self {
        OffsetsTopic { topics, logs, to_sync: Mutex::default() }
    }

    fn partition(&self, index: i32) -> Option<Arc<Partition>> {
        self.logs.get(NAME, index)
    }
}

impl OffsetsLog for OffsetsTopic {
    fn partition_count(&self) -> i32 {
        self.topics.image().topics.get(NAME).map_or(0, |topic| topic.partitions.len() as i32)
    }

    fn append(&self, index: i32, records: &[(Bytes, Option<Bytes>)]) -> Result<(), AppendFailure> {
        let partition = self.partition(index).ok_or(AppendFailure::NoPartition)?;
        let now_ms = now_ms();
        let mut batch = Builder::new(now_ms);
        for (key, value) in records {
            batch.push(Some(key), value.as_deref());
        }
        let batch = batch.build();
        // The topic's bound holds for our own records too: a larger batch could not be fetched by tools.
        if partition.config().is_some_and(|config| batch.byte_len() > config.max_batch_bytes as usize) {
            return Err(AppendFailure::TooLarge);
        }
        let appended = partition.append(batch, now_ms).map_err(failure)?;
        if appended.sync_needed {
            self.to_sync.lock().insert(index, appended.last_offset);
        }
        partition.schedule_flush(&appended);
        Ok(())
    }

    fn replay(&self, index: i32, visit: Visit<'_>) -> Result<(), ReplayFailure> {
        let partition = self.partition(index).ok_or_else(|| ReplayFailure("it does not exist".into()))?;
        let offsets = partition.offsets();
        let mut offset = offsets.log_start;
        while offset < offsets.log_end {
            let chunk = read(&partition, offset)?;
            let before = offset;
            for batch in batches(&chunk) {
                offset = batch.last_offset() + 1;
                if batch.is_control() {
                    continue;
                }
                batch
                    .for_each_record(usize::MAX, &mut |record| {
                        if let Some(key) = record.key {
                            visit(key, record.value);
                        }
                    })
                    .map_err(|rejected| ReplayFailure(rejected.message))?;
            }
            if offset == before {
                return Err(ReplayFailure(format!("no batch can be read at offset {offset}")));
            }
        }
        Ok(())
    }

    fn durable(&self, index: i32) -> Durable<'_> {
        let wanted = self.to_sync.lock().get(&index).copied();
        let (Some(offset), Some(partition)) = (wanted, self.partition(index)) else {
            return Box::pin(std::future::ready(Ok(())));
        };
        Box::pin(async move { partition.wait_durable(offset).await.map_err(|_| AppendFailure::Storage) })
    }
}

fn read(partition: &Partition, offset: i64) -> Result<Bytes, ReplayFailure> {
    let at = ReadAt {
        offset,
        max_bytes: REPLAY_BYTES,
        at_least_one: true,
        committed_only: false,
        current_leader_epoch: None,
        last_fetched_epoch: None,
    };
    let located = partition.locate(&at).map_err(|error| ReplayFailure(error.to_string()))?;
    match located.slice {
        Some(slice) => slice.read().map_err(|error| ReplayFailure(error.to_string())),
        None => Ok(Bytes::new()),
    }
}

fn failure(error: AppendError) -> AppendFailure {
    match error {
        AppendError::DiskFull => AppendFailure::DiskFull,
        AppendError::LargerThanSegment { .. } => AppendFailure::TooLarge,
        error => {
            tracing::error!("{NAME} cannot be written: {error}");
            AppendFailure::Storage
        }
    }
}
