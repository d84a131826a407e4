//! What a change of dynamic settings comes to, as plain functions: present settings and wanted changes in, the new
//! settings or a refusal out. Who stores the outcome, and in which order, is not decided here.
//!
//! Rules: KIP-226, KIP-339, KIP-848 (groups), KIP-714 (metrics subscriptions).

mod broker;
mod group;

pub use self::{
    broker::{Target, apply_broker_ops},
    group::{apply_client_metrics_ops, apply_group_ops},
};
use super::{
    ConfigMap,
    layers::Layers,
    setting::Setting,
    table,
    topic::{check_topic_overrides, value_in_force},
    value::{Type, Value},
};
use std::collections::HashSet;

/// Longest value that is stored, in bytes; Kafka cannot write a longer one.
const MAX_VALUE_LEN: usize = i16::MAX as usize;

/// What to do with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Set,
    /// Back to what it would be if it had never been set.
    Delete,
    /// Add items to a list, those that are not in it yet.
    Append,
    /// Take items out of a list.
    Subtract,
}

impl Op {
    /// By the number on the wire.
    pub fn from_code(code: i8) -> Option<Op> {
        [Op::Set, Op::Delete, Op::Append, Op::Subtract].get(usize::try_from(code).ok()?).copied()
    }

    fn name(self) -> &'static str {
        match self {
            Op::Set => "SET",
            Op::Delete => "DELETE",
            Op::Append => "APPEND",
            Op::Subtract => "SUBTRACT",
        }
    }
}

/// A change to one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub op: Op,
    pub value: Option<String>,
}

/// Why a resource is not changed at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request makes no sense (42).
    Request(String),
    /// A setting or its value is not allowed (40).
    Value(String),
}

/// Checks what does not depend on the resource: no setting twice, a value wherever one is needed.
pub fn check_changes(changes: &[Change]) -> Result<(), Refusal> {
    let mut names = HashSet::new();
    for change in changes {
        if !names.insert(&change.name) {
            return Err(Refusal::Request(format!("{} is given twice.", change.name)));
        }
        match &change.value {
            None if change.op != Op::Delete => {
                let op = change.op.name();
                return Err(Refusal::Request(format!("{op} of {} needs a value, not null.", change.name)));
            }
            Some(value) => check_length(&change.name, value)?,
            None => {}
        }
    }
    Ok(())
}

fn check_length(name: &str, value: &str) -> Result<(), Refusal> {
    if value.len() <= MAX_VALUE_LEN {
        return Ok(());
    }
    let length = value.len();
    Err(Refusal::Value(format!("The value of {name} has {length} bytes; {MAX_VALUE_LEN} is the most.")))
}

/// The overrides of a topic after these changes; [`check_topic`] says whether it can have them.
pub fn apply_topic_ops(
    overrides: &ConfigMap,
    changes: &[Change],
    layers: &Layers,
) -> Result<ConfigMap, Refusal> {
    check_changes(changes)?;
    apply(overrides, changes, &|name| {
        let scoped = table::topic(name)?;
        Some((&scoped.setting, value_in_force(scoped, overrides, layers)))
    })
}

/// Checks the overrides of a topic after changes.
pub fn check_topic(overrides: &ConfigMap) -> Result<(), Refusal> {
    check_topic_overrides(overrides).map_err(Refusal::Value)
}

/// A setting and its value in force, to which items are added or from which they are taken.
type InForce = Option<(&'static Setting, Option<Value>)>;

fn apply(
    present: &ConfigMap,
    changes: &[Change],
    in_force: &dyn Fn(&str) -> InForce,
) -> Result<ConfigMap, Refusal> {
    let mut changed = present.clone();
    for Change { name, op, value } in changes {
        let value = value.clone().unwrap_or_default();
        match op {
            Op::Set => drop(changed.insert(name.clone(), value)),
            Op::Delete => drop(changed.remove(name)),
            Op::Append | Op::Subtract => {
                let items = change_list(name, *op, &value, in_force(name))?;
                let value = items.join(",");
                check_length(name, &value)?;
                changed.insert(name.clone(), value);
            }
        }
    }
    Ok(changed)
}

fn change_list(name: &str, op: Op, value: &str, in_force: InForce) -> Result<Vec<String>, Refusal> {
    let Some((Setting { kind: Type::List, .. }, present)) = in_force else {
        return Err(Refusal::Value(format!("{} is not possible for {name}: it is no list.", op.name())));
    };
    let mut items = present.map(items_of).unwrap_or_default();
    let given = Type::List.parse(value).map(items_of).unwrap_or_default();
    if op == Op::Subtract {
        let given: HashSet<String> = given.into_iter().collect();
        items.retain(|item| !given.contains(item));
        return Ok(items);
    }
    let mut known: HashSet<String> = items.iter().cloned().collect();
    items.extend(given.into_iter().filter(|item| known.insert(item.clone())));
    Ok(items)
}

fn items_of(value: Value) -> Vec<String> {
    match value {
        Value::List(items) => items.into_iter().filter(|item| !item.is_empty()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
