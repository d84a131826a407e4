//! The clients at work while the broker is killed: librdkafka's, as people use them.

use crate::history::History;
use rdkafka::{
    ClientConfig, ClientContext, Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer as _},
    error::{KafkaError, RDKafkaErrorCode},
    message::DeliveryResult,
    producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

pub const TOPIC: &str = "history";
pub const GROUP: &str = "readers";
const FLUSH_WITHIN: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);
/// Records of one producer that wait for their acknowledgement.
const IN_FLIGHT: usize = 20;

fn config(bootstrap: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", bootstrap)
        .set("broker.address.family", "v4")
        .set("reconnect.backoff.ms", "10")
        .set("reconnect.backoff.max.ms", "100")
        .set("retry.backoff.ms", "20")
        .set_log_level(rdkafka::config::RDKafkaLogLevel::Emerg);
    config
}

/// Notes each acknowledgement.
struct Acknowledgements {
    history: History,
    count: AtomicUsize,
    waiting: AtomicUsize,
}

impl ClientContext for Acknowledgements {
    fn error(&self, error: KafkaError, reason: &str) {
        let fatal = matches!(error, KafkaError::Global(RDKafkaErrorCode::Fatal));
        assert!(!fatal, "a producer gave up: {reason}");
    }
}

impl ProducerContext for Acknowledgements {
    type DeliveryOpaque = Box<String>;

    fn delivery(&self, result: &DeliveryResult<'_>, name: Box<String>) {
        match result {
            Ok(message) => self.history.acknowledged(message.partition(), message.offset(), *name),
            Err((error, _)) => panic!("{name} was given up: {error}"),
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A producer in a thread of its own, until it is told to finish.
pub struct Producer {
    context: Arc<Acknowledgements>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Producer {
    pub fn start(
        bootstrap: &str,
        name: &'static str,
        idempotent: bool,
        largest_bytes: usize,
        partitions: i32,
        history: &History,
    ) -> Producer {
        if idempotent {
            history.idempotent_producer(name);
        }
        let context = Arc::new(Acknowledgements {
            history: history.clone(),
            count: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
        });
        let stop = Arc::new(AtomicBool::new(false));
        let mut config = config(bootstrap);
        config.set("acks", "all").set("message.timeout.ms", "120000").set("linger.ms", "1");
        if idempotent {
            config.set("enable.idempotence", "true");
        } else {
            // Without idempotence only one request in flight keeps the order over a retry.
            config.set("max.in.flight.requests.per.connection", "1");
        }
        let thread = thread::spawn({
            let (context, stop) = (context.clone(), stop.clone());
            move || produce(&config, name, largest_bytes, partitions, context, &stop)
        });
        Producer { context, stop, thread }
    }

    /// How many records were acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.context.count.load(Ordering::SeqCst)
    }

    pub fn finish(self) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().expect("the producer did not panic");
    }
}

/// A context that is shared with whoever watches the producer.
struct Shared(Arc<Acknowledgements>);

impl ClientContext for Shared {
    fn error(&self, error: KafkaError, reason: &str) {
        self.0.error(error, reason);
    }
}

impl ProducerContext for Shared {
    type DeliveryOpaque = Box<String>;

    fn delivery(&self, result: &DeliveryResult<'_>, name: Box<String>) {
        self.0.delivery(result, name);
    }
}

fn produce(
    config: &ClientConfig,
    name: &str,
    largest_bytes: usize,
    partitions: i32,
    context: Arc<Acknowledgements>,
    stop: &AtomicBool,
) {
    let producer: ThreadedProducer<Shared> =
        config.create_with_context(Shared(context.clone())).expect("settings that librdkafka knows");
    let padding = "x".repeat(largest_bytes);
    for number in 0_usize.. {
        while context.waiting.load(Ordering::SeqCst) >= IN_FLIGHT && !stop.load(Ordering::SeqCst) {
            thread::park_timeout(Duration::from_millis(1));
        }
        if stop.load(Ordering::SeqCst) {
            break;
        }
        // Sizes from nothing to the largest, in no particular order.
        let length = number.wrapping_mul(7919) % (largest_bytes + 1);
        let id = format!("{name}:{number}");
        let value = format!("{id}|{}", &padding[..length]);
        context.waiting.fetch_add(1, Ordering::SeqCst);
        let record = BaseRecord::<str, str, Box<String>>::with_opaque_to(TOPIC, Box::new(id))
            .partition(number as i32 % partitions)
            .payload(&value);
        producer.send(record).map_err(|(error, _)| error).expect("room in the queue");
    }
    producer.flush(FLUSH_WITHIN).expect("everything is acknowledged in the end");
}

/// A member of a group that reads and commits, until it is told to finish.
pub struct Consumer {
    commits: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Consumer {
    pub fn start(bootstrap: &str, history: &History) -> Consumer {
        let consumer: BaseConsumer = config(bootstrap)
            .set("group.id", GROUP)
            .set("auto.offset.reset", "earliest")
            .set("enable.auto.commit", "false")
            .set("fetch.message.max.bytes", "2000000")
            .create()
            .expect("settings that librdkafka knows");
        let (commits, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let thread = thread::spawn({
            let (commits, stop, history) = (commits.clone(), stop.clone(), history.clone());
            move || consume(&consumer, &history, &commits, &stop)
        });
        Consumer { commits, stop, thread }
    }

    /// How many commits were acknowledged so far.
    pub fn commits(&self) -> usize {
        self.commits.load(Ordering::SeqCst)
    }

    pub fn finish(self) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().expect("the consumer did not panic");
    }
}

fn consume(consumer: &BaseConsumer, history: &History, commits: &AtomicUsize, stop: &AtomicBool) {
    consumer.subscribe(&[TOPIC]).expect("a topic");
    let mut since_commit = 0;
    while !stop.load(Ordering::SeqCst) {
        // An error is what a killed broker looks like; the next poll reconnects.
        let Some(Ok(message)) = consumer.poll(POLL) else { continue };
        since_commit += 1;
        if since_commit < 10 {
            continue;
        }
        since_commit = 0;
        let (partition, next) = (message.partition(), message.offset() + 1);
        let mut offsets = TopicPartitionList::new();
        offsets.add_partition_offset(TOPIC, partition, Offset::Offset(next)).expect("valid");
        if consumer.commit(&offsets, CommitMode::Sync).is_ok() {
            history.commit_acknowledged(partition, next);
            commits.fetch_add(1, Ordering::SeqCst);
        }
    }
}
