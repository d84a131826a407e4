//! What the tests of partitions and data APIs share: a broker's data path on a temporary folder, and batches as
//! clients make them.

use crate::{
    api::{
        fetch::{self, Leader},
        produce::{self, DecompressionBudget, Outcome},
    },
    catalog::{Image, PartitionState, Topic},
    config::{ConfigMap, TopicConfig},
    durability::Fatal,
    fetch_session::Sessions,
    logs::{Logs, Opening},
    partition::Partition,
};
use bytes::{Bytes, BytesMut};
use kafka_protocol::{
    messages::{
        BrokerId, FetchRequest, FetchResponse, ProduceRequest, ProduceResponse, TopicName, TransactionalId,
        fetch_request::{FetchPartition, FetchTopic},
        fetch_response::PartitionData,
        produce_request::{PartitionProduceData, TopicProduceData},
        produce_response::PartitionProduceResponse,
    },
    protocol::{Encodable, StrBytes},
};
use std::sync::Arc;
use storage::{
    batch::{TargetCodec, TimestampType},
    disk::{Disk, RealDisk},
    log::LogConfig,
};
use tempfile::TempDir;
use uuid::Uuid;

/// The wall clock of all tests.
pub(crate) const NOW: i64 = 1_800_000_000_000;
const MIB: i32 = 1024 * 1024;

/// The data path of a broker, on a folder of its own.
pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) logs: Arc<Logs>,
    pub(crate) image: Image,
    pub(crate) sessions: Sessions,
    pub(crate) budget: DecompressionBudget,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(RealDisk))
    }

    pub(crate) fn on(disk: Arc<dyn Disk>) -> Self {
        Self::on_with(disk, Arc::new(|why| panic!("{why}")))
    }

    pub(crate) fn on_with(disk: Arc<dyn Disk>, fatal: Fatal) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        disk.make_dir(dir.path()).expect("a disk in memory needs it too");
        let opening = Opening { clean: false, now_ms: NOW, fatal };
        let logs = Arc::new(Logs::open(disk, dir.path(), opening).expect("the folder opens"));
        let (image, sessions) = (Image::default(), Sessions::new(1000));
        Self { dir, logs, image, sessions, budget: DecompressionBudget::new(64 * MIB as usize) }
    }

    /// A broker with the topic `t` of so many partitions.
    pub(crate) fn with_topic(partitions: i32) -> Self {
        let mut bench = Self::new();
        bench.topic("t", partitions, |_| {});
        bench
    }

    pub(crate) fn topic(
        &mut self,
        name: &str,
        partitions: i32,
        change: impl FnOnce(&mut TopicConfig),
    ) -> Uuid {
        let mut config = topic_config();
        change(&mut config);
        let (name, id): (Arc<str>, _) = (name.into(), Uuid::new_v4());
        for index in 0..partitions {
            self.logs.create(&name, id, index, 0, &config).expect("the log opens");
        }
        let state = PartitionState { leader_epoch: 0, partition_epoch: 0 };
        let partitions = vec![state; partitions as usize];
        let topic =
            Arc::new(Topic { name: name.clone(), id, partitions, configs: Arc::new(ConfigMap::new()) });
        self.image.topics.insert(name, topic.clone());
        self.image.topics_by_id.insert(id, topic);
        id
    }

    pub(crate) fn partition(&self, topic: &str, index: i32) -> Arc<Partition> {
        self.logs.get(topic, index).expect("the test created it")
    }

    pub(crate) fn id_of(&self, topic: &str) -> Uuid {
        self.image.topics[topic].id
    }

    /// The answer, which can be encoded at its version.
    pub(crate) async fn produce(&self, version: i16, request: ProduceRequest) -> ProduceResponse {
        match self.produce_as("test", version, request).await {
            Outcome::Respond(response) => response,
            other => panic!("there should be an answer: {other:?}"),
        }
    }

    pub(crate) async fn produce_as(&self, client_id: &str, version: i16, request: ProduceRequest) -> Outcome {
        let outcome =
            produce::handle(version, request, client_id, &self.logs, &self.image, &self.budget, NOW).await;
        if let Outcome::Respond(response) = &outcome {
            response.encode(&mut BytesMut::new(), version).expect("no field of another version");
        }
        outcome
    }

    /// Produces one batch with version 9 and acks -1.
    pub(crate) async fn append(&self, topic: &str, index: i32, records: Bytes) -> PartitionProduceResponse {
        let response = self.produce(9, to(topic, &[(index, records)])).await;
        response.responses[0].partition_responses[0].clone()
    }

    /// The answer, which can be encoded at its version.
    pub(crate) async fn fetch(&self, version: i16, request: FetchRequest) -> FetchResponse {
        let leader = Leader { node_id: 1, host: "h".into(), port: 9092, rack: None };
        let (logs, image) = (&self.logs, &self.image);
        let fetched = fetch::handle(version, request, logs, image, &self.sessions, 57_671_680, &leader).await;
        let mut response = fetched.response;
        fetched.stored.read_into(&mut response);
        response.encode(&mut BytesMut::new(), version).expect("no field of another version");
        response
    }

    /// Fetches one partition of `t` with version 12.
    pub(crate) async fn read(&self, index: i32, offset: i64) -> PartitionData {
        let response = self.fetch(12, from("t", &[(index, offset)])).await;
        response.responses[0].partitions[0].clone()
    }
}

