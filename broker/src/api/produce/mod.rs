//! Produce (key 0), versions 3 to 13; advertised from 0, because older librdkafka takes the codecs that a broker
//! supports from the lowest version (KAFKA-18659).
//!
//! - One batch for each partition; each partition succeeds or fails alone.
//! - acks 1 and -1 are the same on one node. acks 0 is never answered; when something failed the connection is
//!   closed, so that the client asks for metadata again.
//! - A partition that is named twice counts once, as named last.
//! - 5: log start offset. 7: zstd. 8: record errors and messages. 13: topics by id (KIP-516).
//!
//! Not done yet: transactions. A transactional batch is refused as one of a transaction that is not open.

mod append;
mod budget;
#[cfg(test)]
mod identity_tests;
mod shape;
#[cfg(test)]
mod tests;

use super::resolve;
use crate::{
    catalog::{Image, names},
    logs::Logs,
    partition::Partition,
};
use append::{Done, Failure, append};
pub use budget::DecompressionBudget;
use bytes::Bytes;
use kafka_protocol::{
    messages::{
        ProduceRequest, ProduceResponse, TopicName,
        produce_request::TopicProduceData,
        produce_response::{BatchIndexAndErrorMessage, PartitionProduceResponse, TopicProduceResponse},
    },
    protocol::StrBytes,
};
use protocol_glue::ErrorCode;
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// First version that names topics by id.
const BY_ID: i16 = 13;
/// First version that may carry zstd.
const ZSTD: i16 = 7;
/// First version whose clients know that a transaction can be aborted and tried again (KIP-890).
const ABORTABLE: i16 = 11;
/// The client id under which Kafka's own tools may write to internal topics.
const ADMIN_CLIENT_ID: &str = "__admin_client";

/// What to do with the connection.
#[derive(Debug)]
pub enum Outcome {
    Respond(ProduceResponse),
    /// acks 0: no answer, read on.
    Nothing,
    /// acks 0, and something failed: close, for this reason.
    Close(String),
}

/// Appends the batches of a request. `now_ms` is the wall clock.
pub async fn handle(
    version: i16,
    request: ProduceRequest,
    client_id: &str,
    logs: &Logs,
    image: &Image,
    budget: &DecompressionBudget,
    now_ms: i64,
) -> Outcome {
    let acks = request.acks;
    let named = request.transactional_id.is_some();
    let entries = entries(request.topic_data);
    let producing = Producing { version, acks, client_id, logs, image, budget, now_ms };
    let mut results = match refusal_of_all(named, &entries) {
        Some(failure) => entries.iter().map(|_| Err(failure.clone())).collect(),
        None => producing.append_all(&entries).await,
    };
    if acks == 0 {
        return without_answer(&entries, &results);
    }
    wait_durable(&mut results).await;
    Outcome::Respond(response(version, entries, results))
}

/// What a request asks for one partition.
struct Entry {
    name: TopicName,
    topic_id: Uuid,
    index: i32,
    records: Option<Bytes>,
}

/// What is wrong with the request as a whole. Up to the first transactional batch, which needs a transactional id,
/// a header that cannot be believed fails every partition: Kafka cannot tell then what the request is.
fn refusal_of_all(named: bool, entries: &[Entry]) -> Option<Failure> {
    for entry in entries {
        match shape::is_transactional(entry.records.as_deref().unwrap_or_default()) {
            Err(failure) => return Some(failure),
            Ok(true) if named => return None,
            Ok(true) => return Some(Failure::code(ErrorCode::TransactionalIdAuthorizationFailed)),
            Ok(false) => {}
        }
    }
    None
}

/// In request order, each partition once: the last mention wins, in the place of the first.
fn entries(topics: Vec<TopicProduceData>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut places = HashMap::new();
    for TopicProduceData { name, topic_id, partition_data, .. } in topics {
        for partition in partition_data {
            let (name, index, records) = (name.clone(), partition.index, partition.records);
            match places.insert((name.clone(), topic_id, index), entries.len()) {
                None => entries.push(Entry { name, topic_id, index, records }),
                Some(place) => {
                    entries[place].records = records;
                    places.insert((name, topic_id, index), place);
                }
            }
        }
    }
    entries
}

/// One request on its way through its partitions.
struct Producing<'a> {
    version: i16,
    acks: i16,
    client_id: &'a str,
    logs: &'a Logs,
    image: &'a Image,
    budget: &'a DecompressionBudget,
    now_ms: i64,
}

type PartitionResult = Result<Done, Failure>;

