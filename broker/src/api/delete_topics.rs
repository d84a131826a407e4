//! DeleteTopics (key 20), versions 1–6.
//!
//! - The rules are in [`crate::catalog::delete`]; an answer without an error means that the name is free again.
//! - `delete.topic.enable=false`: 73, before version 3 42. A time-out that is over before we start: 7.
//! - v5 adds messages · v6 topics by id, and ids in the answers.
//! - Not here: authorization, quotas (error 89).

use super::text;
use crate::catalog::{
    Topics,
    delete::{Named, Outcome},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        DeleteTopicsRequest, DeleteTopicsResponse, TopicName, delete_topics_response::DeletableTopicResult,
    },
    protocol::StrBytes,
};
use uuid::Uuid;

pub async fn handle(version: i16, request: DeleteTopicsRequest, topics: &Topics) -> DeleteTopicsResponse {
    let entries = entries(&request);
    if !topics.settings().delete_enabled {
        let error =
            if version >= 3 { ResponseError::TopicDeletionDisabled } else { ResponseError::InvalidRequest };
        return refuse_all(entries, error);
    }
    if request.timeout_ms <= 0 {
        return refuse_all(entries, ResponseError::RequestTimedOut);
    }
    match topics.delete(entries.clone()).await {
        Ok(outcomes) => respond(outcomes.into_iter().map(|outcome| result(version, outcome))),
        Err(error) => refuse_all(entries, error.refusal().error),
    }
}

/// Versions before 6 have names only.
fn entries(request: &DeleteTopicsRequest) -> Vec<Named> {
    let names =
        request.topic_names.iter().map(|name| Named { name: Some(name.to_string()), id: Uuid::nil() });
    let topics = request
        .topics
        .iter()
        .map(|topic| Named { name: topic.name.as_ref().map(|name| name.to_string()), id: topic.topic_id });
    names.chain(topics).collect()
}

fn result(version: i16, outcome: Outcome) -> DeletableTopicResult {
    let answer = answer(outcome.name, outcome.id);
    match outcome.result {
        Ok(_) => answer,
        Err(refusal) => {
            let message = refusal.message.clone().filter(|_| version >= 5).map(text::message);
            answer.with_error_code(refusal.code()).with_error_message(message)
        }
    }
}

fn answer(name: Option<String>, id: Uuid) -> DeletableTopicResult {
    DeletableTopicResult::default()
        .with_name(name.map(|name| TopicName(StrBytes::from_string(name))))
        .with_topic_id(id)
        .with_error_message(None)
}

fn refuse_all(entries: Vec<Named>, error: ResponseError) -> DeleteTopicsResponse {
    respond(entries.into_iter().map(|entry| answer(entry.name, entry.id).with_error_code(error.code())))
}

fn respond(results: impl Iterator<Item = DeletableTopicResult>) -> DeleteTopicsResponse {
    DeleteTopicsResponse::default().with_responses(results.collect())
}

#[cfg(test)]
mod tests;
