//! Deciding on DeleteTopics: which topics go, and what is wrong with the rest of the request.

use super::{Image, Topic, refusal::Refusal};
use kafka_protocol::ResponseError::{InvalidRequest, UnknownTopicId, UnknownTopicOrPartition};
use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::Arc,
};
use uuid::Uuid;

/// A topic as a client names it: by name, or by id with the name left out (KIP-516).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: Option<String>,
    /// Nil when the topic is given by name.
    pub id: Uuid,
}

/// What becomes of one entry: the name and id to answer with, and the topic to remove.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub name: Option<String>,
    pub id: Uuid,
    pub result: Result<Arc<Topic>, Refusal>,
}

/// Entries that are wrong in themselves first, then one outcome for each name and id.
pub fn decide(image: &Image, entries: &[Named]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut names = Vec::new();
    let mut ids = Vec::new();
    for Named { name, id } in entries {
        match name {
            Some(name) if id.is_nil() => names.push(name.as_str()),
            Some(name) => {
                outcomes.push(invalid(
                    Some(name),
                    *id,
                    "A topic is given by its name or by its id, not by both.",
                ));
            }
            None if id.is_nil() => {
                outcomes.push(invalid(None, *id, "Neither a topic's name nor its id is given."))
            }
            None => ids.push(*id),
        }
    }
    let ids = split_duplicates(ids, |id| outcomes.push(invalid(None, id, "Duplicate topic id.")));
    let names = split_duplicates(names, |name| {
        outcomes.push(invalid(Some(name), Uuid::nil(), "Duplicate topic name."));
    });
    let by_id: HashSet<Uuid> = ids.iter().copied().collect();
    let by_name: HashSet<&str> = names.iter().copied().collect();
    outcomes.extend(ids.into_iter().map(|id| decide_id(image, id, &by_name)));
    outcomes.extend(names.iter().filter_map(|name| decide_name(image, name, &by_id)));
    outcomes
}

fn decide_id(image: &Image, id: Uuid, names: &HashSet<&str>) -> Outcome {
    let Some(topic) = image.topics_by_id.get(&id) else {
        let refusal = Refusal::new(UnknownTopicId, "There is no topic with this id.");
        return Outcome { name: None, id, result: Err(refusal) };
    };
    if names.contains(&*topic.name) {
        return invalid(Some(&topic.name), id, "The same topic is given by its name and by its id.");
    }
    Outcome { name: Some(topic.name.to_string()), id, result: Ok(Arc::clone(topic)) }
}

/// `None` when the topic was given by id, too: the refusal of that says it for both.
fn decide_name(image: &Image, name: &str, by_id: &HashSet<Uuid>) -> Option<Outcome> {
    match image.topics.get(name) {
        None => Some(Outcome {
            name: Some(name.to_owned()),
            id: Uuid::nil(),
            result: Err(Refusal::new(UnknownTopicOrPartition, "There is no such topic.")),
        }),
        Some(topic) if by_id.contains(&topic.id) => None,
        Some(topic) => {
            Some(Outcome { name: Some(name.to_owned()), id: topic.id, result: Ok(Arc::clone(topic)) })
        }
    }
}

/// What came once, in order; what came more often is shown to `duplicate`, once each.
fn split_duplicates<T: Copy + Eq + Hash>(all: Vec<T>, mut duplicate: impl FnMut(T)) -> Vec<T> {
    let mut counts: HashMap<T, usize> = HashMap::new();
    for item in &all {
        *counts.entry(*item).or_default() += 1;
    }
    let mut once = Vec::new();
    for item in all {
        match counts.remove(&item) {
            Some(1) => once.push(item),
            Some(_) => duplicate(item),
            None => {}
        }
    }
    once
}

fn invalid(name: Option<&str>, id: Uuid, message: &str) -> Outcome {
    Outcome { name: name.map(str::to_owned), id, result: Err(Refusal::new(InvalidRequest, message)) }
}