pub(crate) fn open_logs(disk: Arc<dyn Disk>, dir: &std::path::Path, clean: bool) -> Arc<Logs> {
    let fatal: Fatal = Arc::new(|why| panic!("{why}"));
    let opening = Opening { clean, now_ms: NOW, fatal };
    Arc::new(Logs::open(disk, dir, opening).expect("the folder opens"))
}

/// Kafka's defaults.
pub(crate) fn topic_config() -> TopicConfig {
    TopicConfig {
        log: LogConfig {
            segment_bytes: 1024 * MIB as u32,
            segment_ms: 604_800_000,
            segment_jitter_ms: 0,
            segment_index_bytes: 10 * MIB as u32,
            index_interval_bytes: 4096,
            retention_ms: 604_800_000,
            retention_bytes: -1,
            delete: true,
            compact: false,
            file_delete_delay_ms: 60_000,
            flush_messages: i64::MAX,
            flush_ms: i64::MAX,
            preallocate: false,
            max_batch_bytes: 1_048_588,
            timestamp_type: TimestampType::CreateTime,
            timestamp_before_max_ms: i64::MAX,
            timestamp_after_max_ms: 3_600_000,
            max_decompressed_bytes: i32::MAX,
            target: TargetCodec::Producer,
            producer_id_expiration_ms: 86_400_000,
            max_compaction_lag_ms: i64::MAX,
        },
        min_insync_replicas: 1,
    }
}

pub(crate) fn name(topic: &str) -> TopicName {
    TopicName(StrBytes::from_string(topic.to_owned()))
}

/// A produce request with acks -1 for partitions of one topic.
pub(crate) fn to(topic: &str, partitions: &[(i32, Bytes)]) -> ProduceRequest {
    let partition = |(index, records): &(i32, Bytes)| {
        PartitionProduceData::default().with_index(*index).with_records(Some(records.clone()))
    };
    let topic = TopicProduceData::default()
        .with_name(name(topic))
        .with_partition_data(partitions.iter().map(partition).collect());
    ProduceRequest::default().with_acks(-1).with_timeout_ms(5000).with_topic_data(vec![topic])
}

/// The request with its topics by id.
pub(crate) fn to_id(id: Uuid, mut request: ProduceRequest) -> ProduceRequest {
    for topic in &mut request.topic_data {
        (topic.name, topic.topic_id) = (name(""), id);
    }
    request
}

pub(crate) fn with_transactional_id(request: ProduceRequest, id: &str) -> ProduceRequest {
    request.with_transactional_id(Some(TransactionalId(StrBytes::from_string(id.to_owned()))))
}

/// A fetch request without a session that does not wait.
pub(crate) fn from(topic: &str, partitions: &[(i32, i64)]) -> FetchRequest {
    let partition = |&(index, offset): &(i32, i64)| {
        FetchPartition::default()
            .with_partition(index)
            .with_fetch_offset(offset)
            .with_current_leader_epoch(-1)
            .with_last_fetched_epoch(-1)
            .with_partition_max_bytes(MIB)
    };
    let topic = FetchTopic::default()
        .with_topic(name(topic))
        .with_partitions(partitions.iter().map(partition).collect());
    FetchRequest::default()
        .with_replica_id(BrokerId(-1))
        .with_min_bytes(1)
        .with_max_bytes(MIB)
        .with_session_epoch(-1)
        .with_topics(vec![topic])
}

pub(crate) fn from_id(id: Uuid, mut request: FetchRequest) -> FetchRequest {
    for topic in &mut request.topics {
        (topic.topic, topic.topic_id) = (name(""), id);
    }
    request
}

