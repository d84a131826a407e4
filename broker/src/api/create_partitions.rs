//! CreatePartitions (key 37), versions 0–3.
//!
//! - The rules are in [`crate::catalog::grow`]; an answer without an error means that the partitions can be used.
//! - validate_only checks everything and does nothing. A time-out that is over before we start: 7.
//! - The versions differ in encoding only (and in how quotas are told, which are not here; nor is authorization).

use super::text;
use crate::catalog::{Refusal, Topics, grow::Wanted};
use kafka_protocol::{
    ResponseError,
    messages::{
        CreatePartitionsRequest, CreatePartitionsResponse, TopicName,
        create_partitions_request::CreatePartitionsTopic,
        create_partitions_response::CreatePartitionsTopicResult,
    },
    protocol::StrBytes,
};
use std::collections::BTreeSet;

pub async fn handle(
    _version: i16,
    request: CreatePartitionsRequest,
    topics: &Topics,
) -> CreatePartitionsResponse {
    if request.timeout_ms <= 0 {
        return refuse_all(&request, &Refusal::bare(ResponseError::RequestTimedOut));
    }
    let wanted = request.topics.iter().map(wanted).collect();
    match topics.grow(wanted, request.validate_only).await {
        Ok(outcomes) => {
            respond(outcomes.into_iter().map(|(name, outcome)| result(&name, outcome.err().as_ref())))
        }
        Err(error) => refuse_all(&request, &error.refusal()),
    }
}

fn wanted(topic: &CreatePartitionsTopic) -> Wanted {
    Wanted {
        name: topic.name.to_string(),
        count: topic.count,
        assignments: topic.assignments.as_ref().map(|assignments| {
            assignments
                .iter()
                .map(|assignment| assignment.broker_ids.iter().map(|broker| broker.0).collect())
                .collect()
        }),
    }
}

fn result(name: &str, refusal: Option<&Refusal>) -> CreatePartitionsTopicResult {
    let message = refusal.and_then(|refusal| refusal.message.clone()).map(text::message);
    CreatePartitionsTopicResult::default()
        .with_name(TopicName(StrBytes::from_string(name.to_owned())))
        .with_error_code(refusal.map_or(0, Refusal::code))
        .with_error_message(message)
}

fn refuse_all(request: &CreatePartitionsRequest, refusal: &Refusal) -> CreatePartitionsResponse {
    let names: BTreeSet<_> = request.topics.iter().map(|topic| topic.name.as_str()).collect();
    respond(names.into_iter().map(|name| result(name, Some(refusal))))
}

fn respond(results: impl Iterator<Item = CreatePartitionsTopicResult>) -> CreatePartitionsResponse {
    CreatePartitionsResponse::default().with_results(results.collect())
}

#[cfg(test)]
mod tests;
