//! OffsetCommit (key 8), versions 2–9. Stores how far a group has come.
//!
//! - Unknown topics and partitions get code 3, the others are stored. Any offset is, also negative ones.
//! - The group's refusal stands at every partition; there is no error for the whole answer.
//! - v3 throttle time; v2–4 a retention time, -1 for the broker's; v6 leader epoch; v7 instance id; v8 flexible; v9
//!   code 69 for a generation of a group that does not exist (before: 22).
//! - Not done: v10 (topic ids), KIP-848 groups.

use kafka_protocol::messages::{
    OffsetCommitRequest, OffsetCommitResponse, TopicName,
    offset_commit_request::OffsetCommitRequestPartition,
    offset_commit_response::{OffsetCommitResponsePartition, OffsetCommitResponseTopic},
};
use protocol_glue::ErrorCode;

use super::{merged_topics::MergedTopics, text::text};
use crate::{
    catalog::{Image, Topic},
    coordinator::{
        GroupCoordinator,
        group::{CommitRequest, GroupError, OffsetToCommit, PartitionOutcomes, TopicToCommit},
    },
};

type Answer = MergedTopics<OffsetCommitResponsePartition>;

/// Handles a request, with the topics that `image` knows.
pub async fn handle(
    version: i16,
    request: OffsetCommitRequest,
    image: &Image,
    groups: &GroupCoordinator,
) -> OffsetCommitResponse {
    let (known, mut answer) = sort_out(&request, image);
    if known.is_empty() {
        return response(answer);
    }
    // Refusals come first and take in what follows for the same topic; without any, the answer is as the request.
    let merges = !answer.is_empty();
    let commit = read(version, &request, known);
    let outcomes = groups.commit(&commit).await.unwrap_or_else(|error| refused(&commit, error));
    for (topic, partitions) in outcomes {
        let answers = partitions.into_iter().map(|(at, outcome)| partition(at, code(outcome)));
        if merges { answer.merge(&topic, answers) } else { answer.push(&topic, answers) }
    }
    response(answer)
}

/// What can be committed, and refusals for the rest.
fn sort_out(request: &OffsetCommitRequest, image: &Image) -> (Vec<TopicToCommit>, Answer) {
    let mut known = Vec::new();
    let mut answer = Answer::new();
    for asked in &request.topics {
        let topic = image.topics.get(asked.name.as_str());
        let (there, missing): (Vec<_>, Vec<_>) =
            asked.partitions.iter().partition(|at| topic.is_some_and(|topic| has(topic, at.partition_index)));
        if topic.is_none() || !missing.is_empty() {
            let refusals =
                missing.iter().map(|at| partition(at.partition_index, ErrorCode::UnknownTopicOrPartition));
            answer.merge(&asked.name.as_str().into(), refusals);
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

/// The same refusal for everything.
fn refused(commit: &CommitRequest, error: GroupError) -> PartitionOutcomes {
    let topics = commit.topics.iter().map(|topic| {
        let outcomes = topic.offsets.iter().map(|offset| (offset.partition, Err(error)));
        (topic.topic.clone(), outcomes.collect())
    });
    topics.collect()
}

fn response(answer: Answer) -> OffsetCommitResponse {
    let topics = answer.into_topics().map(|(name, partitions)| {
        OffsetCommitResponseTopic::default().with_name(TopicName(text(&name))).with_partitions(partitions)
    });
    OffsetCommitResponse::default().with_topics(topics.collect())
}

fn code(outcome: Result<(), GroupError>) -> ErrorCode {
    outcome.err().map_or(ErrorCode::None, ErrorCode::from)
}

fn partition(index: i32, error: ErrorCode) -> OffsetCommitResponsePartition {
    OffsetCommitResponsePartition::default().with_partition_index(index).with_error_code(error.code())
}
