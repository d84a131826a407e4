//! Metadata (key 3), versions 0–13: brokers, and the partitions of topics.
//!
//! - Topics null: all of them. Empty: none, but in version 0 all. By id from version 12; ids win over names.
//! - Missing topics are created when the request names them and allows it, and the broker does. Differs from Kafka on
//!   purpose: Kafka starts creating, answers 3 and lets the client ask again; here the topic is made before the
//!   answer, which then has its leader.
//! - v1 rack, controller, is_internal · v2 cluster id · v4 allow_auto_topic_creation · v5 offline replicas · v7 leader
//!   epoch · v8 authorized operations (the cluster's until v10) · v10 topic ids · v13 top-level error.
//! - Not here: authorization, rebootstrap (error 129).

use super::this_broker::{ThisBroker, authorized_operations};
use crate::catalog::{Image, Topic, Topics, names};
use kafka_protocol::{
    ResponseError,
    messages::{
        BrokerId, MetadataRequest, MetadataResponse, TopicName,
        metadata_request::MetadataRequestTopic,
        metadata_response::{MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic},
    },
    protocol::StrBytes,
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The first version in which a topic can be asked for by its id.
const FIRST_BY_ID: i16 = 12;

pub async fn handle(
    version: i16,
    request: MetadataRequest,
    broker: &ThisBroker,
    topics: &Topics,
) -> MetadataResponse {
    let answer = match what_is_asked(version, &request) {
        Err(error) => return refuse_all(version, &request, error),
        Ok(Asked::All) => all(&topics.image()),
        Ok(Asked::Ids(ids)) => by_id(&topics.image(), ids),
        Ok(Asked::Names(names)) => {
            let may_create = request.allow_auto_topic_creation && topics.settings().auto_create_enabled;
            by_name(topics, names, may_create).await
        }
    };
    let mut response = MetadataResponse::default()
        .with_brokers(vec![describe_broker(version, broker)])
        .with_controller_id(BrokerId(broker.node_id))
        .with_cluster_id((version >= 2).then(|| text(&broker.cluster_id)))
        .with_topics(answer.into_iter().map(|known| describe(known, broker, &request)).collect());
    if (8..=10).contains(&version) && request.include_cluster_authorized_operations {
        response.cluster_authorized_operations = authorized_operations::CLUSTER;
    }
    response
}

enum Asked {
    All,
    Ids(Vec<Uuid>),
    Names(Vec<String>),
}

/// A topic of the answer.
enum Known {
    Found(std::sync::Arc<Topic>),
    UnknownId(Uuid),
    Missing(String, ResponseError),
}

fn what_is_asked(version: i16, request: &MetadataRequest) -> Result<Asked, ResponseError> {
    let Some(topics) = &request.topics else { return Ok(Asked::All) };
    if version == 0 && topics.is_empty() {
        return Ok(Asked::All);
    }
    let has_id = |topic: &MetadataRequestTopic| !topic.topic_id.is_nil();
    if version < FIRST_BY_ID && topics.iter().any(|topic| topic.name.is_none() || has_id(topic)) {
        return Err(ResponseError::InvalidRequest);
    }
    if topics.iter().any(has_id) {
        return Ok(Asked::Ids(unique(
            topics.iter().filter(|topic| has_id(topic)).map(|topic| topic.topic_id),
        )));
    }
    let names: Option<Vec<_>> =
        topics.iter().map(|topic| topic.name.as_ref().map(|name| name.as_str().to_owned())).collect();
    names.map(|names| Asked::Names(unique(names))).ok_or(ResponseError::UnknownServerError)
}

/// The first of each, in order.
fn unique<T: Ord + Clone>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

fn all(image: &Image) -> Vec<Known> {
    let mut topics: Vec<_> = image.topics.values().cloned().collect();
    topics.sort_by(|one, other| one.name.cmp(&other.name));
    topics.into_iter().map(Known::Found).collect()
}

/// Unknown ids come first, as in Kafka.
fn by_id(image: &Image, ids: Vec<Uuid>) -> Vec<Known> {
    let (known, unknown): (Vec<_>, Vec<_>) = ids
        .into_iter()
        .map(|id| {
            image.topics_by_id.get(&id).map_or(Known::UnknownId(id), |topic| Known::Found(topic.clone()))
        })
        .partition(|known| matches!(known, Known::Found(_)));
    unknown.into_iter().chain(known).collect()
}

/// Topics that were there first, then the others, as in Kafka.
async fn by_name(topics: &Topics, names: Vec<String>, may_create: bool) -> Vec<Known> {
    let image = topics.image();
    let (present, missing): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| image.topics.contains_key(name.as_str()));
    let mut answer: Vec<_> =
        present.iter().map(|name| Known::Found(image.topics[name.as_str()].clone())).collect();
    let (legal, illegal): (Vec<_>, Vec<_>) = missing.into_iter().partition(|name| names::check(name).is_ok());
    if may_create && !legal.is_empty() {
        answer.extend(create(topics, legal).await);
    } else {
        answer.extend(
            legal.into_iter().map(|name| Known::Missing(name, ResponseError::UnknownTopicOrPartition)),
        );
    }
    answer.extend(illegal.into_iter().map(|name| Known::Missing(name, ResponseError::InvalidTopicException)));
    answer
}

