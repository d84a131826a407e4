//! Producers and consumers of librdkafka, set up as these tests need them.

use integration_tests::Daybook;
use rdkafka::{
    ClientConfig, Message, TopicPartitionList,
    config::FromClientConfig,
    consumer::{BaseConsumer, Consumer},
    producer::{FutureProducer, FutureRecord, future_producer::Delivery},
};
use std::time::{Duration, Instant};

/// No answer of a local broker takes this long.
pub const WITHIN: Duration = Duration::from_secs(20);

/// A client of this broker with these settings of librdkafka.
pub fn client<C: FromClientConfig>(daybook: &Daybook, settings: &[(&str, &str)]) -> C {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", daybook.bootstrap()).set("broker.address.family", "v4");
    for (name, value) in settings {
        config.set(*name, *value);
    }
    config.create().expect("settings that librdkafka knows")
}

/// Sends one record and waits for its delivery.
pub async fn send(producer: &FutureProducer, topic: &str, partition: i32, value: &str) -> Delivery {
    let record = FutureRecord::<str, str>::to(topic).partition(partition).payload(value).key("k");
    producer.send(record, WITHIN).await.unwrap_or_else(|(error, _)| panic!("{topic}-{partition}: {error}"))
}

/// A consumer without group management that reads one partition from an offset.
pub fn assigned(daybook: &Daybook, topic: &str, partition: i32, offset: i64) -> BaseConsumer {
    let consumer: BaseConsumer = client(
        daybook,
        &[
            ("group.id", "none"),
            ("enable.auto.commit", "false"),
            ("check.crcs", "true"),
            ("auto.offset.reset", "error"),
        ],
    );
    let mut partitions = TopicPartitionList::new();
    partitions
        .add_partition_offset(topic, partition, rdkafka::Offset::Offset(offset))
        .expect("a valid offset");
    consumer.assign(&partitions).expect("no group needed");
    consumer
}

/// Polls until this many records have come: (partition, offset, value).
pub fn take(consumer: &BaseConsumer, count: usize) -> Vec<(i32, i64, String)> {
    let deadline = Instant::now() + WITHIN;
    let mut taken = Vec::new();
    while taken.len() < count {
        assert!(Instant::now() < deadline, "{} of {count} records: {taken:?}", taken.len());
        let Some(message) = consumer.poll(Duration::from_millis(100)) else { continue };
        let message = message.expect("no error while consuming");
        let value = message.payload_view::<str>().expect("a value").expect("text").to_owned();
        taken.push((message.partition(), message.offset(), value));
    }
    taken
}

/// Only the values of [`take`].
pub fn take_values(consumer: &BaseConsumer, count: usize) -> Vec<String> {
    take(consumer, count).into_iter().map(|(_, _, value)| value).collect()
}
