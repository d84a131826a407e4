//! What DescribeConfigs says about a topic, a broker, a group or a metrics subscription, as plain functions.
//!
//! Each entry has the value in force, where it comes from, and as synonyms every place that has a value, strongest
//! first (KIP-226). Filtering by key and by version is the API's affair.

use super::{
    ConfigMap,
    layers::{Layers, Source},
    setting::{Scope, Setting},
    table::{self, ScopedSetting},
    topic::value_in_force,
    value::{Type, Value},
};
use std::collections::BTreeSet;

/// One setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// `None`: not set, or not to be shown.
    pub value: Option<String>,
    pub source: Source,
    /// `None`: nobody knows this setting.
    pub kind: Option<Type>,
    pub read_only: bool,
    pub sensitive: bool,
    pub synonyms: Vec<SynonymEntry>,
    pub documentation: Option<&'static str>,
}

/// A place that has a value for a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynonymEntry {
    pub name: String,
    pub value: Option<String>,
    pub source: Source,
}

/// Every setting of a topic with these overrides, by name.
pub fn describe_topic(overrides: &ConfigMap, layers: &Layers) -> Vec<Entry> {
    let topics = table::topic_settings().iter();
    topics.map(|scoped| scoped_entry(scoped, overrides, Source::Topic, layers)).collect()
}

/// Every setting of a group with these overrides, by name; a group need not exist.
pub fn describe_group(overrides: &ConfigMap, layers: &Layers) -> Vec<Entry> {
    table::group_settings()
        .iter()
        .filter(|scoped| scoped.setting.listed || overrides.contains_key(scoped.setting.name))
        .map(|scoped| group_entry(scoped, overrides, layers))
        .collect()
}

/// Every setting of a metrics subscription with these overrides, by name; a subscription need not exist.
pub fn describe_client_metrics(overrides: &ConfigMap) -> Vec<Entry> {
    let settings = table::metrics_settings().iter();
    settings
        .map(|setting| {
            let own = overrides.get(setting.name).and_then(|text| setting.read(text).ok());
            let source = if own.is_some() { Source::ClientMetrics } else { Source::Default };
            let value = own.map(|value| value.to_text()).or(setting.default.map(str::to_owned));
            let own_synonym = (source == Source::ClientMetrics).then(|| SynonymEntry {
                name: setting.name.into(),
                value: value.clone(),
                source,
            });
            entry_of(setting, value, source, own_synonym.into_iter().collect())
        })
        .collect()
}

/// Every setting of this broker, by name: what the table lists, and whatever else was set.
pub fn describe_broker(layers: &Layers) -> Vec<Entry> {
    let listed = table::broker_settings().filter(|setting| setting.listed).map(|setting| setting.name);
    let set = [&layers.broker, &layers.cluster, &layers.fixed];
    let set = set.into_iter().flat_map(|layer| layer.keys().map(String::as_str));
    let names: BTreeSet<&str> = listed.chain(set).collect();
    names.into_iter().map(|name| broker_entry(name, layers)).collect()
}

/// The settings that were set for the whole cluster while it ran, by name.
pub fn describe_cluster_defaults(layers: &Layers) -> Vec<Entry> {
    let only_cluster = Layers { cluster: layers.cluster.clone(), ..Layers::default() };
    let names = layers.cluster.keys();
    names
        .map(|name| {
            let mut entry = broker_entry(name, &only_cluster);
            entry.synonyms.retain(|synonym| synonym.source == Source::ClusterDefault);
            entry
        })
        .collect()
}

fn scoped_entry(scoped: &ScopedSetting, overrides: &ConfigMap, own: Source, layers: &Layers) -> Entry {
    let setting = &scoped.setting;
    let value = value_in_force(scoped, overrides, layers).map(|value| value.to_text());
    let own = overrides.contains_key(setting.name).then(|| SynonymEntry {
        name: setting.name.into(),
        value: value.clone(),
        source: own,
    });
    let brokers = scoped.synonyms.first().map(|first| broker_places(first.name, layers)).unwrap_or_default();
    let synonyms: Vec<_> = own.into_iter().chain(brokers).collect();
    let source = synonyms.first().map_or(Source::Default, |strongest| strongest.source);
    entry_of(setting, value, source, synonyms)
}

/// Unlike a topic's, a group's setting without a broker setting behind it is its own synonym.
fn group_entry(scoped: &ScopedSetting, overrides: &ConfigMap, layers: &Layers) -> Entry {
    let mut entry = scoped_entry(scoped, overrides, Source::Group, layers);
    if scoped.synonyms.is_empty() {
        entry.synonyms.push(SynonymEntry {
            name: scoped.setting.name.into(),
            value: scoped.setting.default.map(str::to_owned),
            source: Source::Default,
        });
    }
    entry
}

fn entry_of(setting: &Setting, value: Option<String>, source: Source, synonyms: Vec<SynonymEntry>) -> Entry {
    Entry {
        name: setting.name.into(),
        value,
        source,
        kind: Some(setting.kind),
        read_only: false,
        sensitive: false,
        synonyms,
        documentation: Some(setting.doc),
    }
}

fn broker_entry(name: &str, layers: &Layers) -> Entry {
    let setting = table::broker(name);
    let synonyms = broker_places(name, layers);
    let value = match setting {
        Some(_) => layers.value(name).as_ref().map(Value::to_text),
        None => layers.texts(name).next().map(|(text, _)| text.to_owned()),
    };
    let sensitive = is_sensitive(name);
    Entry {
        name: name.into(),
        value: value.filter(|_| !sensitive),
        source: synonyms.first().map_or(Source::Default, |strongest| strongest.source),
        kind: setting.map(|setting| setting.kind),
        read_only: setting.is_none_or(|setting| setting.scope == Scope::Static),
        sensitive,
        synonyms,
        documentation: setting.map(|setting| setting.doc),
    }
}

/// Passwords, and what nobody knows: it may be one.
fn is_sensitive(name: &str) -> bool {
    table::broker(name).is_none_or(|setting| setting.kind == Type::Password)
}

/// Every place that has a value for a broker setting or one that stands in for it, strongest first.
///
/// The list begins at the setting itself: as long as only `log.retention.hours` is set, `log.retention.ms` has no
/// places at all. Kafka does it this way, and tools compare.
fn broker_places(name: &str, layers: &Layers) -> Vec<SynonymEntry> {
    let family = table::broker_synonyms(name);
    let sensitive = is_sensitive(name);
    let sources = [Source::Broker, Source::ClusterDefault, Source::Fixed, Source::Default];
    let places = sources.into_iter().flat_map(|source| {
        family.iter().filter_map(move |synonym| {
            let (text, _) = layers.texts(synonym).find(|(_, at)| *at == source)?;
            let value = (!sensitive).then(|| text.to_owned());
            Some(SynonymEntry { name: (*synonym).to_owned(), value, source })
        })
    });
    places.skip_while(|place| place.name != name).collect()
}

#[cfg(test)]
mod tests;