/// A batch as a client makes one, with what a test wants different.
#[derive(Clone)]
pub(crate) struct Batch {
    pub(crate) records: Vec<Record>,
    pub(crate) timestamp: i64,
    pub(crate) attributes: i16,
    pub(crate) leader_epoch: i32,
    pub(crate) base_offset: i64,
    /// Id, epoch, base sequence.
    pub(crate) producer: (i64, i16, i32),
    pub(crate) record_count: Option<i32>,
    pub(crate) corrupt: bool,
}

#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) key: Option<&'static [u8]>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) timestamp_delta: i64,
    pub(crate) headers: Vec<(&'static [u8], Option<&'static [u8]>)>,
}

pub(crate) fn record() -> Record {
    Record { key: Some(b"k"), value: Some(b"v".to_vec()), timestamp_delta: 0, headers: Vec::new() }
}

pub(crate) fn batch(records: usize) -> Batch {
    Batch {
        records: vec![record(); records],
        timestamp: NOW - 5000,
        attributes: 0,
        leader_epoch: -1,
        base_offset: 0,
        producer: (-1, -1, -1),
        record_count: None,
        corrupt: false,
    }
}

/// A batch of one record with a value of so many bytes.
pub(crate) fn batch_of(value_len: usize) -> Batch {
    let record = Record { value: Some(vec![b'x'; value_len]), ..record() };
    Batch { records: vec![record], ..batch(0) }
}

impl Batch {
    pub(crate) fn by_producer(self, id: i64, epoch: i16, sequence: i32) -> Self {
        Self { producer: (id, epoch, sequence), ..self }
    }

    pub(crate) fn bytes(&self) -> Bytes {
        let count = self.records.len() as i32;
        let max_delta = self.records.iter().map(|record| record.timestamp_delta).max().unwrap_or(0);
        let mut tail = Vec::new();
        tail.extend(self.attributes.to_be_bytes());
        tail.extend((count - 1).to_be_bytes());
        tail.extend(self.timestamp.to_be_bytes());
        tail.extend((self.timestamp + max_delta).to_be_bytes());
        tail.extend(self.producer.0.to_be_bytes());
        tail.extend(self.producer.1.to_be_bytes());
        tail.extend(self.producer.2.to_be_bytes());
        tail.extend(self.record_count.unwrap_or(count).to_be_bytes());
        for (offset, record) in self.records.iter().enumerate() {
            record.put(offset as i64, &mut tail);
        }
        let crc = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, &tail) as u32;
        let mut bytes = Vec::new();
        bytes.extend(self.base_offset.to_be_bytes());
        bytes.extend((tail.len() as i32 + 9).to_be_bytes());
        bytes.extend(self.leader_epoch.to_be_bytes());
        bytes.push(2);
        bytes.extend((crc ^ u32::from(self.corrupt)).to_be_bytes());
        bytes.extend(tail);
        bytes.into()
    }
}

impl Record {
    fn put(&self, offset_delta: i64, out: &mut Vec<u8>) {
        let mut body = vec![0];
        put_varint(self.timestamp_delta, &mut body);
        put_varint(offset_delta, &mut body);
        put_nullable(self.key, &mut body);
        put_nullable(self.value.as_deref(), &mut body);
        put_varint(self.headers.len() as i64, &mut body);
        for (key, value) in &self.headers {
            put_nullable(Some(key), &mut body);
            put_nullable(*value, &mut body);
        }
        put_varint(body.len() as i64, out);
        out.extend(body);
    }
}

fn put_nullable(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    put_varint(bytes.map_or(-1, |bytes| bytes.len() as i64), out);
    out.extend(bytes.unwrap_or_default());
}

fn put_varint(value: i64, out: &mut Vec<u8>) {
    let mut left = ((value << 1) ^ (value >> 63)) as u64;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Base offset, last offset delta and attributes of each batch that was fetched.
pub(crate) fn batches(data: &PartitionData) -> Vec<(i64, i32, i16)> {
    let mut rest = data.records.as_deref().expect("records are never null");
    let mut batches = Vec::new();
    while !rest.is_empty() {
        let word = |at: usize| i32::from_be_bytes(rest[at..at + 4].try_into().expect("four bytes"));
        let base = i64::from_be_bytes(rest[..8].try_into().expect("eight bytes"));
        batches.push((base, word(23), i16::from_be_bytes(rest[21..23].try_into().expect("two bytes"))));
        rest = &rest[12 + word(8) as usize..];
    }
    batches
}

/// Base offsets of what was fetched.
pub(crate) fn bases(data: &PartitionData) -> Vec<i64> {
    batches(data).into_iter().map(|(base, ..)| base).collect()
}
