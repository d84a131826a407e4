//! Reading the partitions of a fetch: locate under the locks, as often as it takes; load once, outside them.

use super::{Limits, StoredRecords};
use crate::{
    api::resolve,
    catalog::Image,
    fetch_session::{Asked, Facts, PartitionKey, TopicKey},
    logs::Logs,
    partition::{Located, Offsets, Partition, ReadAt, Refused},
    wait::{Step, Watch},
};
use bytes::Bytes;
use protocol_glue::ErrorCode;
use std::sync::Arc;
use storage::log::{LogError, Slice};
use uuid::Uuid;

/// Read before the answer is written, in all: little enough to be held for a client that does not read its answers,
/// and enough for one that follows the end of its partitions to get them in one piece.
const AT_ONCE_BYTES: usize = 64 * 1024;

/// The partitions of one fetch.
pub(super) struct Reader<'a> {
    /// In the order to read.
    known: Vec<Target<'a>>,
    /// Asked for, and not here: answered last, and never waited for.
    unknown: Vec<(&'a Asked, ErrorCode)>,
    committed_only: bool,
    /// Asked by a broker; none of them follows a partition here.
    by_replica: bool,
}

struct Target<'a> {
    asked: &'a Asked,
    partition: Arc<Partition>,
}

/// What one read found, for each known partition.
pub(super) struct Found(Vec<Result<Located, ErrorCode>>);

/// What is answered for one partition.
pub(super) struct PartitionResult {
    pub key: PartitionKey,
    pub topic_id: Uuid,
    pub code: ErrorCode,
    /// `None` beside an error.
    pub offsets: Option<Offsets>,
    pub records: Bytes,
    /// Records that are to be read when they are sent; `records` is empty then.
    pub stored: Option<Slice>,
    pub diverging: Option<(i32, i64)>,
    /// Is there a list of aborted transactions, if only an empty one?
    pub lists_aborted: bool,
    /// Of the partition when it is here.
    pub leader_epoch: i32,
}