async fn create(topics: &Topics, names: Vec<String>) -> Vec<Known> {
    let outcomes = match topics.ensure(names.clone()).await {
        Ok(outcomes) => outcomes,
        Err(error) => {
            let code = error.refusal().error;
            return names.into_iter().map(|name| Known::Missing(name, code)).collect();
        }
    };
    let image = topics.image();
    outcomes
        .into_iter()
        .map(|(name, outcome)| match (outcome, image.topics.get(name.as_str())) {
            (Ok(()), Some(topic)) => Known::Found(topic.clone()),
            // Somebody deleted it already.
            (Ok(()), None) => Known::Missing(name, ResponseError::UnknownTopicOrPartition),
            (Err(refusal), _) => Known::Missing(name, refusal.error),
        })
        .collect()
}

fn describe(known: Known, broker: &ThisBroker, request: &MetadataRequest) -> MetadataResponseTopic {
    let answer = match known {
        Known::UnknownId(id) => {
            return MetadataResponseTopic::default()
                .with_error_code(ResponseError::UnknownTopicId.code())
                .with_name(None)
                .with_topic_id(id);
        }
        Known::Found(topic) => describe_topic(&topic, broker),
        Known::Missing(name, error) => MetadataResponseTopic::default()
            .with_error_code(error.code())
            .with_is_internal(names::is_internal(&name))
            .with_name(Some(topic_name(&name))),
    };
    // Operations belong to names: a topic that is missing, or could never be, has them too. Only version 8 and
    // later can ask.
    match request.include_topic_authorized_operations {
        true => answer.with_topic_authorized_operations(authorized_operations::TOPIC),
        false => answer,
    }
}

fn describe_topic(topic: &Topic, broker: &ThisBroker) -> MetadataResponseTopic {
    let me = || vec![BrokerId(broker.node_id)];
    let partitions = (0..).zip(&topic.partitions).map(|(index, state)| {
        MetadataResponsePartition::default()
            .with_partition_index(index)
            .with_leader_id(BrokerId(broker.node_id))
            .with_leader_epoch(state.leader_epoch)
            .with_replica_nodes(me())
            .with_isr_nodes(me())
    });
    MetadataResponseTopic::default()
        .with_name(Some(topic_name(&topic.name)))
        .with_topic_id(topic.id)
        .with_is_internal(names::is_internal(&topic.name))
        .with_partitions(partitions.collect())
}

fn describe_broker(version: i16, broker: &ThisBroker) -> MetadataResponseBroker {
    MetadataResponseBroker::default()
        .with_node_id(BrokerId(broker.node_id))
        .with_host(text(&broker.host))
        .with_port(broker.port.into())
        .with_rack(broker.rack.as_deref().filter(|_| version >= 1).map(text))
}

/// An answer to a request that is wrong as a whole: it names no broker, and every topic carries the error.
fn refuse_all(version: i16, request: &MetadataRequest, error: ResponseError) -> MetadataResponse {
    let topics = request.topics.iter().flatten().map(|topic| {
        MetadataResponseTopic::default()
            .with_error_code(error.code())
            .with_name(Some(topic.name.clone().unwrap_or_default()))
            .with_topic_id(topic.topic_id)
    });
    let mut response = MetadataResponse::default()
        .with_cluster_id(None)
        .with_controller_id(BrokerId(-1))
        .with_topics(merge_equal(topics.collect()));
    if version >= 13 {
        response.error_code = error.code();
    }
    response
}

/// Entries that are the same are answered once.
fn merge_equal(topics: Vec<MetadataResponseTopic>) -> Vec<MetadataResponseTopic> {
    let mut seen = BTreeMap::new();
    topics
        .into_iter()
        .filter(|topic| {
            let name = topic.name.as_ref().map(|name| name.to_string());
            seen.insert((name, topic.topic_id), ()).is_none()
        })
        .collect()
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

fn topic_name(name: &str) -> TopicName {
    TopicName(text(name))
}

#[cfg(test)]
mod tests;
