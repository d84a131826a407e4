//! kafka-ui's calls, request by request, as its client (Kafka's Java client 3.9) puts them on the wire.

use integration_tests::{
    Connection, Daybook,
    batch::Batch,
    group_id,
    stored::{self, StoredRecord},
    text, topic_name,
};
use kafka_protocol::messages::{
    create_topics_request::{CreatableTopic, CreatableTopicConfig},
    describe_configs_request::DescribeConfigsResource,
    describe_configs_response::DescribeConfigsResult,
    fetch_request::{FetchPartition, FetchTopic},
    list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
    metadata_request::MetadataRequestTopic,
    metadata_response::MetadataResponseTopic,
    offset_fetch_request::OffsetFetchRequestGroup,
    produce_request::{PartitionProduceData, TopicProduceData},
    *,
};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    time::{Duration, Instant},
};

pub const LATEST: i64 = -1;
pub const EARLIEST: i64 = -2;
const TOPIC_RESOURCE: i8 = 2;
const BROKER_RESOURCE: i8 = 4;
/// kafka-ui polls a consumer with this patience; what has not come by then is missing on the page.
const READ_WITHIN: Duration = Duration::from_secs(15);

/// kafka-ui as one student sees it: an admin connection that stays, and new ones for reading and writing.
pub struct KafkaUi {
    address: SocketAddr,
    pub admin: Connection,
}

/// A message as the page shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    pub partition: i32,
    pub offset: i64,
    pub key: String,
    pub value: String,
}

impl KafkaUi {
    pub fn open(daybook: &Daybook) -> KafkaUi {
        let address = daybook.address();
        let mut admin = connect(address, "adminclient-1");
        admin.ask(12, &brokers_only());
        KafkaUi { address, admin }
    }

    /// `POST …/topics`: 400 when the broker refuses, then the topic's page.
    pub fn create_topic(&mut self, name: &str, partitions: i32, configs: &[(&str, &str)]) -> Vec<(i64, i64)> {
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
        let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(30_000);
        let created = self.admin.ask(7, &request).topics.remove(0);
        assert_eq!((created.name.as_str(), created.error_code), (name, 0), "{:?}", created.error_message);
        self.topic_page(name)
    }

    /// `GET …/topics/NAME`: (offsetMin, offsetMax) of each partition.
    pub fn topic_page(&mut self, name: &str) -> Vec<(i64, i64)> {
        let topic = self.describe_topic(name);
        let configs = self.describe_topic_configs(name, false);
        for required in ["cleanup.policy", "retention.ms"] {
            let config = configs.configs.iter().find(|config| config.name.as_str() == required);
            assert!(config.is_some_and(|config| config.value.is_some()), "{required} is needed by the page");
        }
        let partitions: Vec<i32> = sorted_indexes(&topic);
        let earliest = self.list_offsets(name, &partitions, EARLIEST);
        let latest = self.list_offsets(name, &partitions, LATEST);
        partitions.iter().map(|index| (earliest[index].0, latest[index].0)).collect()
    }

    /// DescribeCluster, then Metadata by name without creating: what `describeTopics` is without key 75.
    pub fn describe_topic(&mut self, name: &str) -> MetadataResponseTopic {
        self.admin.ask(1, &describe_cluster());
        let topic = metadata_of(&mut self.admin, name, false);
        assert_eq!(topic.error_code, 0, "{name}");
        assert!(topic.partitions.iter().all(|p| p.leader_id == 1), "a leaderless partition is dropped");
        topic
    }

    pub fn describe_topic_configs(&mut self, name: &str, documentation: bool) -> DescribeConfigsResult {
        self.describe_configs(TOPIC_RESOURCE, name, true, documentation)
    }

    pub fn describe_broker_configs(&mut self) -> DescribeConfigsResult {
        self.describe_configs(BROKER_RESOURCE, "1", false, false)
    }

