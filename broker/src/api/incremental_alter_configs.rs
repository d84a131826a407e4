//! IncrementalAlterConfigs (44), versions 0 and 1.
//!
//! - Only the settings that are named change (KIP-339): set, delete, and for lists append and subtract.
//! - A resource changes as a whole or not at all; resources do not depend on each other.
//! - A resource given twice, a setting given twice and a missing value are errors before anything is looked at.
//! - Loggers change here and nowhere else, and are not kept over a restart (KIP-412).
//! - Version 1 is the flexible form.

use super::{
    describe_configs::{check_is_this_broker, resource},
    text,
};
use crate::{
    catalog::{Image, names},
    config::{
        ConfigMap, Layers,
        alter::{
            Change, Op, Refusal, Target, apply_broker_ops, apply_client_metrics_ops, apply_group_ops,
            apply_topic_ops, check_changes, check_topic,
        },
    },
    observe::logging::LogLevels,
};
use kafka_protocol::{
    ResponseError,
    messages::{
        IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse,
        incremental_alter_configs_request::AlterConfigsResource,
        incremental_alter_configs_response::AlterConfigsResourceResponse,
    },
    protocol::StrBytes,
};
use std::{collections::HashMap, future::Future, sync::Arc};

mod loggers;

/// The dynamic settings at one moment.
pub struct Present<'a> {
    pub image: &'a Image,
    /// Settings of groups (32) and metrics subscriptions (16), by type and name.
    pub others: &'a HashMap<(i8, String), Arc<ConfigMap>>,
}

/// A dynamic setting to write; without a value it is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub resource_type: i8,
    pub resource_name: String,
    pub name: String,
    pub value: Option<String>,
}

/// Where dynamic settings are kept.
pub trait ConfigStore {
    /// Decides on the present settings and writes, in one step, so that no two changes build on the same state.
    /// When this returns the writes are durable and in force. The error is for the log: nothing was written.
    fn configure<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&Present<'_>) -> (Vec<Write>, T) + Send + 'static,
    ) -> impl Future<Output = Result<T, String>> + Send;
}

/// Changes the settings of each resource, or says why not.
pub async fn handle<S: ConfigStore>(
    _version: i16,
    request: IncrementalAlterConfigsRequest,
    store: &S,
    layers: &Layers,
    node_id: i32,
    loggers: &LogLevels,
) -> IncrementalAlterConfigsResponse {
    let validate_only = request.validate_only;
    let mut wanted = read(request);
    loggers::change(&mut wanted, loggers, node_id, validate_only);
    let layers = layers.clone();
    let answers: Vec<_> = wanted.iter().map(Wanted::without_changes).collect();
    let decided = store
        .configure(move |present| {
            let (writes, answers) = decide(wanted, present, &layers, node_id);
            (if validate_only { Vec::new() } else { writes }, answers)
        })
        .await;
    let answers = decided.unwrap_or_else(|error| {
        tracing::error!(%error, "settings could not be stored");
        answers.into_iter().map(not_stored).collect()
    });
    IncrementalAlterConfigsResponse::default().with_responses(answers.into_iter().map(response).collect())
}

/// Why a resource was not changed.
type Refused = (ResponseError, String);

/// What is wanted of one resource; the outcome is known early when the request itself is wrong.
struct Wanted {
    resource_type: i8,
    name: StrBytes,
    changes: Vec<Change>,
    outcome: Option<Result<(), Refused>>,
}

struct Answer {
    resource_type: i8,
    name: StrBytes,
    outcome: Result<(), Refused>,
}

impl Wanted {
    fn without_changes(&self) -> Answer {
        let outcome = self.outcome.clone().unwrap_or(Ok(()));
        Answer { resource_type: self.resource_type, name: self.name.clone(), outcome }
    }
}

fn read(request: IncrementalAlterConfigsRequest) -> Vec<Wanted> {
    let mut seen: HashMap<(i8, StrBytes), usize> = HashMap::new();
    for resource in &request.resources {
        *seen.entry((resource.resource_type, resource.resource_name.clone())).or_default() += 1;
    }
    let is_double =
        |resource: &AlterConfigsResource| seen[&(resource.resource_type, resource.resource_name.clone())] > 1;
    let mut wanted = Vec::with_capacity(request.resources.len());
    for resource in &request.resources {
        let checked = match is_double(resource) {
            true => Err(invalid("Each resource can be given only once.")),
            false => read_changes(resource),
        };
        let (changes, outcome) = match checked {
            Ok(changes) => (changes, None),
            Err(refused) => (Vec::new(), Some(Err(refused))),
        };
        // Copied, since the names of the request hold on to its whole frame.
        let name = StrBytes::from_string(resource.resource_name.to_string());
        wanted.push(Wanted { resource_type: resource.resource_type, name, changes, outcome });
    }
    wanted
}

