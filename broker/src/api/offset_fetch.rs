//! OffsetFetch (key 9), versions 1–9. Tells how far a group has come.
//!
//! - No commit is offset -1, leader epoch -1, metadata "" and no error, also if the group or topic does not exist.
//! - v2 null topics for everything committed, and an error for the whole answer; v3 throttle time; v5 leader epoch;
//!   v6 flexible; v7 require_stable (nothing is ever pending here); v8 several groups, each with its own error
//!   (KIP-709); v9 member id and epoch, which only matter to KIP-848 groups.
//! - Not done: v10 (topic ids).

use std::sync::Arc;

use kafka_protocol::messages::{
    OffsetFetchRequest, OffsetFetchResponse, TopicName,
    offset_fetch_request::OffsetFetchRequestGroup,
    offset_fetch_response::{
        OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
        OffsetFetchResponseTopic, OffsetFetchResponseTopics,
    },
};
use protocol_glue::ErrorCode;

use super::text::text;
use crate::coordinator::{
    GroupCoordinator,
    group::{CommittedOffset, FetchedOffsets, GroupError},
};

const NO_OFFSET: i64 = -1;
const NO_EPOCH: i32 = -1;

/// Topics and partitions that are asked for; `None`: all.
type Asked = Option<Vec<(Arc<str>, Vec<i32>)>>;

/// Most offsets in one answer for several groups: a few bytes ask for everything that a group has committed, and can
/// do so a million times. Groups past it get code 42.
const MAX_OFFSETS: usize = 1_000_000;

/// Handles a request.
pub async fn handle(
    version: i16,
    request: OffsetFetchRequest,
    groups: &GroupCoordinator,
) -> OffsetFetchResponse {
    if version >= 8 {
        let mut room = MAX_OFFSETS;
        let answers = request.groups.iter().map(|group| {
            if room == 0 {
                let refused = OffsetFetchResponseGroup::default().with_group_id(group.group_id.clone());
                return refused.with_error_code(ErrorCode::InvalidRequest.code());
            }
            let answer = several(group, groups);
            room = room.saturating_sub(answer.topics.iter().map(|topic| topic.partitions.len()).sum());
            answer
        });
        return OffsetFetchResponse::default().with_groups(answers.collect());
    }
    let asked: Asked = request.topics.as_ref().map(|topics| {
        topics.iter().map(|topic| (topic.name.as_str().into(), topic.partition_indexes.clone())).collect()
    });
    single(version, &request.group_id, asked, groups)
}

fn single(version: i16, group_id: &str, asked: Asked, groups: &GroupCoordinator) -> OffsetFetchResponse {
    match groups.fetch(group_id, asked.as_deref()) {
        Ok(found) => OffsetFetchResponse::default().with_topics(topics_of(found, ErrorCode::None)),
        // The first version has no error but those of the partitions.
        Err(error) if version < 2 => {
            let nothing = nothing_of(asked.unwrap_or_default());
            OffsetFetchResponse::default().with_topics(topics_of(nothing, error.into()))
        }
        Err(error) => OffsetFetchResponse::default().with_error_code(code(error)),
    }
}

fn several(group: &OffsetFetchRequestGroup, groups: &GroupCoordinator) -> OffsetFetchResponseGroup {
    let asked: Asked = group.topics.as_ref().map(|topics| {
        topics.iter().map(|topic| (topic.name.as_str().into(), topic.partition_indexes.clone())).collect()
    });
    let answer = OffsetFetchResponseGroup::default().with_group_id(group.group_id.clone());
    let found = match groups.fetch(&group.group_id, asked.as_deref()) {
        Ok(found) => found,
        Err(error) => return answer.with_error_code(code(error)),
    };
    let topics = found.into_iter().map(|(name, partitions)| {
        OffsetFetchResponseTopics::default().with_name(TopicName(text(&name))).with_partitions(
            partitions.iter().map(|(at, offset)| partition_of_group(*at, offset.as_ref())).collect(),
        )
    });
    answer.with_topics(topics.collect())
}

fn topics_of(found: FetchedOffsets, error: ErrorCode) -> Vec<OffsetFetchResponseTopic> {
    let topics = found.into_iter().map(|(name, partitions)| {
        let partitions = partitions.iter().map(|(at, offset)| partition(*at, offset.as_ref(), error));
        OffsetFetchResponseTopic::default()
            .with_name(TopicName(text(&name)))
            .with_partitions(partitions.collect())
    });
    topics.collect()
}

fn nothing_of(asked: Vec<(Arc<str>, Vec<i32>)>) -> FetchedOffsets {
    let topics = asked.into_iter();
    topics.map(|(topic, partitions)| (topic, partitions.into_iter().map(|at| (at, None)).collect())).collect()
}

fn partition(index: i32, found: Option<&CommittedOffset>, error: ErrorCode) -> OffsetFetchResponsePartition {
    OffsetFetchResponsePartition::default()
        .with_partition_index(index)
        .with_committed_offset(found.map_or(NO_OFFSET, |found| found.offset))
        .with_committed_leader_epoch(found.map_or(NO_EPOCH, |found| found.leader_epoch))
        // Never null: sarama cannot read it.
        .with_metadata(Some(text(found.map_or("", |found| &found.metadata))))
        .with_error_code(error.code())
}

fn partition_of_group(index: i32, found: Option<&CommittedOffset>) -> OffsetFetchResponsePartitions {
    OffsetFetchResponsePartitions::default()
        .with_partition_index(index)
        .with_committed_offset(found.map_or(NO_OFFSET, |found| found.offset))
        .with_committed_leader_epoch(found.map_or(NO_EPOCH, |found| found.leader_epoch))
        .with_metadata(Some(text(found.map_or("", |found| &found.metadata))))
}

fn code(error: GroupError) -> i16 {
    ErrorCode::from(error).code()
}