    fn describe_configs(
        &mut self,
        kind: i8,
        name: &str,
        synonyms: bool,
        docs: bool,
    ) -> DescribeConfigsResult {
        let resource = DescribeConfigsResource::default()
            .with_resource_type(kind)
            .with_resource_name(text(name))
            .with_configuration_keys(None);
        let request = DescribeConfigsRequest::default()
            .with_resources(vec![resource])
            .with_include_synonyms(synonyms)
            .with_include_documentation(docs);
        self.admin.ask(4, &request).results.remove(0)
    }

    /// Metadata for the leaders, then ListOffsets: partition to (offset, timestamp).
    pub fn list_offsets(&mut self, name: &str, partitions: &[i32], at: i64) -> BTreeMap<i32, (i64, i64)> {
        metadata_of(&mut self.admin, name, false);
        list_offsets(&mut self.admin, name, partitions, at)
    }

    /// `POST …/messages`: a producer of its own for each message, idempotent as producers are by default.
    pub fn produce(&mut self, topic: &str, partition: i32, key: &str, value: &str) {
        self.describe_topic(topic);
        let mut bootstrap = connect(self.address, "kafka-ui-producer");
        assert_eq!(metadata_of(&mut bootstrap, topic, true).error_code, 0);
        let init = InitProducerIdRequest::default()
            .with_transactional_id(None)
            .with_transaction_timeout_ms(i32::MAX)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1);
        let producer = bootstrap.ask(5, &init);
        assert_eq!(producer.error_code, 0, "an idempotent producer cannot start");

