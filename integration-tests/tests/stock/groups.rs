//! librdkafka's consumer groups: two members, a rebalance, static membership, restarts.

use crate::librdkafka::{WITHIN, client, send, take_values};
use integration_tests::{Daybook, eventually};
use rdkafka::{
    ClientContext, Message, Offset,
    consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance},
    producer::FutureProducer,
};
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

const POLL: Duration = Duration::from_millis(50);

/// A consumer in a group, with short sessions.
fn member(daybook: &Daybook, group: &str, settings: &[(&str, &str)]) -> BaseConsumer {
    let common = [
        ("group.id", group),
        ("auto.offset.reset", "earliest"),
        ("enable.auto.commit", "false"),
        ("session.timeout.ms", "6000"),
        ("heartbeat.interval.ms", "200"),
    ];
    let all: Vec<_> = common.into_iter().chain(settings.iter().copied()).collect();
    client(daybook, &all)
}

fn partitions(consumer: &BaseConsumer) -> BTreeSet<i32> {
    let assigned = consumer.assignment().expect("an assignment");
    assigned.elements().iter().map(|element| element.partition()).collect()
}

/// Polls both until they share four partitions between them.
fn wait_until_shared(one: &BaseConsumer, two: &BaseConsumer) {
    eventually("both have partitions", WITHIN, || {
        one.poll(POLL);
        two.poll(POLL);
        let (one, two) = (partitions(one), partitions(two));
        one.len() == 2 && two.len() == 2 && one.is_disjoint(&two)
    });
}

/// GROUP-03, GROUP-04, ECO-10: the first record of a fresh group comes soon.
#[tokio::test]
async fn a_first_consumer_starts_at_once() {
    let daybook = Daybook::start(&[]);
    let producer: FutureProducer = client(&daybook, &[]);
    send(&producer, "t", -1, "hello").await;
    let started_at = std::time::Instant::now();
    let consumer = member(&daybook, "g", &[]);
    consumer.subscribe(&["t"]).expect("a topic");
    assert_eq!(take_values(&consumer, 1), ["hello"]);
    assert!(started_at.elapsed() < Duration::from_secs(3), "{:?}", started_at.elapsed());
}

/// GROUP-05, GROUP-09, GROUP-20: two members share the partitions; when one leaves, the other takes over.
#[tokio::test]
async fn two_members_share_and_take_over() {
    for strategy in ["range", "roundrobin", "cooperative-sticky"] {
        let daybook = Daybook::start(&[]);
        daybook.connect().create_topic("t", 4, &[]);
        let producer: FutureProducer = client(&daybook, &[]);
        let settings = [("partition.assignment.strategy", strategy)];
        let (one, two) = (member(&daybook, "g", &settings), member(&daybook, "g", &settings));
        one.subscribe(&["t"]).expect("a topic");
        two.subscribe(&["t"]).expect("a topic");
        wait_until_shared(&one, &two);

        for partition in 0..4 {
            send(&producer, "t", partition, &partition.to_string()).await;
        }
        let mut seen: Vec<_> = take_values(&one, 2);
        seen.extend(take_values(&two, 2));
        seen.sort();
        assert_eq!(seen, ["0", "1", "2", "3"], "{strategy}: each record once");
        one.commit_consumer_state(CommitMode::Sync).expect("committed");
        two.commit_consumer_state(CommitMode::Sync).expect("committed");

        drop(two);
        eventually("the other takes over", WITHIN, || {
            one.poll(POLL);
            partitions(&one).len() == 4
        });
        for partition in 0..4 {
            send(&producer, "t", partition, "more").await;
        }
        assert_eq!(take_values(&one, 4), ["more"; 4], "{strategy}: nothing twice");
    }
}

/// Counts how often partitions were given out.
struct CountsRebalances(AtomicUsize);

impl ClientContext for CountsRebalances {}