impl PartitionResult {
    pub(super) fn facts(&self) -> Facts {
        Facts {
            topic_id: self.topic_id,
            high_watermark: self.offsets.map_or(-1, |offsets| offsets.high_watermark),
            log_start_offset: self.offsets.map_or(-1, |offsets| offsets.log_start),
            has_records: !self.records.is_empty() || self.stored.is_some(),
            must_tell: self.code != ErrorCode::None || self.diverging.is_some(),
            is_error: self.code != ErrorCode::None,
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        asked: &'a [Asked],
        logs: &Logs,
        image: &Image,
        committed_only: bool,
        by_replica: bool,
    ) -> Self {
        let (mut known, mut unknown) = (Vec::with_capacity(asked.len()), Vec::new());
        for asked in asked {
            let PartitionKey { topic, partition } = &asked.key;
            let found = match topic {
                TopicKey::Name(name) => resolve::by_name(logs, name, *partition),
                TopicKey::Id(id) => resolve::by_id(logs, image, *id, *partition),
            };
            match found {
                Ok(partition) => known.push(Target { asked, partition }),
                Err(code) => unknown.push((asked, code)),
            }
        }
        Self { known, unknown, committed_only, by_replica }
    }

    pub(super) fn watches(&self) -> impl Iterator<Item = &Watch> {
        self.known.iter().map(|target| target.partition.watch())
    }

    /// One pass over all partitions, in order, within the limits.
    pub(super) fn read(&self, limits: &Limits) -> Step<Found> {
        let mut bytes = 0;
        let mut urgent = limits.at_once || self.known.is_empty();
        let mut found = Vec::with_capacity(self.known.len());
        for target in &self.known {
            let located = self.locate(target, limits.max_bytes.saturating_sub(bytes), bytes == 0);
            match &located {
                Ok(located) => {
                    bytes += located.slice.as_ref().map_or(0, Slice::byte_len);
                    urgent |= located.diverging.is_some();
                }
                Err(_) => urgent = true,
            }
            found.push(located);
        }
        let enough = urgent || i64::try_from(bytes).is_ok_and(|bytes| bytes >= limits.min_bytes);
        if enough { Step::Enough(Found(found)) } else { Step::NotYet(Found(found)) }
    }

    fn locate(&self, target: &Target<'_>, room: usize, at_least_one: bool) -> Result<Located, ErrorCode> {
        let asked = target.asked;
        if self.by_replica {
            return Err(ErrorCode::NotLeaderOrFollower);
        }
        let max_bytes = usize::try_from(asked.max_bytes).map_err(|_| ErrorCode::InvalidRequest)?;
        let at = ReadAt {
            offset: asked.fetch_offset,
            max_bytes: max_bytes.min(room),
            at_least_one,
            committed_only: self.committed_only,
            current_leader_epoch: non_negative(asked.current_leader_epoch),
            last_fetched_epoch: non_negative(asked.last_fetched_epoch),
        };
        target.partition.locate(&at).map_err(|refused| {
            if let Refused::OutOfRange(offset) = &refused {
                log_out_of_range(&target.partition, *offset);
            }
            resolve::refusal_code(&refused)
        })
    }

    /// Loads the bytes of what was found, from the page cache at once, from the disk on a blocking thread; what is much
    /// stays on the disk until it is sent.
    pub(super) async fn load(&self, found: Found) -> Vec<PartitionResult> {
        let mut results = Vec::with_capacity(self.known.len() + self.unknown.len());
        let mut cold = Vec::new();
        let mut room = AT_ONCE_BYTES;
        for (place, (target, located)) in self.known.iter().zip(found.0).enumerate() {
            let mut result = self.result(target, &located);
            if let Ok(Located { slice: Some(slice), .. }) = located {
                if slice.byte_len() > room && StoredRecords::can_hold(&slice) {
                    result.stored = Some(slice);
                    results.push(result);
                    continue;
                }
                room = room.saturating_sub(slice.byte_len());
                match slice.read_cached() {
                    Ok(Some(records)) => result.records = records,
                    Ok(None) => cold.push((place, slice)),
                    Err(error) => failed(&mut result, &error),
                }
            }
            results.push(result);
        }
        for (place, records) in load_cold(cold).await {
            match records {
                Ok(records) => results[place].records = records,
                Err(error) => failed(&mut results[place], &error),
            }
        }
        results.extend(self.unknown.iter().map(|(asked, code)| PartitionResult::unknown(asked, *code)));
        results
    }

    fn result(&self, target: &Target<'_>, located: &Result<Located, ErrorCode>) -> PartitionResult {
        PartitionResult {
            key: target.asked.key.clone(),
            topic_id: target.partition.topic_id(),
            code: located.as_ref().err().copied().unwrap_or(ErrorCode::None),
            offsets: located.as_ref().ok().map(|located| located.offsets),
            records: Bytes::new(),
            stored: None,
            diverging: located.as_ref().ok().and_then(|located| located.diverging),
            // Not beside a diverging epoch: then nothing was read.
            lists_aborted: self.committed_only
                && located.as_ref().is_ok_and(|located| located.diverging.is_none()),
            leader_epoch: target.partition.leader_epoch(),
        }
    }
}

impl PartitionResult {
    /// An answer without looking at any partition.
    pub(super) fn unknown(asked: &Asked, code: ErrorCode) -> Self {
        Self {
            key: asked.key.clone(),
            topic_id: Uuid::nil(),
            code,
            offsets: None,
            records: Bytes::new(),
            stored: None,
            diverging: None,
            lists_aborted: true,
            leader_epoch: -1,
        }
    }
}

async fn load_cold(cold: Vec<(usize, Slice)>) -> Vec<(usize, Result<Bytes, LogError>)> {
    if cold.is_empty() {
        return Vec::new();
    }
    let read = move || cold.into_iter().map(|(place, slice)| (place, slice.read())).collect();
    tokio::task::spawn_blocking(read)
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

fn failed(result: &mut PartitionResult, error: &LogError) {
    tracing::error!("reading failed: {error}");
    (result.code, result.offsets, result.lists_aborted) = (ErrorCode::KafkaStorageError, None, false);
}

/// People look here when a consumer starts over: what it asked for and what there was (LOG-10).
fn log_out_of_range(partition: &Partition, offset: i64) {
    let Offsets { log_start, log_end, .. } = partition.offsets();
    let (topic, index) = (partition.topic(), partition.index());
    tracing::info!("fetch of {topic}-{index} at {offset} is out of range {log_start}..={log_end}");
}

/// Negative epochs mean that the client does not know.
fn non_negative(epoch: i32) -> Option<i32> {
    (epoch >= 0).then_some(epoch)
}