        let mut leader = connect(self.address, "kafka-ui-producer");
        let batch =
            Batch::keyed(&[(key, value)]).from_producer(producer.producer_id.0, producer.producer_epoch, 0);
        let data = PartitionProduceData::default().with_index(partition).with_records(Some(batch.encode()));
        let topic = TopicProduceData::default().with_name(topic_name(topic)).with_partition_data(vec![data]);
        let request =
            ProduceRequest::default().with_acks(-1).with_timeout_ms(30_000).with_topic_data(vec![topic]);
        let answer = leader.ask(11, &request).responses.remove(0).partition_responses.remove(0);
        assert_eq!(answer.error_code, 0, "{:?}", answer.error_message);
        assert!(answer.base_offset >= 0);
    }

    /// `GET …/messages/v2?mode=EARLIEST`: a consumer of its own without group, from the beginning to the end.
    pub fn read_from_the_beginning(&mut self, name: &str) -> Vec<Shown> {
        self.describe_topic(name);
        let mut consumer = connect(self.address, "kafka-ui-consumer");
        let topic = metadata_of(&mut consumer, name, false);
        let all = sorted_indexes(&topic);
        // offsetsForTimes(0); any partition without an answer sends kafka-ui to the beginning offsets.
        let at_zero = list_offsets(&mut consumer, name, &all, 0);
        for (offset, timestamp) in at_zero.values() {
            assert!(*offset == -1 || *timestamp >= 0, "the Java client throws on a negative timestamp");
        }
        let begin = if at_zero.values().any(|(offset, _)| *offset < 0) {
            list_offsets(&mut consumer, name, &all, EARLIEST)
        } else {
            at_zero
        };
        let end = list_offsets(&mut consumer, name, &all, LATEST);
        let filled: Vec<i32> = all.into_iter().filter(|index| begin[index].0 < end[index].0).collect();
        if filled.is_empty() {
            return Vec::new();
        }
        let begin = list_offsets(&mut consumer, name, &filled, EARLIEST);
        let positions = filled.iter().map(|index| (*index, begin[index].0)).collect();
        Reader { consumer: connect(self.address, "kafka-ui-consumer"), topic, positions }.read_to(&end)
    }

    /// `POST …/consumer-groups/GROUP/offsets`, and what any consumer without membership commits.
    pub fn commit(&mut self, group: &str, topic: &str, offsets: &[(i32, i64)]) {
        self.find_coordinator(&[group]);
        let request = integration_tests::verbs::commit_request(group, topic, offsets);
        let answer = self.admin.ask(9, &request);
        assert!(answer.topics[0].partitions.iter().all(|partition| partition.error_code == 0), "{answer:?}");
    }

    /// `GET …/consumer-groups/GROUP`: committed offset and lag of each partition with a commit.
    pub fn group_page(&mut self, group: &str) -> Vec<(i32, i64, i64)> {
        let described = self.describe_groups(&[group]).remove(0);
        assert_eq!((described.error_code, described.group_state.as_str()), (0, "Empty"));
        let mut rows = Vec::new();
        for (topic, partition, committed) in self.committed(group) {
            let end = self.list_offsets(&topic, &[partition], LATEST)[&partition].0;
            rows.push((partition, committed, end - committed));
        }
        rows
    }

    /// FindCoordinator, then OffsetFetch of all topics.
    pub fn committed(&mut self, group: &str) -> Vec<(String, i32, i64)> {
        self.find_coordinator(&[group]);
        let asked = OffsetFetchRequestGroup::default()
            .with_group_id(group_id(group))
            .with_member_epoch(-1)
            .with_topics(None);
        let answer = self.admin.ask(9, &OffsetFetchRequest::default().with_groups(vec![asked]));
        assert_eq!(answer.groups[0].error_code, 0, "OFFLINE");
        let mut found: Vec<_> = answer.groups[0]
            .topics
            .iter()
            .flat_map(|topic| {
                topic.partitions.iter().map(|partition| {
                    assert_eq!(partition.error_code, 0);
                    (topic.name.to_string(), partition.partition_index, partition.committed_offset)
                })
            })
            .collect();
        found.sort();
        found
    }

    /// FindCoordinator, then (without key 69) DescribeGroups, one group a request.
    pub fn describe_groups(&mut self, groups: &[&str]) -> Vec<describe_groups_response::DescribedGroup> {
        self.find_coordinator(groups);
        groups
            .iter()
            .map(|group| {
                let request = DescribeGroupsRequest::default().with_groups(vec![group_id(group)]);
                self.admin.ask(5, &request).groups.remove(0)
            })
            .collect()
    }

    fn find_coordinator(&mut self, groups: &[&str]) {
        let keys = groups.iter().map(|group| text(group)).collect();
        let answer = self.admin.ask(6, &FindCoordinatorRequest::default().with_coordinator_keys(keys));
        assert!(answer.coordinators.iter().all(|found| found.error_code == 0 && found.node_id == 1));
    }
}

/// The read loop of a page: fetches until each position has reached the end that was asked for first.
struct Reader {
    consumer: Connection,
    topic: MetadataResponseTopic,
    positions: BTreeMap<i32, i64>,
}

impl Reader {
    fn read_to(mut self, end: &BTreeMap<i32, (i64, i64)>) -> Vec<Shown> {
        let deadline = Instant::now() + READ_WITHIN;
        let (mut session_id, mut session_epoch) = (0, 0);
        let mut shown = Vec::new();
        while self.positions.iter().any(|(index, position)| *position < end[index].0) {
            assert!(Instant::now() < deadline, "the page polls for ever: {:?} of {end:?}", self.positions);
            let answer = self.consumer.ask(17, &self.fetch(session_id, session_epoch));
            assert_eq!(answer.error_code, 0);
            session_id = answer.session_id;
            session_epoch = if session_id == 0 { 0 } else { session_epoch + 1 };
            for partition in answer.responses.iter().flat_map(|topic| &topic.partitions) {
                assert_eq!(partition.error_code, 0);
                let records = partition.records.clone().expect("not null");
                self.take(partition.partition_index, &stored::batches(records), &mut shown);
            }
        }
        self.close(session_id);
        shown
    }

