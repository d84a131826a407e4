//! Fetch (key 1), versions 4 to 18.
//!
//! - Waits until `min_bytes` are there, something went wrong with a partition, or `max_wait_ms` is over. A
//!   partition that is unknown from the start ends the wait only when nothing else was asked.
//! - The first partition that has data gives at least one whole batch, whatever the limits; all others keep to
//!   them. Batches are never cut.
//! - Data begins with the batch that holds the fetch offset; clients skip what lies before.
//! - Records are empty and never null: librdkafka and sarama refuse null even beside an error code.
//! - 7: sessions (KIP-227). 9: leader epochs (KIP-320). 11: rack. 12: diverging epochs (KIP-595). 13: topics by
//!   id (KIP-516). 15: replica state. 16: where the leader is (KIP-951). 17, 18: for replicas only.
//!
//! Not done: replicas (there are none; one that asks is no follower), preferred read replicas.

mod read;
mod reply;
mod stored;
#[cfg(test)]
mod tests;

use crate::{
    catalog::Image,
    fetch_session::{Asked, Error, PartitionKey, Request, Sessions, TopicKey},
    logs::Logs,
    wait,
};
use kafka_protocol::messages::{FetchRequest, FetchResponse, TopicName, fetch_request::FetchTopic};
use protocol_glue::ErrorCode;
use read::Reader;
pub use reply::Leader;
use std::{collections::HashMap, sync::Arc, time::Duration};
pub use stored::StoredRecords;
use tokio::time::Instant;
use uuid::Uuid;

/// First version that names topics by id.
const BY_ID: i16 = 13;
/// First version that tells clients where the leader is.
const LEADER_HINTS: i16 = 16;

/// An answer. Records that are still on the disk have a stand-in in the response.
#[derive(Default)]
pub struct Fetched {
    pub response: FetchResponse,
    pub stored: StoredRecords,
}

/// Reads what a client asks for, and waits for it within the client's bounds. `fetch_max_bytes` bounds any answer;
/// `leader` is this broker as the client's listener knows it.
pub async fn handle(
    version: i16,
    request: FetchRequest,
    logs: &Logs,
    image: &Image,
    sessions: &Sessions,
    fetch_max_bytes: i32,
    leader: &Leader,
) -> Fetched {
    let limits = Limits::of(&request, fetch_max_bytes);
    let replica = replica_id(&request);
    let isolation = request.isolation_level;
    let (id, epoch) = (request.session_id, request.session_epoch);
    let (listed, forgotten) = (listed(version, &request), forgotten(version, &request));
    let Some(committed_only) = committed_only(isolation) else {
        return reply::refusal_of_all(version, ErrorCode::InvalidRequest, listed);
    };
    let (session_id, session_epoch) = if version < 7 { (0, -1) } else { (id, epoch) };
    let request = Request { session_id, session_epoch, by_ids: version >= BY_ID, listed, forgotten };
    let context = match sessions.begin(request, Instant::now()) {
        Ok(context) => context,
        Err(error) => return reply::top_level_error(session_error_code(error)),
    };
    let reader = Reader::new(context.asked(), logs, image, committed_only, replica >= 0);
    let located = wait::until(reader.watches(), limits.deadline, || reader.read(&limits)).await;
    let results = reader.load(located).await;
    drop(reader);
    let facts: Vec<_> = results.iter().map(|result| (result.key.clone(), result.facts())).collect();
    match context.finish(&facts, Instant::now(), random_id) {
        Ok(answer) => reply::response(version, answer, results, leader),
        Err(error) => reply::top_level_error(session_error_code(error)),
    }
}

/// The bounds of one request.
struct Limits {
    deadline: Instant,
    /// Answer what is there; do not wait.
    at_once: bool,
    min_bytes: i64,
    max_bytes: usize,
}

impl Limits {
    fn of(request: &FetchRequest, fetch_max_bytes: i32) -> Self {
        let max_bytes = request.max_bytes.min(fetch_max_bytes).max(0);
        let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0));
        Self {
            deadline: Instant::now() + wait,
            at_once: wait.is_zero(),
            min_bytes: i64::from(request.min_bytes.min(max_bytes)),
            max_bytes: max_bytes as usize,
        }
    }
}

/// Negative: a consumer (or a tool that pretends).
fn replica_id(request: &FetchRequest) -> i32 {
    // Version 15 moved the field; the other one has its default then.
    request.replica_id.0.max(request.replica_state.replica_id.0)
}

fn committed_only(isolation_level: i8) -> Option<bool> {
    match isolation_level {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// What the request lists, in order; a partition that is listed twice counts once, as listed last.
fn listed(version: i16, request: &FetchRequest) -> Vec<Asked> {
    let mut listed: Vec<Asked> = Vec::new();
    let mut places = HashMap::new();
    for FetchTopic { topic, topic_id, partitions, .. } in &request.topics {
        let topic = topic_key(version, topic, *topic_id);
        for partition in partitions {
            let asked = Asked {
                key: PartitionKey { topic: topic.clone(), partition: partition.partition },
                fetch_offset: partition.fetch_offset,
                max_bytes: partition.partition_max_bytes,
                current_leader_epoch: partition.current_leader_epoch,
                last_fetched_epoch: partition.last_fetched_epoch,
            };
            match places.get(&asked.key) {
                Some(&place) => listed[place] = asked,
                None => {
                    places.insert(asked.key.clone(), listed.len());
                    listed.push(asked);
                }
            }
        }
    }
    listed
}

fn forgotten(version: i16, request: &FetchRequest) -> Vec<PartitionKey> {
    let mut forgotten = Vec::new();
    for topic in &request.forgotten_topics_data {
        let key = topic_key(version, &topic.topic, topic.topic_id);
        forgotten
            .extend(topic.partitions.iter().map(|&partition| PartitionKey { topic: key.clone(), partition }));
    }
    forgotten
}

/// Copies the name: a session must not keep the whole request in memory.
fn topic_key(version: i16, name: &TopicName, id: Uuid) -> TopicKey {
    if version >= BY_ID { TopicKey::Id(id) } else { TopicKey::Name(Arc::from(name.as_str())) }
}

fn session_error_code(error: Error) -> ErrorCode {
    match error {
        Error::IdNotFound => ErrorCode::FetchSessionIdNotFound,
        Error::InvalidEpoch => ErrorCode::InvalidFetchSessionEpoch,
        Error::TopicIdMismatch => ErrorCode::FetchSessionTopicIdError,
    }
}

fn random_id() -> i32 {
    Uuid::new_v4().as_u128() as i32
}
