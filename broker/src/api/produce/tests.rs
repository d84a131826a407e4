//! Produce as Apache Kafka answers it, on logs in a temporary folder.

use super::Outcome;
use crate::testing::{
    Batch, Bench, NOW, Record, batch, batch_of, batches, name, record, to, to_id, with_transactional_id,
};
use bytes::Bytes;
use kafka_protocol::messages::{
    ProduceRequest, ProduceResponse, produce_request::TopicProduceData,
    produce_response::PartitionProduceResponse,
};
use storage::batch::TimestampType;
use uuid::Uuid;

/// Code, base offset, log start offset, indexes of bad records, is there a message?
type Seen = (i16, i64, i64, Vec<i32>, bool);

fn seen(answer: &PartitionProduceResponse) -> Seen {
    let records = answer.record_errors.iter().map(|error| error.batch_index).collect();
    let told = answer.error_message.is_some();
    (answer.error_code, answer.base_offset, answer.log_start_offset, records, told)
}

fn good(base_offset: i64) -> Seen {
    (0, base_offset, 0, vec![], false)
}

fn refused(code: i16, log_start: i64) -> Seen {
    (code, -1, log_start, vec![], false)
}

fn codes(response: &ProduceResponse) -> Vec<(i32, i16)> {
    let partitions = response.responses.iter().flat_map(|topic| &topic.partition_responses);
    partitions.map(|partition| (partition.index, partition.error_code)).collect()
}

#[tokio::test]
async fn every_version_appends_and_refuses() {
    let bench = Bench::with_topic(1);
    let id = bench.id_of("t");
    for version in 3..=13 {
        let by_version = |request| if version >= 13 { to_id(id, request) } else { request };
        let end = bench.partition("t", 0).offsets().log_end;
        let response = bench.produce(version, by_version(to("t", &[(0, batch(2).bytes())]))).await;
        let topic = &response.responses[0];
        assert_eq!(seen(&topic.partition_responses[0]), good(end), "version {version}");
        let expected = if version >= 13 { (name(""), id) } else { (name("t"), Uuid::nil()) };
        assert_eq!((topic.name.clone(), topic.topic_id), expected, "version {version}");

        let corrupt = Batch { corrupt: true, ..batch(1) }.bytes();
        let response = bench.produce(version, by_version(to("t", &[(0, corrupt)]))).await;
        assert_eq!(codes(&response), [(0, 2)], "version {version}");
    }
}

#[tokio::test]
async fn acks_other_than_minus_one_to_one_are_refused_for_known_partitions() {
    let bench = Bench::with_topic(1);
    for (acks, code) in [(1, 0), (-1, 0), (2, 21), (-2, 21), (127, 21)] {
        let request = to("t", &[(0, batch(1).bytes()), (9, batch(1).bytes())]).with_acks(acks);
        assert_eq!(codes(&bench.produce(9, request).await), [(0, code), (9, 3)], "acks {acks}");
    }
}

#[tokio::test]
async fn unknown_topics_and_partitions_have_their_codes() {
    let bench = Bench::with_topic(1);
    for topic in ["nope", "a b", "", "__cluster_metadata"] {
        let answer = bench.append(topic, 0, batch(1).bytes()).await;
        assert_eq!(seen(&answer), refused(3, -1), "{topic:?}");
    }
    for index in [1, -1, i32::MAX] {
        assert_eq!(seen(&bench.append("t", index, batch(1).bytes()).await), refused(3, -1));
    }
    for (id, index, code) in [(Uuid::nil(), 0, 100), (Uuid::max(), 0, 100), (bench.id_of("t"), 9, 3)] {
        let response = bench.produce(13, to_id(id, to("", &[(index, batch(1).bytes())]))).await;
        assert_eq!(codes(&response), [(index, code)]);
    }
}

#[tokio::test]
async fn internal_topics_are_open_to_kafkas_own_tools_only() {
    let mut bench = Bench::new();
    bench.topic("__consumer_offsets", 1, |_| {});
    let request = || to("__consumer_offsets", &[(0, batch(1).bytes())]);
    assert_eq!(codes(&bench.produce(9, request()).await), [(0, 17)]);
    let Outcome::Respond(response) = bench.produce_as("__admin_client", 9, request()).await else {
        panic!("acks is -1")
    };
    assert_eq!(codes(&response), [(0, 0)]);
}