impl Producing<'_> {
    async fn append_all(&self, entries: &[Entry]) -> Vec<PartitionResult> {
        let mut results = Vec::with_capacity(entries.len());
        for entry in entries {
            results.push(self.append_one(entry).await);
        }
        results
    }

    async fn append_one(&self, entry: &Entry) -> PartitionResult {
        let records = entry.records.clone().unwrap_or_default();
        shape::check_frame(&records)?;
        let partition = self.resolve(entry)?;
        let shape = shape::check(&records, self.version >= ZSTD)?;
        if !matches!(self.acks, -1..=1) {
            return Err(Failure::code(ErrorCode::InvalidRequiredAcks));
        }
        if names::is_internal(partition.topic()) && self.client_id != ADMIN_CLIENT_ID {
            return Err(Failure::code(ErrorCode::InvalidTopic));
        }
        if shape.transactional {
            // There is a transactional id, or nothing would have come this far; but no transaction is open.
            let abortable = self.version >= ABORTABLE;
            return Err(Failure::code(if abortable {
                ErrorCode::TransactionAbortable
            } else {
                ErrorCode::InvalidTxnState
            }));
        }
        let rules = partition.rules(self.version >= ZSTD, self.now_ms).ok_or_else(|| closed(&partition))?;
        let batch = self.budget.validate(records, rules, shape.codec).await;
        append(&partition, batch, self.now_ms)
    }

    fn resolve(&self, entry: &Entry) -> Result<Arc<Partition>, Failure> {
        let found = match self.version >= BY_ID {
            true => resolve::by_id(self.logs, self.image, entry.topic_id, entry.index),
            false => resolve::by_name(self.logs, &entry.name, entry.index),
        };
        found.map_err(Failure::code)
    }
}

/// The failure when a partition was closed or deleted under the request.
fn closed(partition: &Partition) -> Failure {
    Failure::code(match partition.is_deleted() {
        true => ErrorCode::UnknownTopicOrPartition,
        false => ErrorCode::NotLeaderOrFollower,
    })
}

/// One await for the syncs that the settings ask for; they were all started by the appends.
async fn wait_durable(results: &mut [PartitionResult]) {
    for result in results {
        if let Ok(Done { sync: Some((partition, offset)), .. }) = result
            && partition.wait_durable(*offset).await.is_err()
        {
            *result = Err(Failure::code(ErrorCode::KafkaStorageError));
        }
    }
}

fn without_answer(entries: &[Entry], results: &[PartitionResult]) -> Outcome {
    let failed =
        entries.iter().zip(results).find_map(|(entry, result)| Some((entry, result.as_ref().err()?)));
    match failed {
        None => Outcome::Nothing,
        Some((Entry { name, topic_id, index, .. }, failure)) => {
            let topic = if name.is_empty() { topic_id.to_string() } else { name.to_string() };
            Outcome::Close(format!(
                "produce with acks=0 failed with {} for {topic:?} partition {index}",
                failure.code.name()
            ))
        }
    }
}

fn response(version: i16, entries: Vec<Entry>, results: Vec<PartitionResult>) -> ProduceResponse {
    let mut topics: Vec<TopicProduceResponse> = Vec::new();
    let mut places = HashMap::new();
    for (entry, result) in entries.into_iter().zip(results) {
        let place = *places.entry((entry.name, entry.topic_id)).or_insert_with_key(|(name, topic_id)| {
            let topic = TopicProduceResponse::default();
            topics.push(match version >= BY_ID {
                true => topic.with_topic_id(*topic_id),
                false => topic.with_name(name.clone()),
            });
            topics.len() - 1
        });
        topics[place].partition_responses.push(partition_response(entry.index, result));
    }
    ProduceResponse::default().with_responses(topics)
}

fn partition_response(index: i32, result: PartitionResult) -> PartitionProduceResponse {
    let response = PartitionProduceResponse::default().with_index(index);
    match result {
        Ok(done) => response
            .with_base_offset(done.base_offset)
            .with_log_append_time_ms(done.log_append_time_ms)
            .with_log_start_offset(done.log_start_offset),
        Err(failure) => response
            .with_error_code(failure.code.code())
            .with_base_offset(-1)
            .with_log_append_time_ms(-1)
            .with_log_start_offset(failure.log_start_offset)
            .with_record_errors(failure.records.into_iter().map(record_error).collect())
            .with_error_message(failure.message.map(StrBytes::from_string)),
    }
}

fn record_error(error: storage::batch::RecordError) -> BatchIndexAndErrorMessage {
    BatchIndexAndErrorMessage::default()
        .with_batch_index(error.index)
        .with_batch_index_error_message(Some(StrBytes::from_string(error.message)))
}
