//! OffsetDelete (key 47), version 0. Forgets how far a group has come.
//!
//! - Unknown topics and partitions get code 3; offsets of topics that consumers subscribe get code 86.
//! - A group with members of another kind than consumers refuses as a whole, code 68.

use std::sync::Arc;

use kafka_protocol::messages::{
    OffsetDeleteRequest, OffsetDeleteResponse, TopicName,
    offset_delete_response::{OffsetDeleteResponsePartition, OffsetDeleteResponseTopic},
};
use protocol_glue::ErrorCode;

use super::{merged_topics::MergedTopics, text::text};
use crate::{catalog::Image, coordinator::GroupCoordinator};

type TopicPartitions = Vec<(Arc<str>, Vec<i32>)>;

/// Handles a request, with the topics that `image` knows.
pub async fn handle(
    _version: i16,
    request: OffsetDeleteRequest,
    image: &Image,
    groups: &GroupCoordinator,
) -> OffsetDeleteResponse {
    let (known, unknown) = sort_out(&request, image);
    // The group's own refusal stands for everything, also if no topic is known.
    let outcomes = match groups.delete_offsets(&request.group_id, &known).await {
        Ok(outcomes) => outcomes,
        Err(error) => return OffsetDeleteResponse::default().with_error_code(ErrorCode::from(error).code()),
    };
    let mut answer = MergedTopics::new();
    for (topic, partitions) in unknown {
        let refusals =
            partitions.into_iter().map(|index| partition(index, ErrorCode::UnknownTopicOrPartition));
        answer.merge(&topic, refusals);
    }
    for (topic, partitions) in outcomes {
        let code = |outcome: Result<_, _>| outcome.err().map_or(ErrorCode::None, ErrorCode::from);
        answer.merge(&topic, partitions.into_iter().map(|(at, outcome)| partition(at, code(outcome))));
    }
    let topics = answer.into_topics().map(|(name, partitions)| {
        OffsetDeleteResponseTopic::default().with_name(TopicName(text(&name))).with_partitions(partitions)
    });
    OffsetDeleteResponse::default().with_topics(topics.collect())
}

fn sort_out(request: &OffsetDeleteRequest, image: &Image) -> (TopicPartitions, TopicPartitions) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for asked in &request.topics {
        let count = image.topics.get(asked.name.as_str()).map_or(0, |topic| topic.partitions.len());
        let indexes = asked.partitions.iter().map(|at| at.partition_index);
        let (there, missing): (Vec<_>, Vec<_>) =
            indexes.partition(|&index| usize::try_from(index).is_ok_and(|index| index < count));
        let name: Arc<str> = asked.name.as_str().into();
        if !missing.is_empty() || count == 0 {
            unknown.push((name.clone(), missing));
        }
        if !there.is_empty() {
            known.push((name, there));
        }
    }
    (known, unknown)
}

fn partition(index: i32, error: ErrorCode) -> OffsetDeleteResponsePartition {
    OffsetDeleteResponsePartition::default().with_partition_index(index).with_error_code(error.code())
}

#[cfg(test)]
mod tests;