impl ConsumerContext for CountsRebalances {
    fn post_rebalance(&self, _consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if matches!(rebalance, Rebalance::Assign(_)) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// GROUP-12, GROUP-14: a static member comes back to its partitions, and nobody else is disturbed.
#[tokio::test]
async fn a_static_member_comes_back_without_a_rebalance() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 4, &[]);
    let stays: BaseConsumer<CountsRebalances> = {
        let mut config = rdkafka::ClientConfig::new();
        for (name, value) in [
            ("bootstrap.servers", daybook.bootstrap().as_str()),
            ("group.id", "g"),
            ("group.instance.id", "stays"),
            ("session.timeout.ms", "10000"),
            ("heartbeat.interval.ms", "200"),
        ] {
            config.set(name, value);
        }
        config
            .create_with_context(CountsRebalances(AtomicUsize::new(0)))
            .expect("settings that librdkafka knows")
    };
    let static_member =
        || member(&daybook, "g", &[("group.instance.id", "comes-and-goes"), ("session.timeout.ms", "10000")]);
    let goes = static_member();
    stays.subscribe(&["t"]).expect("a topic");
    goes.subscribe(&["t"]).expect("a topic");
    let of_stays = || {
        let assigned = stays.assignment().expect("an assignment");
        assigned.elements().iter().map(|element| element.partition()).collect::<BTreeSet<_>>()
    };
    eventually("both have partitions", WITHIN, || {
        stays.poll(POLL);
        goes.poll(POLL);
        of_stays().len() == 2 && partitions(&goes).len() == 2
    });
    let before = (of_stays(), partitions(&goes), stays.context().0.load(Ordering::SeqCst));
    drop(goes);
    let back = static_member();
    back.subscribe(&["t"]).expect("a topic");
    eventually("it is back", WITHIN, || {
        stays.poll(POLL);
        back.poll(POLL);
        !partitions(&back).is_empty()
    });
    let after = (of_stays(), partitions(&back), stays.context().0.load(Ordering::SeqCst));
    assert_eq!(before, after);
}

/// GROUP-18, OFFS-*: a group goes on where it was, over a restart and a crash of the broker.
#[tokio::test]
async fn a_group_goes_on_where_it_was() {
    let mut daybook = Daybook::start(&[]);
    let producer: FutureProducer = client(&daybook, &[("reconnect.backoff.max.ms", "100")]);
    let consumer = member(&daybook, "g", &[("reconnect.backoff.max.ms", "100")]);
    send(&producer, "t", 0, "0").await;
    consumer.subscribe(&["t"]).expect("a topic");
    assert_eq!(take_values(&consumer, 1), ["0"]);
    for round in 1..4 {
        consumer.commit_consumer_state(CommitMode::Sync).expect("committed");
        if round == 2 {
            daybook.restart();
        } else {
            daybook.kill9();
            daybook.start_again();
        }
        send(&producer, "t", 0, &round.to_string()).await;
        assert_eq!(take_values_past_errors(&consumer), round.to_string());
    }
    drop(consumer);
    assert_eq!(daybook.connect().committed_offset("g", "t", 0), 3, "the last one was not committed");
}

/// The next record; a broken connection on the way is what a restart looks like.
fn take_values_past_errors(consumer: &BaseConsumer) -> String {
    let mut value = None;
    eventually("a record", WITHIN, || {
        if let Some(Ok(message)) = consumer.poll(POLL) {
            value = Some(message.payload_view::<str>().expect("a value").expect("text").to_owned());
        }
        value.is_some()
    });
    value.expect("waited for")
}

/// OFFS-05: two groups on one topic do not disturb each other; committed offsets and lag are each group's own.
#[tokio::test]
async fn groups_do_not_disturb_each_other() {
    let daybook = Daybook::start(&[]);
    let producer: FutureProducer = client(&daybook, &[]);
    for number in 0..10 {
        send(&producer, "t", 0, &number.to_string()).await;
    }
    for (group, count) in [("billing", 3), ("emails", 7)] {
        let consumer = member(&daybook, group, &[]);
        consumer.subscribe(&["t"]).expect("a topic");
        let taken = take_values(&consumer, 10);
        assert_eq!(taken.len(), 10);
        let mut offsets = rdkafka::TopicPartitionList::new();
        offsets.add_partition_offset("t", 0, Offset::Offset(count)).expect("valid");
        consumer.commit(&offsets, CommitMode::Sync).expect("committed");
        let committed = consumer.committed(WITHIN).expect("an answer");
        assert_eq!(committed.find_partition("t", 0).expect("assigned").offset(), Offset::Offset(count));
    }
    assert_eq!(daybook.connect().committed("billing"), [("t".to_owned(), 0, 3)]);
    assert_eq!(daybook.connect().committed("emails"), [("t".to_owned(), 0, 7)]);
}
