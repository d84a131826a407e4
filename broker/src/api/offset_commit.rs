//! OffsetCommit (key 8), versions 2–9. Stores how far a group has come.
//!
//! - Unknown topics and partitions get code 3, the others are stored. Any offset is, also negative ones.
//! - The group's refusal stands at every partition; there is no error for the whole answer.
//! - v3 throttle time; v2–4 a retention time, -1 for the broker's; v6 leader epoch; v7 instance id; v8 flexible; v9
//!   code 69 for a generation of a group that does not exist (before: 22).
//! - Not done: v10 (topic ids), KIP-848 groups.

use std::{collections::HashMap, sync::Arc};

use kafka_protocol::messages::{
    OffsetCommitRequest, OffsetCommitResponse, TopicName,
    offset_commit_request::OffsetCommitRequestPartition,
    offset_commit_response::{OffsetCommitResponsePartition, OffsetCommitResponseTopic},
};
use protocol_glue::ErrorCode;

use super::text::text;
use crate::{
    catalog::{Image, Topic},
    coordinator::{
        GroupCoordinator,
        group::{CommitRequest, OffsetToCommit, TopicToCommit},
    },
};

/// Handles a request, with the topics that `image` knows.
pub async fn handle(
    version: i16,
    request: OffsetCommitRequest,
    image: &Image,
    groups: &GroupCoordinator,
) -> OffsetCommitResponse {
    let (known, mut answer) = sort_out(&request, image);
    if known.is_empty() {
        return answer.into_response();
    }
    let commit = read(version, &request, known);
    let has_refusals = !answer.topics.is_empty();
    match groups.commit(&commit).await {
        Ok(outcomes) => {
            for (topic, partitions) in outcomes {
                let entry = answer.entry(&topic, has_refusals);
                let code = |outcome: Result<_, _>| outcome.err().map_or(ErrorCode::None, ErrorCode::from);
                entry.extend(partitions.into_iter().map(|(at, outcome)| partition(at, code(outcome))));
            }
        }
        Err(error) => {
            for topic in commit.topics {
                let entry = answer.entry(&topic.topic, has_refusals);
                entry.extend(topic.offsets.iter().map(|offset| partition(offset.partition, error.into())));
            }
        }
    }
    answer.into_response()
}

/// What can be committed, and refusals for the rest.
fn sort_out(request: &OffsetCommitRequest, image: &Image) -> (Vec<TopicToCommit>, Answer) {
    let mut known = Vec::new();
    let mut answer = Answer::default();
    for asked in &request.topics {
        let topic = image.topics.get(asked.name.as_str());
        if topic.is_none() {
            answer.entry(&asked.name, true);
        }
        let (there, missing): (Vec<_>, Vec<_>) =
            asked.partitions.iter().partition(|at| topic.is_some_and(|topic| has(topic, at.partition_index)));
        if !missing.is_empty() {
            let refusals =
                missing.iter().map(|at| partition(at.partition_index, ErrorCode::UnknownTopicOrPartition));
            answer.entry(&asked.name, true).extend(refusals);
        }
        if let Some(topic) = topic.filter(|_| !there.is_empty()) {
            known.push(to_commit(topic, &there));
        }
    }
    (known, answer)
}

fn has(topic: &Topic, partition: i32) -> bool {
    usize::try_from(partition).is_ok_and(|index| index < topic.partitions.len())
}

fn to_commit(topic: &Topic, partitions: &[&OffsetCommitRequestPartition]) -> TopicToCommit {
    let offsets = partitions.iter().map(|at| OffsetToCommit {
        partition: at.partition_index,
        offset: at.committed_offset,
        leader_epoch: at.committed_leader_epoch,
        metadata: at.committed_metadata.as_deref().unwrap_or_default().to_owned(),
    });
    TopicToCommit { topic: topic.name.clone(), topic_id: topic.id, offsets: offsets.collect() }
}

fn read(version: i16, request: &OffsetCommitRequest, topics: Vec<TopicToCommit>) -> CommitRequest {
    let retention_ms = Some(request.retention_time_ms).filter(|&ms| (2..=4).contains(&version) && ms != -1);
    CommitRequest {
        group_id: request.group_id.to_string(),
        generation: request.generation_id_or_member_epoch,
        member_id: request.member_id.to_string(),
        instance_id: request.group_instance_id.as_ref().map(ToString::to_string),
        retention_ms,
        knows_group_not_found: version >= 9,
        topics,
    }
}

/// The topics of the answer. Refusals come first and take in what follows for the same topic, as in Kafka.
#[derive(Default)]
struct Answer {
    topics: Vec<(Arc<str>, Vec<OffsetCommitResponsePartition>)>,
    /// The first place of each topic; a search would take for ever when a request names a million.
    places: HashMap<Arc<str>, usize>,
}

impl Answer {
    fn entry(&mut self, topic: &str, merges: bool) -> &mut Vec<OffsetCommitResponsePartition> {
        let found = self.places.get(topic).copied().filter(|_| merges);
        let index = found.unwrap_or_else(|| {
            let name: Arc<str> = topic.into();
            self.places.entry(name.clone()).or_insert(self.topics.len());
            self.topics.push((name, Vec::new()));
            self.topics.len() - 1
        });
        &mut self.topics[index].1
    }

    fn into_response(self) -> OffsetCommitResponse {
        let topics = self.topics.into_iter().map(|(name, partitions)| {
            OffsetCommitResponseTopic::default().with_name(TopicName(text(&name))).with_partitions(partitions)
        });
        OffsetCommitResponse::default().with_topics(topics.collect())
    }
}

fn partition(index: i32, error: ErrorCode) -> OffsetCommitResponsePartition {
    OffsetCommitResponsePartition::default().with_partition_index(index).with_error_code(error.code())
}
