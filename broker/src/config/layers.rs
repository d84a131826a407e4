//! Which value of a broker setting is in force: dynamic settings over what was given at start over the default.

use super::{
    ConfigMap,
    table::{self, Synonym},
    value::Value,
};
use std::{collections::HashMap, sync::Arc};

/// Where a broker setting can come from, strongest first; the table's default comes last.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Dynamic, for this broker.
    pub broker: Arc<ConfigMap>,
    /// Dynamic, for the whole cluster.
    pub cluster: Arc<ConfigMap>,
    /// Command line, environment and file, merged.
    pub fixed: Arc<ConfigMap>,
}

/// Where a value comes from; the numbers are those of DescribeConfigs (KIP-226, KIP-1092).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Source {
    Topic = 1,
    Broker = 2,
    ClusterDefault = 3,
    Fixed = 4,
    Default = 5,
    Logger = 6,
    ClientMetrics = 7,
    Group = 8,
}

impl Layers {
    /// These settings with the dynamic ones of the catalog: cluster-wide under "", the broker's under its id.
    pub fn with_dynamic(&self, dynamic: &HashMap<String, Arc<ConfigMap>>, node_id: i32) -> Layers {
        let named = |name: &str| dynamic.get(name).cloned().unwrap_or_default();
        Layers { broker: named(&node_id.to_string()), cluster: named(""), fixed: self.fixed.clone() }
    }

    /// The text of a setting in every layer that has it, strongest first, the default included.
    pub fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, Source)> {
        let default = table::broker(name).and_then(|setting| setting.default);
        let layers = [
            (&self.broker, Source::Broker),
            (&self.cluster, Source::ClusterDefault),
            (&self.fixed, Source::Fixed),
        ];
        layers
            .into_iter()
            .filter_map(move |(layer, source)| layer.get(name).map(|text| (text.as_str(), source)))
            .chain(default.map(|text| (text, Source::Default)))
    }

    /// The value in force; `None` when the setting is neither set nor has a default.
    ///
    /// A dynamic value that its setting does not allow is passed over: a data directory may come from a broker
    /// that allowed it, and one odd value must not keep this one from starting.
    pub fn value(&self, name: &str) -> Option<Value> {
        let setting = table::broker(name)?;
        self.texts(name).find_map(|(text, _)| setting.read(text).ok())
    }

    /// The first of several settings that is set, in one unit: `log.retention.ms` before `…minutes` before `…hours`.
    /// Of times in several units every negative one means "for ever" and becomes -1.
    pub fn first_of(&self, synonyms: &[Synonym]) -> Option<Value> {
        synonyms.iter().find_map(|synonym| {
            self.value(synonym.name).map(|value| match value {
                Value::Integer(number) if synonyms.len() > 1 => {
                    Value::Integer(number.saturating_mul(synonym.factor).max(-1))
                }
                other => other,
            })
        })
    }

    /// The value of an INT, SHORT or LONG setting. Panics when the table has no such setting with a default.
    pub fn integer(&self, name: &str) -> i64 {
        match self.value(name) {
            Some(Value::Integer(number)) => number,
            other => unreachable!("{name} is no integer setting with a default: {other:?}"),
        }
    }

    /// The value of an INT setting.
    pub fn int(&self, name: &str) -> i32 {
        i32::try_from(self.integer(name)).expect("an INT setting was read as one")
    }

    /// The value of a BOOLEAN setting.
    pub fn boolean(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Boolean(value)) => value,
            other => unreachable!("{name} is no boolean setting with a default: {other:?}"),
        }
    }

    /// The text of a STRING setting; `None` when it is not set.
    pub fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(|value| value.to_text())
    }

    /// The items of a LIST setting; none when it is not set.
    pub fn list(&self, name: &str) -> Vec<String> {
        match self.value(name) {
            Some(Value::List(items)) => items,
            _ => Vec::new(),
        }
    }
}