    fn fetch(&self, session_id: i32, session_epoch: i32) -> FetchRequest {
        let partitions = self
            .positions
            .iter()
            .map(|(index, position)| {
                let known =
                    self.topic.partitions.iter().find(|p| p.partition_index == *index).expect("listed");
                FetchPartition::default()
                    .with_partition(*index)
                    .with_current_leader_epoch(known.leader_epoch)
                    .with_fetch_offset(*position)
                    .with_partition_max_bytes(1 << 20)
            })
            .collect();
        let topic = FetchTopic::default().with_topic_id(self.topic.topic_id).with_partitions(partitions);
        FetchRequest::default()
            .with_max_wait_ms(500)
            .with_min_bytes(1)
            .with_max_bytes(50 << 20)
            .with_session_id(session_id)
            .with_session_epoch(session_epoch)
            .with_topics(vec![topic])
    }

    fn take(&mut self, partition: i32, batches: &[stored::StoredBatch], shown: &mut Vec<Shown>) {
        let position = self.positions.get_mut(&partition).expect("asked for");
        for batch in batches {
            let new = batch.records.iter().filter(|record| record.offset >= *position);
            shown.extend(new.map(|record| show(partition, record)));
            *position = (*position).max(batch.last_offset() + 1);
        }
    }

    /// The Java consumer's farewell: no topics, epoch -1. It waits for the answer.
    fn close(&mut self, session_id: i32) {
        let asked_at = Instant::now();
        let request = self.fetch(session_id, -1).with_topics(Vec::new());
        assert_eq!(self.consumer.ask(17, &request).error_code, 0);
        assert!(asked_at.elapsed() < Duration::from_millis(400), "answered at once, not after max_wait_ms");
    }
}

fn show(partition: i32, record: &StoredRecord) -> Shown {
    let key = record.record.key.clone().unwrap_or_default();
    Shown {
        partition,
        offset: record.offset,
        key: String::from_utf8(key).expect("text"),
        value: record.value().to_owned(),
    }
}

/// A connection as the Java client opens one.
pub fn connect(address: SocketAddr, client_id: &str) -> Connection {
    let mut connection = Connection::open(address).with_client_id(Some(client_id));
    let request = ApiVersionsRequest::default()
        .with_client_software_name(text("apache-kafka-java"))
        .with_client_software_version(text("7.9.5-ccs"));
    assert_eq!(connection.ask(4, &request).error_code, 0);
    connection
}

pub fn brokers_only() -> MetadataRequest {
    MetadataRequest::default().with_topics(Some(Vec::new())).with_allow_auto_topic_creation(true)
}

pub fn describe_cluster() -> DescribeClusterRequest {
    DescribeClusterRequest::default().with_include_cluster_authorized_operations(true)
}

fn metadata_of(connection: &mut Connection, topic: &str, auto_create: bool) -> MetadataResponseTopic {
    let topic = MetadataRequestTopic::default().with_name(Some(topic_name(topic)));
    let request =
        MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(auto_create);
    connection.ask(12, &request).topics.remove(0)
}

pub fn list_offsets(
    connection: &mut Connection,
    topic: &str,
    partitions: &[i32],
    at: i64,
) -> BTreeMap<i32, (i64, i64)> {
    let partitions = partitions
        .iter()
        .map(|index| ListOffsetsPartition::default().with_partition_index(*index).with_timestamp(at))
        .collect();
    let topic = ListOffsetsTopic::default().with_name(topic_name(topic)).with_partitions(partitions);
    let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(vec![topic]);
    let answer = connection.ask(9, &request).topics.remove(0);
    answer
        .partitions
        .iter()
        .map(|partition| {
            assert_eq!(partition.error_code, 0);
            (partition.partition_index, (partition.offset, partition.timestamp))
        })
        .collect()
}

fn sorted_indexes(topic: &MetadataResponseTopic) -> Vec<i32> {
    let mut indexes: Vec<i32> = topic.partitions.iter().map(|partition| partition.partition_index).collect();
    indexes.sort_unstable();
    indexes
}
