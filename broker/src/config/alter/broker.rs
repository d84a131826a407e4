//! Changes to the broker's settings: which may change while it runs, and how far.

use super::{Change, Op, Refusal, apply, check_changes};
use crate::config::{
    ConfigMap,
    broker::{check_together, parse_connection_overrides},
    layers::Layers,
    setting::{Scope, Setting},
    table,
    value::Value,
};
use std::sync::Arc;

/// Which broker settings to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Those of the whole cluster.
    Cluster,
    /// Those of this broker.
    Broker,
}

/// Kafka resizes these pools step by step, and so refuses great leaps.
const THREAD_COUNTS: &[&str] = &[
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
];

/// The target's dynamic settings after these changes. A setting that nobody knows is kept, as in Kafka.
pub fn apply_broker_ops(target: Target, changes: &[Change], layers: &Layers) -> Result<ConfigMap, Refusal> {
    check_changes(changes)?;
    let present = match target {
        Target::Cluster => &layers.cluster,
        Target::Broker => &layers.broker,
    };
    let changed =
        apply(present, changes, &|name| table::broker(name).map(|setting| (setting, layers.value(name))))?;
    for change in changes.iter().filter(|change| change.op != Op::Delete) {
        check_one(target, &change.name, &changed[&change.name], layers).map_err(Refusal::Request)?;
    }
    check_together(&with_changed(target, &changed, layers)).map_err(Refusal::Request)?;
    Ok(changed)
}

fn with_changed(target: Target, changed: &ConfigMap, layers: &Layers) -> Layers {
    let changed = Arc::new(changed.clone());
    match target {
        Target::Cluster => Layers { cluster: changed, ..layers.clone() },
        Target::Broker => Layers { broker: changed, ..layers.clone() },
    }
}

fn check_one(target: Target, name: &str, text: &str, layers: &Layers) -> Result<(), String> {
    let Some(setting) = table::broker(name) else {
        return match name.starts_with("listener.name.") {
            true => Err(format!("{name} cannot change: Daybook has no TLS or SASL listeners yet.")),
            false => Ok(()),
        };
    };
    match (setting.scope, target) {
        (Scope::Static, _) => return Err(format!("Cannot update these configs dynamically: [{name}]")),
        (Scope::PerBroker, Target::Cluster) => {
            return Err(format!("{name} can be set for one broker only, not for the cluster."));
        }
        (Scope::PerBroker, Target::Broker) => {
            return Err(format!("{name} cannot change while Daybook runs: set it at start."));
        }
        (Scope::Cluster, _) => {}
    }
    let value = setting.read(text)?;
    check_step(setting, &value, layers)?;
    if name == "max.connections.per.ip.overrides" {
        parse_connection_overrides(text)?;
    }
    Ok(())
}

fn check_step(setting: &Setting, value: &Value, layers: &Layers) -> Result<(), String> {
    let Value::Integer(wanted) = value else { return Ok(()) };
    if !THREAD_COUNTS.contains(&setting.name) {
        return Ok(());
    }
    let present = layers.integer(setting.name);
    if *wanted < 1 || *wanted < present / 2 || *wanted > present * 2 {
        return Err(format!(
            "{} is {present} and can go to half or double of that at one time, not to {wanted}.",
            setting.name
        ));
    }
    Ok(())
}