/// PROD-01, PROD-03
#[tokio::test]
async fn each_partition_succeeds_or_fails_alone() {
    let mut bench = Bench::with_topic(3);
    let corrupt = Batch { corrupt: true, ..batch(1) }.bytes();
    let request = to("t", &[(0, batch(1).bytes()), (1, corrupt), (2, batch(1).bytes())]);
    assert_eq!(codes(&bench.produce(9, request).await), [(0, 0), (1, 2), (2, 0)]);
    assert_eq!(bench.partition("t", 1).offsets().log_end, 0);

    let limit = batch_of(100).bytes().len();
    bench.topic("small", 2, |config| config.log.max_batch_bytes = limit as i32);
    let request = to("small", &[(0, batch_of(101).bytes()), (1, batch_of(100).bytes())]);
    assert_eq!(codes(&bench.produce(9, request).await), [(0, 10), (1, 0)]);
    assert_eq!(bench.partition("small", 0).offsets().log_end, 0);
}

#[tokio::test]
async fn a_partition_or_topic_that_is_named_twice_counts_once() {
    let bench = Bench::with_topic(3);
    let response = bench.produce(9, to("t", &[(1, batch(1).bytes()), (1, batch(2).bytes())])).await;
    assert_eq!(codes(&response), [(1, 0)]);
    assert_eq!(bench.partition("t", 1).offsets().log_end, 2, "as named last");

    let mut request = to("t", &[(1, batch(1).bytes())]);
    request.topic_data.extend(to("t", &[(2, batch(1).bytes())]).topic_data);
    request.topic_data.push(TopicProduceData::default().with_name(name("without partitions")));
    let response = bench.produce(9, request).await;
    assert_eq!((response.responses.len(), codes(&response)), (1, vec![(1, 0), (2, 0)]));
    let empty = bench.produce(9, ProduceRequest::default().with_acks(1)).await;
    assert_eq!(empty.responses, []);
}

/// PROD-04, PROD-06, PROD-21: what Kafka 4.4 answered to these bytes, with our code where it answered -1.
#[tokio::test]
async fn malformed_batches_are_refused_and_odd_ones_stored() {
    let bench = Bench::with_topic(1);
    let odd = |batch: Batch| batch.bytes();
    let stored = [
        ("plus one byte", [batch(1).bytes().as_ref(), &[0]].concat().into()),
        ("leader epoch 0", odd(Batch { leader_epoch: 0, ..batch(1) })),
        ("leader epoch 5", odd(Batch { leader_epoch: 5, ..batch(1) })),
        ("attribute bit 7", odd(Batch { attributes: 128, ..batch(1) })),
        ("LogAppendTime bit", odd(Batch { attributes: 8, ..batch(1) })),
        ("timestamp -1", odd(Batch { timestamp: -1, ..batch(1) })),
        ("sequence without pid", odd(batch(1).by_producer(-1, -1, 0))),
        ("epoch without pid", odd(batch(1).by_producer(-1, 3, -1))),
        ("pid -2", odd(batch(1).by_producer(-2, 0, 0))),
    ];
    for (base, (case, bytes)) in stored.into_iter().enumerate() {
        assert_eq!(seen(&bench.append("t", 0, bytes).await), good(base as i64), "{case}");
    }
    let end = bench.partition("t", 0).offsets().log_end;
    let bad = |batch: Batch| batch.bytes();
    let two = [batch(1).bytes(), batch(1).bytes()].concat();
    let zeros = [batch(1).bytes().as_ref(), &[0; 61]].concat();
    let cases: [(&str, Bytes, Seen); 16] = [
        ("empty", Bytes::new(), refused(87, -1)),
        ("cut", batch(1).bytes().slice(..69), refused(87, -1)),
        ("two", two.into(), refused(87, -1)),
        ("plus zeros", zeros.into(), refused(2, -1)),
        ("impossible length", vec![0; 61].into(), (2, -1, -1, vec![], true)),
        ("base offset 5", bad(Batch { base_offset: 5, ..batch(1) }), refused(87, 0)),
        ("count 2 of 1", bad(Batch { record_count: Some(2), ..batch(1) }), refused(87, 0)),
        ("count 0", bad(batch(0)), refused(87, 0)),
        ("count max", bad(Batch { record_count: Some(i32::MAX), ..batch(1) }), refused(87, 0)),
        ("control", bad(Batch { attributes: 32, ..batch(1) }), refused(87, 0)),
        ("codec 5", bad(Batch { attributes: 5, ..batch(1) }), refused(87, 0)),
        ("gzip of nothing", bad(Batch { attributes: 1, ..batch(1) }), refused(87, 0)),
        ("transactional", bad(Batch { attributes: 16, ..batch(1) }), refused(53, -1)),
        ("pid without sequence", bad(batch(1).by_producer(5, 0, -1)), refused(87, 0)),
        (
            "an hour and a minute ahead",
            bad(Batch { timestamp: NOW + 3_660_000, ..batch(1) }),
            (32, -1, 0, vec![0], true),
        ),
        ("timestamp min", bad(Batch { timestamp: i64::MIN, ..batch(1) }), (32, -1, 0, vec![0], true)),
    ];
    for (case, bytes, expected) in cases {
        assert_eq!(seen(&bench.append("t", 0, bytes).await), expected, "{case}");
    }
    assert_eq!(bench.partition("t", 0).offsets().log_end, end, "nothing of them was stored");
}

