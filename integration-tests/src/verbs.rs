//! The requests that most tests need, in one line each.
//!
//! Each sends one request at one fixed version and returns the part of the answer that is about what was asked.
//! A test about versions or about a request's own fields builds the request itself.

use crate::{
    Connection,
    batch::Batch,
    group_id,
    stored::{self, StoredBatch},
    text, topic_name,
};
use bytes::Bytes;
use kafka_protocol::{
    messages::{
        create_topics_request::{CreatableTopic, CreatableTopicConfig},
        create_topics_response::CreatableTopicResult,
        delete_records_request::{DeleteRecordsPartition, DeleteRecordsTopic},
        delete_records_response::DeleteRecordsPartitionResult,
        fetch_request::{FetchPartition, FetchTopic},
        fetch_response::PartitionData,
        init_producer_id_response::InitProducerIdResponse,
        list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
        list_offsets_response::ListOffsetsPartitionResponse,
        metadata_request::MetadataRequestTopic,
        metadata_response::MetadataResponseTopic,
        offset_commit_request::{OffsetCommitRequestPartition, OffsetCommitRequestTopic},
        offset_fetch_request::{OffsetFetchRequestGroup, OffsetFetchRequestTopics},
        produce_request::{PartitionProduceData, TopicProduceData},
        produce_response::PartitionProduceResponse,
        *,
    },
    protocol::StrBytes,
};
use uuid::Uuid;

/// ListOffsets: the next offset to be written.
pub const LATEST: i64 = -1;
/// ListOffsets: the log start offset.
pub const EARLIEST: i64 = -2;
/// ListOffsets: the record with the largest timestamp.
pub const MAX_TIMESTAMP: i64 = -3;

impl Connection {
    /// CreateTopics v7 for one topic; any error is a panic.
    pub fn create_topic(&mut self, name: &str, partitions: i32, configs: &[(&str, &str)]) -> Uuid {
        let result = self.try_create_topic(name, partitions, configs);
        assert_eq!(result.error_code, 0, "create {name}: {:?}", result.error_message);
        result.topic_id
    }

    /// CreateTopics v7 for one topic.
    pub fn try_create_topic(
        &mut self,
        name: &str,
        partitions: i32,
        configs: &[(&str, &str)],
    ) -> CreatableTopicResult {
        let configs = configs
            .iter()
            .map(|(name, value)| {
                CreatableTopicConfig::default().with_name(text(name)).with_value(Some(text(value)))
            })
            .collect();
        let topic = CreatableTopic::default()
            .with_name(topic_name(name))
            .with_num_partitions(partitions)
            .with_replication_factor(1)
            .with_configs(configs);
        let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(10_000);
        self.ask(7, &request).topics.remove(0)
    }

    /// DeleteTopics v6 by name; the error code.
    pub fn delete_topic(&mut self, name: &str) -> i16 {
        let topic = delete_topics_request::DeleteTopicState::default().with_name(Some(topic_name(name)));
        let request = DeleteTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(10_000);
        self.ask(6, &request).responses[0].error_code
    }

    /// Metadata v12 for one topic by name, without creating it.
    pub fn topic(&mut self, name: &str) -> MetadataResponseTopic {
        let topic = MetadataRequestTopic::default().with_name(Some(topic_name(name)));
        let request =
            MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
        self.ask(12, &request).topics.remove(0)
    }

    /// Metadata v12 for every topic.
    pub fn all_topics(&mut self) -> MetadataResponse {
        self.ask(12, &MetadataRequest::default().with_topics(None).with_allow_auto_topic_creation(false))
    }

    /// Produce v9, acks=all; any error is a panic. The base offset is returned.
    pub fn produce(&mut self, topic: &str, partition: i32, batch: &Batch) -> i64 {
        let answer = self.try_produce(topic, partition, batch.encode());
        assert_eq!(answer.error_code, 0, "produce to {topic}-{partition}: {:?}", answer.error_message);
        answer.base_offset
    }

    /// Produce v9, acks=all, of these bytes as the partition's records.
    pub fn try_produce(&mut self, topic: &str, partition: i32, records: Bytes) -> PartitionProduceResponse {
        let request = produce_request(topic, partition, records, -1);
        self.ask(9, &request).responses.remove(0).partition_responses.remove(0)
    }

    /// Fetch v12 of one partition from an offset, without waiting; any error is a panic.
    pub fn fetch(&mut self, topic: &str, partition: i32, offset: i64) -> Vec<StoredBatch> {
        let data = self.try_fetch(topic, partition, offset);
        assert_eq!(data.error_code, 0, "fetch {topic}-{partition} from {offset}");
        stored::batches(data.records.expect("'no records' is zero bytes, not null"))
    }

    /// Fetch v12 of one partition from an offset, without waiting.
    pub fn try_fetch(&mut self, topic: &str, partition: i32, offset: i64) -> PartitionData {
        let request = fetch_request(topic, &[(partition, offset)]);
        self.ask(12, &request).responses.remove(0).partitions.remove(0)
    }

    /// ListOffsets v7 for one partition and timestamp; any error is a panic. (offset, timestamp).
    pub fn list_offset(&mut self, topic: &str, partition: i32, timestamp: i64) -> (i64, i64) {
        let answer = self.try_list_offset(topic, partition, timestamp);
        assert_eq!(answer.error_code, 0, "list offsets of {topic}-{partition} at {timestamp}");
        (answer.offset, answer.timestamp)
    }

