//! DescribeConfigs (32), versions 1 to 4.
//!
//! - Topics, this broker, its loggers, groups and metrics subscriptions; any other type is an error of that resource.
//! - A broker with an empty name means the settings that were made for the whole cluster.
//! - Groups and subscriptions need not exist: then their settings have the defaults.
//! - No keys, or none in the list, means all; unknown keys are passed over, and resources may come twice.
//! - Version 1 added synonyms, 3 types and documentation, 4 is the flexible form.

use super::text;
use crate::{
    catalog::{Image, names},
    config::{
        ConfigMap, Layers,
        describe::{
            Entry, describe_broker, describe_client_metrics, describe_cluster_defaults, describe_group,
            describe_topic,
        },
    },
    observe::logging::LogLevels,
};
use kafka_protocol::{
    ResponseError,
    messages::{
        DescribeConfigsRequest, DescribeConfigsResponse,
        describe_configs_request::DescribeConfigsResource,
        describe_configs_response::{
            DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym,
        },
    },
    protocol::StrBytes,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Where the answers come from.
pub struct Settings<'a> {
    pub image: &'a Image,
    /// Settings of groups (32) and metrics subscriptions (16), by type and name.
    pub others: &'a HashMap<(i8, String), Arc<ConfigMap>>,
    /// At least the fixed layer; the dynamic ones are the image's.
    pub layers: &'a Layers,
    pub node_id: i32,
    pub loggers: &'a LogLevels,
}

/// Answers with the settings of each resource that was asked about.
pub async fn handle(
    version: i16,
    request: DescribeConfigsRequest,
    settings: Settings<'_>,
) -> DescribeConfigsResponse {
    let layers = settings.layers.with_dynamic(&settings.image.broker_configs, settings.node_id);
    let shape =
        Shape { version, synonyms: request.include_synonyms, documentation: request.include_documentation };
    let mut room = MAX_ENTRIES;
    let results = request.resources.into_iter().map(|resource| {
        let found = check_room(room).and_then(|()| look_up(&resource, &settings, &layers));
        match found {
            Ok(found) => {
                room = room.saturating_sub(found.len());
                shape.result(resource, found)
            }
            Err(refusal) => refused(resource, refusal),
        }
    });
    DescribeConfigsResponse::default().with_results(results.collect())
}

/// Most entries that one request may look at: a few bytes can ask for hundreds of them, so something must stop at a
/// bound. Those that the keys leave out have been looked at, too. Ten thousand topics with all their settings have 370,000.
const MAX_ENTRIES: usize = 500_000;

fn check_room(room: usize) -> Result<(), Refusal> {
    match room {
        0 => Err((
            ResponseError::InvalidRequest,
            format!(
                "The answer would have more than {MAX_ENTRIES} settings: ask for fewer resources at one time."
            ),
        )),
        _ => Ok(()),
    }
}

/// Resource types of the configuration APIs.
pub(super) mod resource {
    pub const TOPIC: i8 = 2;
    pub const BROKER: i8 = 4;
    pub const BROKER_LOGGER: i8 = 8;
    pub const CLIENT_METRICS: i8 = 16;
    pub const GROUP: i8 = 32;
}

type Refusal = (ResponseError, String);

/// A setting, and for a logger its level, which has no type in the answer.
enum Found {
    Settings(Vec<Entry>),
    Levels(Vec<(String, String)>),
}

impl Found {
    fn len(&self) -> usize {
        match self {
            Self::Settings(entries) => entries.len(),
            Self::Levels(levels) => levels.len(),
        }
    }
}

fn look_up(
    resource: &DescribeConfigsResource,
    settings: &Settings<'_>,
    layers: &Layers,
) -> Result<Found, Refusal> {
    let name = resource.resource_name.as_str();
    let others = |kind: i8| settings.others.get(&(kind, name.to_owned())).cloned().unwrap_or_default();
    let entries = match resource.resource_type {
        resource::TOPIC => describe_topic(topic_overrides(name, settings.image)?, layers),
        resource::BROKER if name.is_empty() => describe_cluster_defaults(layers),
        resource::BROKER => {
            check_is_this_broker(name, settings.node_id)?;
            describe_broker(layers)
        }
        resource::BROKER_LOGGER => {
            check_is_this_broker(name, settings.node_id)?;
            let levels = settings.loggers.all().into_iter();
            let levels = levels.map(|(name, level)| (name, level.to_string().to_uppercase()));
            return Ok(Found::Levels(levels.collect()));
        }
        resource::CLIENT_METRICS => {
            check_is_named(name, "metrics subscription")?;
            describe_client_metrics(&others(resource::CLIENT_METRICS))
        }
        resource::GROUP => {
            check_is_named(name, "group")?;
            describe_group(&others(resource::GROUP), layers)
        }
        other => {
            return Err((ResponseError::InvalidRequest, format!("Resource type {other} has no settings.")));
        }
    };
    Ok(Found::Settings(entries))
}