fn read_changes(resource: &AlterConfigsResource) -> Result<Vec<Change>, Refused> {
    let changes: Vec<_> = resource
        .configs
        .iter()
        .map(|config| {
            let op = Op::from_code(config.config_operation)
                .ok_or_else(|| invalid(&format!("{} is no operation.", config.config_operation)))?;
            let value = config.value.as_ref().map(StrBytes::to_string);
            Ok(Change { name: config.name.to_string(), op, value })
        })
        .collect::<Result<_, Refused>>()?;
    check_changes(&changes).map_err(refused)?;
    Ok(changes)
}

fn decide(
    wanted: Vec<Wanted>,
    present: &Present<'_>,
    layers: &Layers,
    node_id: i32,
) -> (Vec<Write>, Vec<Answer>) {
    let layers = layers.with_dynamic(&present.image.broker_configs, node_id);
    let mut writes = Vec::new();
    let mut answers = Vec::with_capacity(wanted.len());
    for resource in wanted {
        let outcome = resource.outcome.clone().unwrap_or_else(|| {
            let (before, after) = apply(&resource, present, &layers, node_id)?;
            writes.extend(differences(&resource, &before, &after));
            Ok(())
        });
        answers.push(Answer { resource_type: resource.resource_type, name: resource.name, outcome });
    }
    (writes, answers)
}

/// The settings of a resource before and after.
fn apply(
    wanted: &Wanted,
    present: &Present<'_>,
    layers: &Layers,
    node_id: i32,
) -> Result<(Arc<ConfigMap>, ConfigMap), Refused> {
    let (name, changes) = (wanted.name.as_str(), wanted.changes.as_slice());
    let before = || present.others.get(&(wanted.resource_type, name.to_owned())).cloned().unwrap_or_default();
    let (before, after) = match wanted.resource_type {
        resource::TOPIC => {
            return apply_to_topic(name, changes, present.image, layers);
        }
        resource::BROKER if name.is_empty() => {
            (layers.cluster.clone(), apply_broker_ops(Target::Cluster, changes, layers))
        }
        resource::BROKER => {
            check_is_this_broker(name, node_id)?;
            (layers.broker.clone(), apply_broker_ops(Target::Broker, changes, layers))
        }
        resource::CLIENT_METRICS if !name.is_empty() => {
            let before = before();
            let after = apply_client_metrics_ops(&before, changes);
            (before, after)
        }
        resource::GROUP if !name.is_empty() => {
            let before = before();
            let after = apply_group_ops(&before, changes, layers);
            (before, after)
        }
        resource::CLIENT_METRICS | resource::GROUP => return Err(invalid("The resource needs a name.")),
        other => return Err(invalid(&format!("Resource type {other} has no settings to change."))),
    };
    Ok((before, after.map_err(refused)?))
}

/// As in Kafka, a topic that does not exist is found last: after operations that are only for lists, a name that no
/// topic can have, and settings that no topic can have.
fn apply_to_topic(
    name: &str,
    changes: &[Change],
    image: &Image,
    layers: &Layers,
) -> Result<(Arc<ConfigMap>, ConfigMap), Refused> {
    let topic = image.topics.get(name);
    let before = topic.map(|topic| topic.configs.clone()).unwrap_or_default();
    let after = apply_topic_ops(&before, changes, layers).map_err(refused)?;
    if name.is_empty() {
        return Err(invalid("A topic name cannot be empty."));
    }
    if topic.is_none() {
        names::check(name).map_err(|message| (ResponseError::InvalidTopicException, message))?;
    }
    check_topic(&after).map_err(refused)?;
    match topic {
        Some(_) => Ok((before, after)),
        None => Err((ResponseError::UnknownTopicOrPartition, format!("There is no topic {name}."))),
    }
}

/// What to write to get from one state to the other.
fn differences(wanted: &Wanted, before: &ConfigMap, after: &ConfigMap) -> Vec<Write> {
    let write = |name: &String, value: Option<String>| Write {
        resource_type: wanted.resource_type,
        resource_name: wanted.name.to_string(),
        name: name.clone(),
        value,
    };
    let gone = before.keys().filter(|name| !after.contains_key(*name)).map(|name| write(name, None));
    let set = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    gone.chain(set.map(|(name, value)| write(name, Some(value.clone())))).collect()
}

fn invalid(message: &str) -> Refused {
    (ResponseError::InvalidRequest, message.to_owned())
}

fn refused(refusal: Refusal) -> Refused {
    match refusal {
        Refusal::Request(message) => (ResponseError::InvalidRequest, message),
        Refusal::Value(message) => (ResponseError::InvalidConfig, message),
    }
}

fn not_stored(answer: Answer) -> Answer {
    let outcome = answer.outcome.and_then(|()| {
        Err((ResponseError::KafkaStorageError, "The settings could not be stored.".to_owned()))
    });
    Answer { outcome, ..answer }
}

fn response(answer: Answer) -> AlterConfigsResourceResponse {
    let response = AlterConfigsResourceResponse::default()
        .with_resource_type(answer.resource_type)
        .with_resource_name(answer.name);
    match answer.outcome {
        Ok(()) => response.with_error_message(None),
        Err((error, message)) => {
            response.with_error_code(error.code()).with_error_message(Some(text::message(message)))
        }
    }
}

#[cfg(test)]
mod tests;
