//! Changes to the settings of groups and of metrics subscriptions.

use super::{Change, Refusal, apply, check_changes};
use crate::config::{
    ConfigMap,
    layers::Layers,
    table::{self, ScopedSetting},
    topic::value_in_force,
    value::{Type, Value},
};

/// What clients can be told apart by in the `match` of a metrics subscription (KIP-714).
const MATCH_KEYS: &[&str] = &[
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
];

/// The settings of a group after these changes.
pub fn apply_group_ops(
    overrides: &ConfigMap,
    changes: &[Change],
    layers: &Layers,
) -> Result<ConfigMap, Refusal> {
    check_changes(changes)?;
    let changed = apply(overrides, changes, &|name| {
        let scoped = table::group(name)?;
        Some((&scoped.setting, value_in_force(scoped, overrides, layers)))
    })?;
    check_group(&changed, layers).map_err(Refusal::Value)?;
    Ok(changed)
}

/// The settings of a metrics subscription after these changes.
pub fn apply_client_metrics_ops(overrides: &ConfigMap, changes: &[Change]) -> Result<ConfigMap, Refusal> {
    check_changes(changes)?;
    let changed = apply(overrides, changes, &|name| {
        let setting = table::client_metrics(name)?;
        let text = overrides.get(name).map(String::as_str).or(setting.default);
        Some((setting, text.and_then(|text| setting.read(text).ok())))
    })?;
    for (name, text) in &changed {
        let setting = table::client_metrics(name)
            .ok_or_else(|| Refusal::Request(format!("Unknown client metrics configuration {name}")))?;
        setting.read(text).map_err(Refusal::Request)?;
    }
    check_match(changed.get("match").map_or("", String::as_str)).map_err(Refusal::Value)?;
    Ok(changed)
}

fn check_group(overrides: &ConfigMap, layers: &Layers) -> Result<(), String> {
    for (name, text) in overrides {
        let scoped = table::group(name).ok_or_else(|| format!("Unknown group config name: {name}"))?;
        let value = scoped.setting.read(text)?;
        check_limits(scoped, &value, layers)?;
    }
    check_session_exceeds_heartbeat(overrides, layers)?;
    match overrides.get("errors.deadletterqueue.topic.name") {
        Some(topic) if topic.trim().starts_with("__") => {
            Err(format!("errors.deadletterqueue.topic.name is {topic}: it cannot start with __."))
        }
        _ => Ok(()),
    }
}

/// `group.consumer.min.session.timeout.ms` is the least for `consumer.session.timeout.ms`, and so on.
fn check_limits(scoped: &ScopedSetting, value: &Value, layers: &Layers) -> Result<(), String> {
    let name = scoped.setting.name;
    let (Value::Integer(number), Some((kind, rest))) = (value, name.split_once('.')) else { return Ok(()) };
    let limit = |word: &str| match layers.value(&format!("group.{kind}.{word}.{rest}")) {
        Some(Value::Integer(limit)) => Some(limit),
        _ => None,
    };
    // The one limit whose name is shortened.
    let most = match name {
        "streams.num.standby.replicas" => Some(layers.integer("group.streams.max.standby.replicas")),
        _ => limit("max"),
    };
    match (limit("min"), most) {
        (Some(least), Some(most)) if !(least..=most).contains(number) => {
            Err(format!("{name} must be in the range {least} to {most} inclusive."))
        }
        (None, Some(most)) if *number > most => Err(format!("{name} must be at most {most}.")),
        (Some(least), None) if *number < least => Err(format!("{name} must be at least {least}.")),
        _ => Ok(()),
    }
}

fn check_session_exceeds_heartbeat(overrides: &ConfigMap, layers: &Layers) -> Result<(), String> {
    for kind in ["consumer", "share", "streams"] {
        if !overrides.keys().any(|name| name.starts_with(kind)) {
            continue;
        }
        let number = |rest: &str| {
            let scoped = table::group(&format!("{kind}.{rest}"))?;
            match value_in_force(scoped, overrides, layers)? {
                Value::Integer(number) => Some(number),
                _ => None,
            }
        };
        if number("session.timeout.ms") <= number("heartbeat.interval.ms") {
            return Err(format!("{kind}.session.timeout.ms must be more than {kind}.heartbeat.interval.ms."));
        }
    }
    Ok(())
}

fn check_match(text: &str) -> Result<(), String> {
    let Ok(Value::List(patterns)) = Type::List.parse(text) else { return Ok(()) };
    for pattern in patterns {
        let key = pattern.split_once('=').map(|(key, _)| key.trim());
        if !key.is_some_and(|key| MATCH_KEYS.contains(&key)) {
            return Err(format!(
                "Invalid pattern '{pattern}': it must be key=expression with a key of {}.",
                MATCH_KEYS.join(", ")
            ));
        }
    }
    Ok(())
}
