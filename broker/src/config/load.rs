//! Brings the sources of settings together, strongest first: command line, environment, file, defaults.

use super::{BrokerConfig, ConfigMap, Layers, environment, nearest::nearest, properties, table, value::Type};
use std::{path::PathBuf, sync::Arc};

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// From `--override`, in the order given.
    pub overrides: Vec<(String, String)>,
    /// All environment variables; those that are no settings are passed over.
    pub environment: Vec<(String, String)>,
    pub file: Option<PathBuf>,
}

/// What was loaded.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: BrokerConfig,
    /// `fixed` is filled; the dynamic layers are the catalog's.
    pub layers: Layers,
    /// A sentence each, to be logged.
    pub warnings: Vec<String>,
}

/// Settings of Kafka's pluggable parts and of older releases: known, though no table lists them.
const TOLERATED: &[&str] = &[
    "super.users",
    "allow.everyone.if.no.acl.found",
    "inter.broker.protocol.version",
    "log.message.format.version",
    "broker.id.generation.enable",
    "reserved.broker.max.id",
];

/// Loads and checks. The error is one sentence for whoever started the broker.
pub fn load(sources: &Sources) -> Result<Loaded, String> {
    let mut fixed = read_file(sources)?;
    let mut warnings = Vec::new();
    fixed.extend(environment::settings(sources.environment.iter().cloned()));
    fixed.extend(sources.overrides.iter().cloned());
    agree_on_node_id(&mut fixed)?;
    drop_unset(&mut fixed);
    warnings.extend(fixed.iter().filter_map(|(name, value)| warning(name, value)));
    let layers = Layers { fixed: Arc::new(fixed), ..Layers::default() };
    let config = BrokerConfig::from_layers(&layers)?;
    Ok(Loaded { config, layers, warnings })
}

fn read_file(sources: &Sources) -> Result<ConfigMap, String> {
    let Some(path) = &sources.file else { return Ok(ConfigMap::new()) };
    let bytes = std::fs::read(path)
        .map_err(|error| format!("The settings file {} cannot be read: {error}.", path.display()))?;
    // Java reads such files as Latin-1; a stray byte in a comment must not stop the start.
    Ok(properties::parse(&String::from_utf8_lossy(&bytes)))
}

/// `broker.id` is the older name of `node.id`; either sets both, as in Kafka.
fn agree_on_node_id(fixed: &mut ConfigMap) -> Result<(), String> {
    match (fixed.get("node.id").cloned(), fixed.get("broker.id").cloned()) {
        (Some(node), Some(broker)) if node.trim() != broker.trim() => {
            Err(format!("node.id is {node} and broker.id is {broker}: they must agree, or leave one out."))
        }
        (Some(id), _) | (None, Some(id)) => {
            fixed.insert("node.id".into(), id.clone());
            fixed.insert("broker.id".into(), id);
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// An empty value, `KAFKA_BROKER_RACK=` in a compose file, means "not set" where the default is "not set" too.
fn drop_unset(fixed: &mut ConfigMap) {
    fixed.retain(|name, value| {
        let unset_by_default = table::broker(name).is_some_and(|setting| setting.default.is_none());
        !(unset_by_default && value.trim().is_empty())
    });
}

fn warning(name: &str, value: &str) -> Option<String> {
    match table::broker(name) {
        Some(setting)
            if setting.kind == Type::Class && !value.is_empty() && setting.default != Some(value) =>
        {
            Some(format!("{name} names the Java class {value}, which Daybook cannot load; it has no effect."))
        }
        Some(_) => None,
        None if TOLERATED.contains(&name) || name.starts_with("listener.name.") => None,
        None if name.starts_with("zookeeper.") => {
            Some(format!("{name} has no effect: Daybook needs no ZooKeeper."))
        }
        None => Some(match nearest(name) {
            Some(near) => format!("Unknown setting {name} has no effect; did you mean {near}?"),
            None => format!("Unknown setting {name} has no effect."),
        }),
    }
}

#[cfg(test)]
mod tests;
