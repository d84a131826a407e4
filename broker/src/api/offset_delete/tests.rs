use super::*;
use crate::coordinator::{
    group::GroupSettings,
    tests::{MemoryLog, coordinator},
};
use kafka_protocol::messages::{GroupId, offset_delete_request::*};

fn request(group: &str, topics: &[(&str, &[i32])]) -> OffsetDeleteRequest {
    let partition = |&index: &i32| OffsetDeleteRequestPartition::default().with_partition_index(index);
    let topic = |(name, partitions): &(&str, &[i32])| {
        OffsetDeleteRequestTopic::default()
            .with_name(TopicName(text(name)))
            .with_partitions(partitions.iter().map(partition).collect())
    };
    OffsetDeleteRequest::default()
        .with_group_id(GroupId(text(group)))
        .with_topics(topics.iter().map(topic).collect())
}

/// GADM-04: the group is looked at also when no topic of the request is known.
#[tokio::test]
async fn a_missing_group_answers_for_the_whole_request_whatever_it_names() {
    let groups = coordinator(GroupSettings::default(), MemoryLog::new(1));
    for topics in [&[][..], &[("nope", &[0][..])], &[("nope", &[])]] {
        for (group, code) in [("g", 69), ("", 24)] {
            let answer = handle(0, request(group, topics), &Image::default(), &groups).await;
            assert_eq!((answer.error_code, answer.topics.len()), (code, 0), "{group:?} {topics:?}");
        }
    }
}
