//! CreateTopics (key 19), versions 2–7.
//!
//! - The rules are in [`crate::catalog::create`]; an answer without an error means that the topic can be used.
//! - -1 is the broker's default in every version. validate_only checks everything and does nothing.
//! - A time-out that is over before we start refuses every topic with 7 and creates none.
//! - v5 adds partitions, replication factor and all settings in force · v7 the topic id (for validate_only, too).
//! - Not here: authorization, quotas (error 89).

use super::text;
use crate::{
    catalog::{
        Refusal, Topics,
        create::{NewTopic, Wanted},
    },
    config::{ConfigMap, Layers, describe::describe_topic},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        CreateTopicsRequest, CreateTopicsResponse, TopicName,
        create_topics_request::CreatableTopic,
        create_topics_response::{CreatableTopicConfigs, CreatableTopicResult},
    },
    protocol::StrBytes,
};
use std::collections::BTreeSet;

/// `describe_configs`: all settings in force for a topic with these overrides, as they are answered.
pub async fn handle(
    version: i16,
    request: CreateTopicsRequest,
    topics: &Topics,
    describe_configs: impl Fn(&ConfigMap, &Layers) -> Vec<CreatableTopicConfigs>,
) -> CreateTopicsResponse {
    if request.timeout_ms <= 0 {
        return refuse_all(&request, &Refusal::bare(ResponseError::RequestTimedOut));
    }
    let wanted = request.topics.iter().map(wanted).collect();
    let outcomes = match topics.create(wanted, request.validate_only).await {
        Ok(outcomes) => outcomes,
        Err(error) => return refuse_all(&request, &error.refusal()),
    };
    let layers = topics.layers();
    let results = outcomes.into_iter().map(|(name, outcome)| match outcome {
        Ok(topic) if version >= 5 => created(&topic, describe_configs(&topic.configs, &layers)),
        Ok(topic) => result(topic_name(&topic.name)),
        Err(refusal) => refused(topic_name(&name), &refusal),
    });
    CreateTopicsResponse::default().with_topics(results.collect())
}

fn wanted(topic: &CreatableTopic) -> Wanted {
    let brokers = |ids: &[kafka_protocol::messages::BrokerId]| ids.iter().map(|id| id.0).collect();
    Wanted {
        name: topic.name.to_string(),
        partitions: topic.num_partitions,
        replication_factor: topic.replication_factor,
        assignments: topic
            .assignments
            .iter()
            .map(|assignment| (assignment.partition_index, brokers(&assignment.broker_ids)))
            .collect(),
        configs: topic
            .configs
            .iter()
            .map(|config| (config.name.to_string(), config.value.as_ref().map(|value| value.to_string())))
            .collect(),
    }
}

fn created(topic: &NewTopic, configs: Vec<CreatableTopicConfigs>) -> CreatableTopicResult {
    result(topic_name(&topic.name))
        .with_topic_id(topic.id)
        .with_num_partitions(topic.partitions)
        .with_replication_factor(1)
        .with_configs(Some(configs))
}

/// No error, and what an answer says that tells nothing more.
fn result(name: TopicName) -> CreatableTopicResult {
    CreatableTopicResult::default().with_name(name).with_error_message(None)
}

fn refused(name: TopicName, refusal: &Refusal) -> CreatableTopicResult {
    result(name)
        .with_error_code(refusal.code())
        .with_error_message(refusal.message.clone().map(text::message))
}

fn refuse_all(request: &CreateTopicsRequest, refusal: &Refusal) -> CreateTopicsResponse {
    let names: BTreeSet<_> = request.topics.iter().map(|topic| &topic.name).collect();
    let results = names.into_iter().map(|name| refused(name.clone(), refusal));
    CreateTopicsResponse::default().with_topics(results.collect())
}

fn topic_name(name: &str) -> TopicName {
    TopicName(StrBytes::from_string(name.to_owned()))
}

/// Every setting of a new topic, as the answer lists them: what the client wrote is told back as it is, though
/// DescribeConfigs will tell the value that was read.
pub fn described(overrides: &ConfigMap, layers: &Layers) -> Vec<CreatableTopicConfigs> {
    describe_topic(overrides, layers)
        .into_iter()
        .map(|entry| {
            let value = overrides.get(&entry.name).cloned().or(entry.value);
            CreatableTopicConfigs::default()
                .with_name(StrBytes::from_string(entry.name))
                .with_value(value.map(StrBytes::from_string))
                .with_read_only(entry.read_only)
                .with_config_source(entry.source as i8)
                .with_is_sensitive(entry.sensitive)
        })
        .collect()
}

#[cfg(test)]
mod tests;
