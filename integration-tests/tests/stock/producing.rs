//! librdkafka produces: every codec, every kind of acknowledgement, idempotence.

use crate::librdkafka::{WITHIN, assigned, client, send, take_values};
use integration_tests::{Daybook, batch::Codec, stored};
use rdkafka::{
    ClientConfig, Message,
    error::{KafkaError, RDKafkaErrorCode},
    message::{Header, Headers, OwnedHeaders, Timestamp},
    producer::{BaseProducer, BaseRecord, FutureProducer, FutureRecord, Producer},
};

/// VER-03, PROD-18: what librdkafka compresses is stored compressed, with its codec, and read back.
#[tokio::test]
async fn every_codec_is_stored_compressed_and_read_back() {
    let daybook = Daybook::start(&[]);
    for (name, codec) in [
        ("none", Codec::None),
        ("gzip", Codec::Gzip),
        ("snappy", Codec::Snappy),
        ("lz4", Codec::Lz4),
        ("zstd", Codec::Zstd),
    ] {
        daybook.connect().create_topic(name, 1, &[]);
        let producer: FutureProducer =
            client(&daybook, &[("compression.type", name), ("linger.ms", "50"), ("acks", "all")]);
        let value = "the same words again and again ".repeat(30);
        let sent = (0..20).map(|_| send(&producer, name, 0, &value));
        futures_join(sent.collect()).await;
        assert_eq!(take_values(&assigned(&daybook, name, 0, 0), 20), vec![value; 20], "{name}");
        let batches = daybook.connect().fetch(name, 0, 0);
        assert!(batches.iter().all(|batch| batch.codec() == codec), "{name}: {:?}", batches[0].codec());
    }
}

/// Awaits them together, so that they share batches.
async fn futures_join<F: Future>(futures: Vec<F>) {
    let mut pinned: Vec<_> = futures.into_iter().map(Box::pin).collect();
    std::future::poll_fn(|context| {
        pinned.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if pinned.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

/// WIRE-02: acks 0, 1 and all: everything arrives, once and in order.
#[test]
fn every_kind_of_acknowledgement_delivers() {
    let daybook = Daybook::start(&[]);
    for acks in ["0", "1", "all"] {
        let topic = format!("acks-{acks}");
        daybook.connect().create_topic(&topic, 1, &[]);
        let producer: BaseProducer =
            client(&daybook, &[("acks", acks), ("queue.buffering.max.messages", "20000")]);
        for number in 0..10_000 {
            let value = number.to_string();
            let record = BaseRecord::<str, str>::to(&topic).partition(0).payload(&value);
            producer.send(record).map_err(|(error, _)| error).expect("room in the queue");
        }
        producer.flush(WITHIN).expect("delivered");
        let values = take_values(&assigned(&daybook, &topic, 0, 0), 10_000);
        assert!(values.iter().enumerate().all(|(number, value)| *value == number.to_string()), "acks={acks}");
    }
}

/// IDEM-01, IDEM-02: an idempotent producer with five requests in flight delivers once and in order.
#[test]
fn an_idempotent_producer_delivers_once_and_in_order() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 3, &[]);
    let producer: BaseProducer = client(
        &daybook,
        &[
            ("enable.idempotence", "true"),
            ("max.in.flight.requests.per.connection", "5"),
            ("batch.num.messages", "100"),
        ],
    );
    for number in 0..9_000 {
        let value = number.to_string();
        let record = BaseRecord::<str, str>::to("t").partition(number % 3).payload(&value);
        producer.send(record).map_err(|(error, _)| error).expect("room in the queue");
        if number % 1_000 == 0 {
            producer.poll(std::time::Duration::ZERO);
        }
    }
    producer.flush(WITHIN).expect("delivered");
    for partition in 0..3 {
        let values = take_values(&assigned(&daybook, "t", partition, 0), 3_000);
        let expected = (0..3_000).map(|number| (number * 3 + partition).to_string());
        assert!(values.into_iter().eq(expected), "partition {partition}");
        let batch = daybook.connect().fetch("t", partition, 0).remove(0);
        assert!(batch.producer_id >= 0 && batch.base_sequence == 0);
    }
}

/// PROD-12, PROD-13: keys, nulls, headers and times come back as they were sent.
#[tokio::test]
async fn records_come_back_as_they_were_sent() {
    let daybook = Daybook::start(&[]);
    let producer: FutureProducer = client(&daybook, &[]);
    let headers = OwnedHeaders::new()
        .insert(Header { key: "h", value: Some("1") })
        .insert(Header { key: "h", value: Some(&b"\x00\xff"[..]) })
        .insert(Header::<&str> { key: "null", value: None });
    let record =
        FutureRecord::<[u8], [u8]>::to("t").key(b"key").timestamp(1_700_000_000_123).headers(headers);
    let delivery = producer.send(record, WITHIN).await.expect("delivered");
    assert_eq!((delivery.partition, delivery.offset), (0, 0), "the topic was made by producing to it");

    let consumer = assigned(&daybook, "t", 0, 0);
    let message = loop {
        if let Some(message) = consumer.poll(WITHIN) {
            break message.expect("no error");
        }
    };
    assert_eq!((message.key(), message.payload()), (Some(&b"key"[..]), None), "a tombstone");
    assert_eq!(message.timestamp(), Timestamp::CreateTime(1_700_000_000_123));
    let found: Vec<_> = message
        .headers()
        .expect("headers")
        .iter()
        .map(|h| (h.key.to_owned(), h.value.map(<[u8]>::to_vec)))
        .collect();
    let expected = [("h", Some(b"1".to_vec())), ("h", Some(b"\x00\xff".to_vec())), ("null", None)];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
}

/// PROD-08: LogAppendTime reaches the delivery report and the consumer as such.
#[tokio::test]
async fn log_append_time_reaches_both_ends() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[("message.timestamp.type", "LogAppendTime")]);
    let producer: FutureProducer = client(&daybook, &[("compression.type", "lz4")]);
    send(&producer, "t", 0, "x").await;
    let consumer = assigned(&daybook, "t", 0, 0);
    let message = consumer.poll(WITHIN).expect("a record").expect("no error");
    let stored = daybook.connect().fetch("t", 0, 0).remove(0);
    assert_eq!(message.timestamp(), Timestamp::LogAppendTime(stored.max_timestamp_ms));
}

