//! Deciding on CreateTopics: pure rules from the catalog as it is to the topics as they will be.

use super::{Image, assignment, names, refusal::Refusal};
use crate::config::ConfigMap;
use kafka_protocol::ResponseError::{
    InvalidConfig, InvalidPartitions, InvalidReplicaAssignment, InvalidReplicationFactor, InvalidRequest,
    InvalidTopicException, PolicyViolation, TopicAlreadyExists,
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use uuid::Uuid;

/// Most partitions that one request may make; Kafka's limit, so that one record batch holds them.
pub const MAX_PARTITIONS_PER_REQUEST: i64 = 10_000;

/// A topic that a client asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub name: String,
    /// -1: the broker's default, or as many as `assignments` has.
    pub partitions: i32,
    /// -1: the broker's default, or what `assignments` says.
    pub replication_factor: i16,
    /// Partition index and brokers; empty leaves the placing to us.
    pub assignments: Vec<(i32, Vec<i32>)>,
    /// As sent: a key may come twice, and the last one counts.
    pub configs: Vec<(String, Option<String>)>,
}

/// A topic that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTopic {
    pub name: Arc<str>,
    pub id: Uuid,
    pub partitions: i32,
    pub configs: Arc<ConfigMap>,
}

/// What the rules depend on beside the catalog.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub node_id: i32,
    pub default_partitions: i32,
    pub default_replication_factor: i16,
    /// Checks the settings of a topic; the error is a sentence for the client.
    pub check_configs: fn(&ConfigMap) -> Result<(), String>,
}

/// One outcome for each name asked for, in the order of their first mention.
pub fn decide(
    image: &Image,
    wanted: &[Wanted],
    rules: &Rules,
    mut new_id: impl FnMut() -> Uuid,
) -> Vec<(String, Result<NewTopic, Refusal>)> {
    let mut mentions: HashMap<&str, usize> = HashMap::new();
    for topic in wanted {
        *mentions.entry(&topic.name).or_default() += 1;
    }
    let too_many = partitions_asked_for(wanted, &mentions, rules) > MAX_PARTITIONS_PER_REQUEST;
    let mut answered = BTreeSet::new();
    let mut outcomes = Vec::with_capacity(wanted.len());
    for topic in wanted.iter().filter(|topic| answered.insert(topic.name.as_str())) {
        let outcome = if too_many {
            Err(Refusal::new(
                PolicyViolation,
                format!("One request may create {MAX_PARTITIONS_PER_REQUEST} partitions at most."),
            ))
        } else if mentions[topic.name.as_str()] > 1 {
            Err(Refusal::new(InvalidRequest, "Duplicate topic name."))
        } else {
            decide_one(image, topic, rules, &mut new_id)
        };
        outcomes.push((topic.name.clone(), outcome));
    }
    outcomes
}

/// Names that come twice will be refused and do not count.
fn partitions_asked_for(wanted: &[Wanted], mentions: &HashMap<&str, usize>, rules: &Rules) -> i64 {
    wanted
        .iter()
        .filter(|topic| mentions[topic.name.as_str()] == 1)
        .map(|topic| match topic.partitions {
            _ if !topic.assignments.is_empty() => topic.assignments.len() as i64,
            -1 => i64::from(rules.default_partitions),
            partitions => i64::from(partitions.max(0)),
        })
        .sum()
}

/// The order of the checks is Kafka's: the first that fails is what the client reads.
fn decide_one(
    image: &Image,
    topic: &Wanted,
    rules: &Rules,
    new_id: &mut impl FnMut() -> Uuid,
) -> Result<NewTopic, Refusal> {
    check_name(image, &topic.name)?;
    let configs = check_configs(&topic.configs, rules)?;
    let partitions = if topic.assignments.is_empty() {
        check_counts(topic, rules)?
    } else {
        check_assignments(topic, rules)?
    };
    Ok(NewTopic { name: topic.name.as_str().into(), id: new_id(), partitions, configs: Arc::new(configs) })
}

fn check_name(image: &Image, name: &str) -> Result<(), Refusal> {
    if name == names::CLUSTER_METADATA {
        return Err(Refusal::new(InvalidRequest, format!("{name} is not a topic that can be created.")));
    }
    names::check(name).map_err(|message| Refusal::new(InvalidTopicException, message))?;
    if image.topics.contains_key(name) {
        return Err(Refusal::new(TopicAlreadyExists, format!("Topic '{name}' already exists.")));
    }
    match names::can_collide(name)
        .then(|| image.topics.keys().find(|other| names::collide(name, other)))
        .flatten()
    {
        Some(other) => Err(Refusal::new(
            InvalidTopicException,
            format!("Topic '{name}' collides with existing topic: {other}"),
        )),
        None => Ok(()),
    }
}

fn check_configs(configs: &[(String, Option<String>)], rules: &Rules) -> Result<ConfigMap, Refusal> {
    let mut overrides = ConfigMap::new();
    for (key, value) in configs {
        let Some(value) = value else {
            return Err(Refusal::new(InvalidConfig, format!("Null is not a value for '{key}'.")));
        };
        overrides.insert(key.clone(), value.clone());
    }
    (rules.check_configs)(&overrides).map_err(|message| Refusal::new(InvalidConfig, message))?;
    Ok(overrides)
}

fn check_counts(topic: &Wanted, rules: &Rules) -> Result<i32, Refusal> {
    let factor = match topic.replication_factor {
        -1 => rules.default_replication_factor,
        factor if factor < 1 => {
            return Err(Refusal::new(
                InvalidReplicationFactor,
                "The replication factor must be at least 1, or -1 for the broker's default.",
            ));
        }
        factor => factor,
    };
    let partitions = match topic.partitions {
        -1 => rules.default_partitions,
        partitions if partitions < 1 => {
            return Err(Refusal::new(
                InvalidPartitions,
                "The number of partitions must be at least 1, or -1 for the broker's default.",
            ));
        }
        partitions => partitions,
    };
    if factor > 1 {
        return Err(Refusal::new(
            InvalidReplicationFactor,
            format!(
                "Unable to replicate the partition {factor} time(s): The target replication factor of {factor} \
                 cannot be reached because only 1 broker(s) are registered."
            ),
        ));
    }
    Ok(partitions)
}

fn check_assignments(topic: &Wanted, rules: &Rules) -> Result<i32, Refusal> {
    if topic.replication_factor != -1 || topic.partitions != -1 {
        return Err(Refusal::new(
            InvalidRequest,
            "With an assignment of partitions, their number and the replication factor must be -1.",
        ));
    }
    let mut indexes = BTreeSet::new();
    for (index, brokers) in &topic.assignments {
        if !indexes.insert(*index) {
            return Err(Refusal::new(
                InvalidReplicaAssignment,
                format!("Partition {index} is assigned more than once."),
            ));
        }
        assignment::check(brokers, rules.node_id)?;
    }
    if !indexes.iter().copied().eq(0..indexes.len() as i32) {
        return Err(Refusal::new(
            InvalidReplicaAssignment,
            "The assigned partitions must be numbered from 0 without gaps.",
        ));
    }
    Ok(indexes.len() as i32)
}

#[cfg(test)]
mod tests;
