//! Deciding on CreatePartitions: which topics grow, from where to where.

use super::{Image, Topic, assignment, create::MAX_PARTITIONS_PER_REQUEST, refusal::Refusal};
use kafka_protocol::ResponseError::{
    InvalidPartitions, InvalidReplicaAssignment, InvalidRequest, PolicyViolation, UnknownTopicOrPartition,
};
use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    sync::Arc,
};

/// The size that a client wants for a topic.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub name: String,
    /// Partitions in all.
    pub count: i32,
    /// Brokers for each new partition; `None` leaves the placing to us.
    pub assignments: Option<Vec<Vec<i32>>>,
}

/// A topic and the partitions that it gets.
#[derive(Clone, Debug)]
pub struct Growth {
    pub topic: Arc<Topic>,
    pub added: Range<i32>,
}

/// One outcome for each name, in the order of their first mention.
pub fn decide(image: &Image, wanted: &[Wanted], node_id: i32) -> Vec<(String, Result<Growth, Refusal>)> {
    let mut mentions: HashMap<&str, usize> = HashMap::new();
    for topic in wanted {
        *mentions.entry(&topic.name).or_default() += 1;
    }
    let too_many = partitions_asked_for(image, wanted, &mentions) > MAX_PARTITIONS_PER_REQUEST;
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
            decide_one(image, topic, node_id)
        };
        outcomes.push((topic.name.clone(), outcome));
    }
    outcomes
}

fn partitions_asked_for(image: &Image, wanted: &[Wanted], mentions: &HashMap<&str, usize>) -> i64 {
    wanted
        .iter()
        .filter(|topic| mentions[topic.name.as_str()] == 1)
        .filter_map(|topic| {
            let present = image.topics.get(topic.name.as_str())?.partitions.len() as i64;
            Some((i64::from(topic.count) - present).max(0))
        })
        .sum()
}

fn decide_one(image: &Image, wanted: &Wanted, node_id: i32) -> Result<Growth, Refusal> {
    let Some(topic) = image.topics.get(wanted.name.as_str()) else {
        return Err(Refusal::bare(UnknownTopicOrPartition));
    };
    let present = topic.partitions.len() as i32;
    if wanted.count <= present {
        let message = match wanted.count == present {
            true => format!("Topic already has {present} partition(s)."),
            false => format!(
                "The topic {} currently has {present} partition(s); {} would not be an increase.",
                wanted.name, wanted.count
            ),
        };
        return Err(Refusal::new(InvalidPartitions, message));
    }
    if let Some(assignments) = &wanted.assignments {
        if assignments.len() as i64 != i64::from(wanted.count) - i64::from(present) {
            return Err(Refusal::new(
                InvalidReplicaAssignment,
                format!(
                    "{} new partitions need as many assignments, and there are {}.",
                    wanted.count - present,
                    assignments.len()
                ),
            ));
        }
        assignments.iter().try_for_each(|brokers| assignment::check(brokers, node_id))?;
    }
    Ok(Growth { topic: Arc::clone(topic), added: present..wanted.count })
}

#[cfg(test)]
mod tests;