    /// ListOffsets v7 for one partition and timestamp.
    pub fn try_list_offset(
        &mut self,
        topic: &str,
        partition: i32,
        timestamp: i64,
    ) -> ListOffsetsPartitionResponse {
        let wanted = ListOffsetsPartition::default()
            .with_partition_index(partition)
            .with_current_leader_epoch(-1)
            .with_timestamp(timestamp);
        let topic = ListOffsetsTopic::default().with_name(topic_name(topic)).with_partitions(vec![wanted]);
        let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(vec![topic]);
        self.ask(7, &request).topics.remove(0).partitions.remove(0)
    }

    /// (log start offset, log end offset).
    pub fn offsets(&mut self, topic: &str, partition: i32) -> (i64, i64) {
        (self.list_offset(topic, partition, EARLIEST).0, self.list_offset(topic, partition, LATEST).0)
    }

    /// DeleteRecords v2 for one partition.
    pub fn delete_records(
        &mut self,
        topic: &str,
        partition: i32,
        offset: i64,
    ) -> DeleteRecordsPartitionResult {
        let wanted = DeleteRecordsPartition::default().with_partition_index(partition).with_offset(offset);
        let topic = DeleteRecordsTopic::default().with_name(topic_name(topic)).with_partitions(vec![wanted]);
        let request = DeleteRecordsRequest::default().with_topics(vec![topic]).with_timeout_ms(10_000);
        self.ask(2, &request).topics.remove(0).partitions.remove(0)
    }

    /// InitProducerId v4 of an idempotent producer.
    pub fn init_producer(&mut self) -> InitProducerIdResponse {
        let request = InitProducerIdRequest::default()
            .with_transactional_id(None)
            .with_transaction_timeout_ms(60_000)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1);
        let answer = self.ask(4, &request);
        assert_eq!(answer.error_code, 0, "InitProducerId");
        answer
    }

    /// OffsetCommit v8 without membership (generation -1); the error codes by partition.
    pub fn commit(&mut self, group: &str, topic: &str, offsets: &[(i32, i64)]) -> Vec<i16> {
        let answer = self.ask(8, &commit_request(group, topic, offsets));
        let mut answered = answer.topics[0].partitions.clone();
        answered.sort_by_key(|partition| partition.partition_index);
        answered.iter().map(|partition| partition.error_code).collect()
    }

    /// OffsetFetch v8 of everything a group committed: (topic, partition, offset), sorted.
    pub fn committed(&mut self, group: &str) -> Vec<(String, i32, i64)> {
        let group = OffsetFetchRequestGroup::default().with_group_id(group_id(group)).with_topics(None);
        let answer = self.ask(8, &OffsetFetchRequest::default().with_groups(vec![group])).groups.remove(0);
        assert_eq!(answer.error_code, 0, "OffsetFetch");
        let mut found = Vec::new();
        for topic in &answer.topics {
            for partition in &topic.partitions {
                assert_eq!(partition.error_code, 0, "OffsetFetch of {:?}", topic.name);
                found.push((topic.name.to_string(), partition.partition_index, partition.committed_offset));
            }
        }
        found.sort();
        found
    }

    /// OffsetFetch v8 of one partition.
    pub fn committed_offset(&mut self, group: &str, topic: &str, partition: i32) -> i64 {
        let topic = OffsetFetchRequestTopics::default()
            .with_name(topic_name(topic))
            .with_partition_indexes(vec![partition]);
        let group =
            OffsetFetchRequestGroup::default().with_group_id(group_id(group)).with_topics(Some(vec![topic]));
        let answer = self.ask(8, &OffsetFetchRequest::default().with_groups(vec![group])).groups.remove(0);
        assert_eq!(answer.error_code, 0, "OffsetFetch");
        answer.topics[0].partitions[0].committed_offset
    }

    /// The state of a group as DescribeGroups v5 calls it.
    pub fn group_state(&mut self, group: &str) -> String {
        let request = DescribeGroupsRequest::default().with_groups(vec![group_id(group)]);
        self.ask(5, &request).groups.remove(0).group_state.to_string()
    }
}

/// A Produce request of one partition.
pub fn produce_request(topic: &str, partition: i32, records: Bytes, acks: i16) -> ProduceRequest {
    let data = PartitionProduceData::default().with_index(partition).with_records(Some(records));
    let topic = TopicProduceData::default().with_name(topic_name(topic)).with_partition_data(vec![data]);
    ProduceRequest::default().with_acks(acks).with_timeout_ms(10_000).with_topic_data(vec![topic])
}

/// A Fetch request (v7 to v12) of some partitions of a topic, without session and without waiting.
pub fn fetch_request(topic: &str, partitions: &[(i32, i64)]) -> FetchRequest {
    let partitions = partitions
        .iter()
        .map(|(partition, offset)| {
            FetchPartition::default()
                .with_partition(*partition)
                .with_fetch_offset(*offset)
                .with_partition_max_bytes(1 << 20)
        })
        .collect();
    let topic = FetchTopic::default().with_topic(topic_name(topic)).with_partitions(partitions);
    FetchRequest::default()
        .with_max_wait_ms(0)
        .with_min_bytes(1)
        .with_max_bytes(50 << 20)
        .with_session_epoch(-1)
        .with_topics(vec![topic])
}

/// An OffsetCommit request without membership.
pub fn commit_request(group: &str, topic: &str, offsets: &[(i32, i64)]) -> OffsetCommitRequest {
    let partitions = offsets
        .iter()
        .map(|(partition, offset)| {
            OffsetCommitRequestPartition::default()
                .with_partition_index(*partition)
                .with_committed_offset(*offset)
                .with_committed_metadata(Some(StrBytes::default()))
        })
        .collect();
    let topic = OffsetCommitRequestTopic::default().with_name(topic_name(topic)).with_partitions(partitions);
    OffsetCommitRequest::default()
        .with_group_id(group_id(group))
        .with_generation_id_or_member_epoch(-1)
        .with_topics(vec![topic])
}
