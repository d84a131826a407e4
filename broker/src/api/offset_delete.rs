//! OffsetDelete (key 47), version 0. Forgets how far a group has come.
//!
//! - Unknown topics and partitions get code 3; offsets of topics that consumers subscribe get code 86.
//! - A group with members of another kind than consumers refuses as a whole, code 68.

use std::{collections::HashMap, sync::Arc};

use kafka_protocol::messages::{
    OffsetDeleteRequest, OffsetDeleteResponse, TopicName,
    offset_delete_response::{OffsetDeleteResponsePartition, OffsetDeleteResponseTopic},
};
use protocol_glue::ErrorCode;

use super::text::text;
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
    let mut answer = Answer::default();
    for (name, partitions) in unknown {
        let refusals = partitions.iter().map(|&index| partition(index, ErrorCode::UnknownTopicOrPartition));
        answer.extend(&name, refusals);
    }
    if !known.is_empty() {
        match groups.delete_offsets(&request.group_id, &known).await {
            Err(error) => {
                return OffsetDeleteResponse::default().with_error_code(ErrorCode::from(error).code());
            }
            Ok(outcomes) => {
                for (name, partitions) in outcomes {
                    let code = |outcome: Result<_, _>| outcome.err().map_or(ErrorCode::None, ErrorCode::from);
                    let answers = partitions.into_iter().map(|(at, outcome)| partition(at, code(outcome)));
                    answer.extend(&name, answers);
                }
            }
        }
    }
    OffsetDeleteResponse::default().with_topics(answer.topics)
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

/// The topics of the answer, each once.
#[derive(Default)]
struct Answer {
    topics: Vec<OffsetDeleteResponseTopic>,
    /// A search would take for ever when a request names a million topics.
    places: HashMap<Arc<str>, usize>,
}

impl Answer {
    fn extend(&mut self, name: &Arc<str>, partitions: impl Iterator<Item = OffsetDeleteResponsePartition>) {
        let place = *self.places.entry(name.clone()).or_insert_with(|| {
            self.topics.push(OffsetDeleteResponseTopic::default().with_name(TopicName(text(name))));
            self.topics.len() - 1
        });
        self.topics[place].partitions.extend(partitions);
    }
}

fn partition(index: i32, error: ErrorCode) -> OffsetDeleteResponsePartition {
    OffsetDeleteResponsePartition::default().with_partition_index(index).with_error_code(error.code())
}