#[tokio::test]
async fn a_header_that_cannot_be_believed_is_found_before_the_partition_is() {
    let bench = Bench::with_topic(1);
    let answer = bench.append("nope", 0, vec![0; 61].into()).await;
    assert_eq!(seen(&answer), (2, -1, -1, vec![], true));
}

#[tokio::test]
async fn a_header_that_cannot_be_believed_fails_the_request_up_to_a_transactional_batch() {
    let bench = Bench::with_topic(3);
    let (good, bad) = (batch(1).bytes(), Bytes::from(vec![0; 61]));
    let request = to("t", &[(0, good.clone()), (1, bad.clone())]);
    assert_eq!(codes(&bench.produce(9, request).await), [(0, 2), (1, 2)]);
    assert_eq!(bench.partition("t", 0).offsets().log_end, 0);

    let transactional = Batch { attributes: 16, ..batch(1).by_producer(7, 0, 0) }.bytes();
    let request = to("t", &[(0, good), (1, transactional), (2, bad)]);
    assert_eq!(
        codes(&bench.produce(9, with_transactional_id(request, "x")).await),
        [(0, 0), (1, 48), (2, 2)]
    );
}

#[tokio::test]
async fn a_cut_transactional_batch_needs_no_transactional_id() {
    let bench = Bench::with_topic(1);
    let transactional = Batch { attributes: 16, ..batch(1).by_producer(7, 0, 0) }.bytes();
    let cut = transactional.slice(..transactional.len() - 1);
    assert_eq!(seen(&bench.append("t", 0, cut.clone()).await), refused(87, -1));
    assert_eq!(seen(&bench.append("t", 9, cut).await), refused(3, -1));
}

#[tokio::test]
async fn null_records_get_an_answer() {
    let bench = Bench::with_topic(1);
    let mut request = to("t", &[(0, Bytes::new())]);
    request.topic_data[0].partition_data[0].records = None;
    assert_eq!(codes(&bench.produce(12, request).await), [(0, 87)]);
}

#[tokio::test]
async fn a_batch_larger_than_a_segment_has_its_own_code() {
    let mut bench = Bench::new();
    bench.topic("t", 1, |config| {
        (config.log.segment_bytes, config.log.max_batch_bytes) = (1 << 20, 3_000_000)
    });
    assert_eq!(seen(&bench.append("t", 0, batch_of(1_200_000).bytes()).await), refused(18, -1));
}

/// PROD-08
#[tokio::test]
async fn log_append_time_is_told_and_kept() {
    let mut bench = Bench::with_topic(0);
    bench.topic("t", 1, |config| config.log.timestamp_type = TimestampType::LogAppendTime);
    let answer = bench.append("t", 0, Batch { timestamp: 1000, ..batch(2) }.bytes()).await;
    assert_eq!((answer.error_code, answer.log_append_time_ms), (0, NOW));
    let data = bench.read(0, 0).await;
    assert_eq!(batches(&data), [(0, 1, 8)]);
    let max_timestamp = &data.records.as_ref().expect("records")[35..43];
    assert_eq!(max_timestamp, NOW.to_be_bytes());

    let flagged = Batch { attributes: 8, ..batch(2) }.bytes();
    assert_eq!(seen(&bench.append("t", 0, flagged).await), (32, -1, 0, vec![0, 1], true));
}