/// PROD-01: a record above the topic's limit fails with the right code, and the producer goes on.
#[tokio::test]
async fn a_too_large_record_fails_with_its_reason() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[("max.message.bytes", "1000")]);
    let producer: FutureProducer = client(&daybook, &[]);
    let value = "x".repeat(5_000);
    let record = FutureRecord::<str, str>::to("t").partition(0).payload(&value);
    let (error, _) = producer.send(record, WITHIN).await.expect_err("too large");
    assert_eq!(error, KafkaError::MessageProduction(RDKafkaErrorCode::MessageSizeTooLarge));
    assert_eq!(send(&producer, "t", 0, "x").await.offset, 0);
}

/// GROUP-18: a producer outlives a crash of the broker; every acknowledged record is there.
#[tokio::test]
async fn a_producer_outlives_a_crash() {
    let mut daybook = Daybook::start(&[]);
    let producer: FutureProducer =
        client(&daybook, &[("enable.idempotence", "true"), ("reconnect.backoff.max.ms", "100")]);
    for round in 0..3 {
        for number in 0..10 {
            send(&producer, "t", 0, &format!("{round}-{number}")).await;
        }
        daybook.kill9();
        daybook.start_again();
    }
    send(&producer, "t", 0, "last").await;
    let mut values = Vec::new();
    while values.len() < 31 {
        values.extend(stored::values(&daybook.connect().fetch("t", 0, values.len() as i64)));
    }
    let expected: Vec<_> = (0..3)
        .flat_map(|round| (0..10).map(move |number| format!("{round}-{number}")))
        .chain(["last".into()])
        .collect();
    assert_eq!(values, expected);
}

/// A producer that asks for transactions is told cleanly that there are none yet.
#[test]
fn transactions_are_refused_cleanly() {
    let daybook = Daybook::start(&[]);
    let producer: BaseProducer = ClientConfig::new()
        .set("bootstrap.servers", daybook.bootstrap())
        .set("transactional.id", "x")
        .create()
        .expect("settings that librdkafka knows");
    let error =
        producer.init_transactions(std::time::Duration::from_secs(5)).expect_err("no transactions yet");
    assert!(matches!(error, KafkaError::Transaction(_)), "{error:?}");
}