fn topic_overrides<'a>(name: &str, image: &'a Image) -> Result<&'a ConfigMap, Refusal> {
    if let Some(topic) = image.topics.get(name) {
        return Ok(&topic.configs);
    }
    match names::check(name) {
        // Kafka has an error and no words for this one.
        Ok(()) => Err((ResponseError::UnknownTopicOrPartition, String::new())),
        Err(message) => Err((ResponseError::InvalidTopicException, message)),
    }
}

pub(super) fn check_is_this_broker(name: &str, node_id: i32) -> Result<(), Refusal> {
    match name.parse::<i32>() {
        Ok(id) if id == node_id => Ok(()),
        Ok(id) => Err((ResponseError::InvalidRequest, format!("This is broker {node_id}, not {id}."))),
        Err(_) => {
            Err((ResponseError::InvalidRequest, format!("'{}' is no broker id.", name.escape_default())))
        }
    }
}

fn check_is_named(name: &str, what: &str) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err((ResponseError::InvalidRequest, format!("A {what} needs a name.")));
    }
    Ok(())
}

/// What the request and its version let into an entry.
struct Shape {
    version: i16,
    synonyms: bool,
    documentation: bool,
}

impl Shape {
    fn result(&self, resource: DescribeConfigsResource, found: Found) -> DescribeConfigsResult {
        let keys = resource.configuration_keys.as_ref().filter(|keys| !keys.is_empty());
        let keys = keys.map(|keys| keys.iter().map(StrBytes::as_str).collect::<HashSet<_>>());
        let is_wanted = |name: &str| keys.as_ref().is_none_or(|keys| keys.contains(name));
        let configs = match found {
            Found::Settings(entries) => {
                let entries = entries.into_iter().filter(|entry| is_wanted(&entry.name));
                entries.map(|entry| self.entry(entry)).collect()
            }
            Found::Levels(levels) => {
                levels.into_iter().filter(|(name, _)| is_wanted(name)).map(logger_entry).collect()
            }
        };
        DescribeConfigsResult::default()
            .with_error_message(Some(StrBytes::default()))
            .with_resource_type(resource.resource_type)
            .with_resource_name(resource.resource_name)
            .with_configs(configs)
    }

    fn entry(&self, entry: Entry) -> DescribeConfigsResourceResult {
        let synonyms = if self.synonyms { entry.synonyms } else { Vec::new() };
        let synonyms = synonyms.into_iter().map(|synonym| {
            DescribeConfigsSynonym::default()
                .with_name(StrBytes::from_string(synonym.name))
                .with_value(synonym.value.map(StrBytes::from_string))
                .with_source(synonym.source as i8)
        });
        let result = DescribeConfigsResourceResult::default()
            .with_name(StrBytes::from_string(entry.name))
            .with_value(entry.value.map(StrBytes::from_string))
            .with_read_only(entry.read_only)
            .with_config_source(entry.source as i8)
            .with_is_sensitive(entry.sensitive)
            .with_synonyms(synonyms.collect());
        if self.version < 3 {
            return result.with_documentation(None);
        }
        let documentation = entry.documentation.filter(|_| self.documentation);
        result
            .with_config_type(entry.kind.map_or(0, |kind| kind.code()))
            .with_documentation(documentation.map(StrBytes::from_static_str))
    }
}

fn logger_entry((name, level): (String, String)) -> DescribeConfigsResourceResult {
    DescribeConfigsResourceResult::default()
        .with_name(StrBytes::from_string(name))
        .with_value(Some(StrBytes::from_string(level)))
        .with_config_source(crate::config::Source::Logger as i8)
        .with_documentation(None)
}

fn refused(resource: DescribeConfigsResource, (error, message): Refusal) -> DescribeConfigsResult {
    DescribeConfigsResult::default()
        .with_error_code(error.code())
        .with_error_message(Some(text::message(message)))
        .with_resource_type(resource.resource_type)
        .with_resource_name(resource.resource_name)
}

#[cfg(test)]
mod tests;