/// PROD-10
#[tokio::test]
async fn a_record_out_of_the_time_bounds_is_named() {
    let mut bench = Bench::with_topic(0);
    bench.topic("t", 1, |config| {
        (config.log.timestamp_after_max_ms, config.log.timestamp_before_max_ms) = (1000, 3_600_000);
    });
    let shifted = |timestamp_delta| Record { timestamp_delta, ..record() };
    let ahead = Batch { records: vec![record(), shifted(600_000), record()], ..batch(0) }.bytes();
    let old = Batch { records: vec![record(), shifted(-7_200_000), shifted(-7_200_000)], ..batch(0) }.bytes();
    assert_eq!(seen(&bench.append("t", 0, ahead.clone()).await), (32, -1, 0, vec![1], true));
    assert_eq!(seen(&bench.append("t", 0, old).await), (32, -1, 0, vec![1, 2], true));
    // Before version 8 there is no place for the details.
    let response = bench.produce(7, to("t", &[(0, ahead)])).await;
    assert_eq!(codes(&response), [(0, 32)]);
    assert_eq!(bench.partition("t", 0).offsets().log_end, 0);
}

/// PROD-11
#[tokio::test]
async fn a_compacted_topic_needs_keys() {
    let mut bench = Bench::new();
    for (topic, delete) in [("compact", false), ("both", true)] {
        bench.topic(topic, 1, |config| (config.log.compact, config.log.delete) = (true, delete));
        let keyless = Record { key: None, ..record() };
        let mixed = Batch { records: vec![record(), keyless.clone(), keyless], ..batch(0) }.bytes();
        assert_eq!(seen(&bench.append(topic, 0, mixed).await), (87, -1, 0, vec![1, 2], true));
        let empty_key = Batch { records: vec![Record { key: Some(b""), ..record() }], ..batch(0) }.bytes();
        assert_eq!(seen(&bench.append(topic, 0, empty_key).await), good(0));
    }
}

/// PROD-12, PROD-13
#[tokio::test]
async fn records_come_back_byte_for_byte() {
    let bench = Bench::with_topic(1);
    let headers = vec![(&b"a"[..], None), (b"a", Some(&b""[..])), (b"", Some(b"\xff")), (b"a", Some(b"1"))];
    let records = vec![
        Record { key: None, value: None, ..record() },
        Record { key: Some(b""), value: Some(vec![]), ..record() },
        Record { headers, ..record() },
    ];
    let sent = Batch { records, ..batch(0) }.bytes();
    bench.append("t", 0, batch(1).bytes()).await;
    assert_eq!(seen(&bench.append("t", 0, sent.clone()).await), good(1));
    let data = bench.read(0, 1).await;
    let stored = data.records.expect("records");
    // Only base offset and leader epoch belong to the broker.
    assert_eq!((&stored[..8], &stored[8..12]), (&1i64.to_be_bytes()[..], &sent[8..12]));
    assert_eq!((&stored[12..16], &stored[16..]), (&0i32.to_be_bytes()[..], &sent[16..]));
}

/// PROD-16
#[tokio::test]
async fn more_in_sync_replicas_than_there_can_be_are_not_asked_for() {
    let mut bench = Bench::new();
    bench.topic("t", 1, |config| config.min_insync_replicas = 2);
    assert_eq!(seen(&bench.append("t", 0, batch(1).bytes()).await), good(0));
}

#[tokio::test]
async fn zstd_before_version_7_is_refused() {
    let bench = Bench::with_topic(1);
    let zstd = Batch { attributes: 4, ..batch(1) }.bytes();
    let response = bench.produce(6, to("t", &[(0, zstd)])).await;
    assert_eq!(seen(&response.responses[0].partition_responses[0]), refused(76, -1));
}

#[tokio::test]
async fn transactional_batches_are_refused_cleanly() {
    let bench = Bench::with_topic(2);
    let transactional = Batch { attributes: 16, ..batch(1).by_producer(7, 0, 0) }.bytes();
    let both = || to("t", &[(0, transactional.clone()), (1, batch(1).bytes())]);
    assert_eq!(codes(&bench.produce(9, both()).await), [(0, 53), (1, 53)], "no transactional id");
    for (version, code) in [(10, 48), (12, 120)] {
        let response = bench.produce(version, with_transactional_id(both(), "x")).await;
        assert_eq!(codes(&response), [(0, code), (1, 0)], "version {version}");
    }
    assert_eq!(bench.partition("t", 0).offsets().log_end, 0);
}

/// WIRE-02, WIRE-03
#[tokio::test]
async fn acks_zero_is_never_answered_and_closes_on_failure() {
    let mut bench = Bench::with_topic(1);
    bench.topic("gone", 1, |_| {});
    let outcome = |topic: &'static str, index, records| {
        let request = to(topic, &[(index, records)]).with_acks(0);
        bench.produce_as("c", 9, request)
    };
    assert!(matches!(outcome("t", 0, batch(1).bytes()).await, Outcome::Nothing));
    assert_eq!(bench.partition("t", 0).offsets().log_end, 1);
    let failing = [
        ("nope", 0, batch(1).bytes()),
        ("t", 9, batch(1).bytes()),
        ("t", 0, Batch { corrupt: true, ..batch(1) }.bytes()),
        ("t", 0, batch_of(1_100_000).bytes()),
        ("t", 0, Bytes::new()),
    ];
    for (topic, index, records) in failing {
        let outcome = outcome(topic, index, records).await;
        let Outcome::Close(why) = outcome else { panic!("{topic}-{index}: {outcome:?}") };
        assert!(why.ends_with(&format!("{topic:?} partition {index}")), "{why}");
    }
    assert_eq!(bench.partition("t", 0).offsets().log_end, 1);
}

/// IDEM-01 to IDEM-05 and IDEM-10: the codes and offsets that Kafka 4.4 answered, in one session.
#[tokio::test]
async fn idempotent_producers_are_held_to_their_sequences() {
    let bench = Bench::with_topic(2);
    let start = [
        // (epoch, sequence, records) -> (code, base offset)
        (0, 0, 10, (0, 0)),
        (0, 0, 10, (0, 0)),
        (0, 5, 10, (45, -1)),
        (0, 0, 5, (45, -1)),
        (0, 20, 1, (45, -1)),
        (0, 10, 1, (0, 10)),
    ];
    let five_more = (11..16).map(|sequence| (0, sequence, 1, (0, i64::from(sequence))));
    let again = (11..16).rev().map(|sequence| (0, sequence, 1, (0, i64::from(sequence))));
    let older = [(0, 10, 1, (45, -1)), (0, 0, 1, (45, -1)), (0, 0, 10, (45, -1)), (0, 14, 2, (45, -1))];
    let epochs = [
        (1, 5, 1, (45, -1)),
        (1, 0, 1, (0, 16)),
        (0, 16, 1, (47, -1)),
        (0, 15, 1, (47, -1)),
        (3, 0, 1, (0, 17)),
    ];
    let steps = start.into_iter().chain(five_more).chain(again).chain(older).chain(epochs);
    for (step, (epoch, sequence, records, expected)) in steps.enumerate() {
        let answer = bench.append("t", 0, batch(records).by_producer(7, epoch, sequence).bytes()).await;
        assert_eq!((answer.error_code, answer.base_offset), expected, "step {step}");
        assert_eq!(answer.log_start_offset, 0, "step {step}: told with these errors as well");
    }
    // The first batch of a producer may begin anywhere, and sequences wrap to 0.
    let wrap =
        [(2_147_483_640, 5, (0, 0)), (2_147_483_645, 5, (0, 5)), (2_147_483_645, 5, (0, 5)), (2, 1, (0, 10))];
    for (sequence, records, expected) in wrap {
        let answer = bench.append("t", 1, batch(records).by_producer(8, 0, sequence).bytes()).await;
        assert_eq!((answer.error_code, answer.base_offset), expected, "sequence {sequence}");
    }
    let no_sequence = bench.append("t", 1, batch(1).by_producer(9, 0, -1).bytes()).await;
    assert_eq!(no_sequence.error_code, 87);
}

#[tokio::test]
async fn a_duplicate_is_told_with_the_time_of_the_original() {
    let bench = Bench::with_topic(1);
    let sent = batch(1).by_producer(7, 0, 0);
    assert_eq!(bench.append("t", 0, sent.bytes()).await.log_append_time_ms, -1);
    assert_eq!(bench.append("t", 0, sent.bytes()).await.log_append_time_ms, sent.timestamp);
}

#[tokio::test]
async fn a_deleted_topic_is_unknown_at_once() {
    let bench = Bench::with_topic(1);
    let partition = bench.partition("t", 0);
    bench.logs.remove("t", 0).expect("the folder can be renamed");
    assert_eq!(seen(&bench.append("t", 0, batch(1).bytes()).await), refused(3, -1));
    // A request that had the partition in its hands when the topic went.
    let rules = partition.rules(true, NOW);
    assert!(rules.is_none() && partition.is_deleted());
}
