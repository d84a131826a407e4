//! Fetch as Apache Kafka answers it, on logs in a temporary folder; time is paused.

use crate::testing::{Bench, bases, batch, batch_of, from, from_id, name};
use kafka_protocol::messages::{
    BrokerId, FetchRequest, FetchResponse,
    fetch_request::{FetchPartition, ForgottenTopic},
    fetch_response::PartitionData,
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use uuid::Uuid;

/// Index, code, high watermark, base offsets of the batches.
type Seen = (i32, i16, i64, Vec<i64>);

fn seen(response: &FetchResponse) -> Vec<Seen> {
    let partitions = response.responses.iter().flat_map(|topic| &topic.partitions);
    partitions.map(|data| (data.partition_index, data.error_code, data.high_watermark, bases(data))).collect()
}

/// A topic `t`: three batches of five records in partition 0, one of two in partition 1, none in partition 2.
async fn filled() -> Bench {
    let bench = Bench::with_topic(3);
    for _ in 0..3 {
        bench.append("t", 0, batch(5).bytes()).await;
    }
    bench.append("t", 1, batch(2).bytes()).await;
    bench
}

fn waiting(request: FetchRequest, max_wait_ms: i32) -> FetchRequest {
    request.with_max_wait_ms(max_wait_ms)
}

/// The request with every partition changed.
fn each(mut request: FetchRequest, change: impl Fn(&mut FetchPartition)) -> FetchRequest {
    request.topics.iter_mut().flat_map(|topic| &mut topic.partitions).for_each(change);
    request
}

/// The answer, and how long it took.
async fn timed(bench: &Bench, version: i16, request: FetchRequest) -> (FetchResponse, Duration) {
    let start = Instant::now();
    let response = bench.fetch(version, request).await;
    (response, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn every_version_reads() {
    let bench = filled().await;
    let id = bench.id_of("t");
    for version in 4..=18 {
        let request = from("t", &[(0, 0)]);
        let request = if version >= 13 { from_id(id, request) } else { request };
        let response = bench.fetch(version, request).await;
        assert_eq!(seen(&response), [(0, 0, 15, vec![0, 5, 10])], "version {version}");
        let topic = &response.responses[0];
        let expected = if version >= 13 { (name(""), id) } else { (name("t"), Uuid::nil()) };
        assert_eq!((topic.topic.clone(), topic.topic_id), expected);
        let data = &topic.partitions[0];
        assert_eq!((data.last_stable_offset, data.log_start_offset), (15, 0));
        assert_eq!((data.aborted_transactions.as_ref(), data.preferred_read_replica), (None, BrokerId(-1)));
    }
}

/// FETCH-01, FETCH-02
#[tokio::test(start_paused = true)]
async fn at_the_end_it_waits_and_outside_the_log_it_answers_at_once() {
    let bench = filled().await;
    bench.partition("t", 1).delete_records(1).expect("within the log");
    let (response, took) = timed(&bench, 12, waiting(from("t", &[(0, 15)]), 400)).await;
    assert_eq!((seen(&response), took), (vec![(0, 0, 15, vec![])], Duration::from_millis(400)));
    for (index, offset) in [(0, 16), (0, -1), (1, 0)] {
        let (response, took) = timed(&bench, 12, waiting(from("t", &[(index, offset)]), 2000)).await;
        assert_eq!((seen(&response), took), (vec![(index, 1, -1, vec![])], Duration::ZERO));
        let data = &response.responses[0].partitions[0];
        assert_eq!((data.last_stable_offset, data.log_start_offset), (-1, -1));
        assert_eq!(data.aborted_transactions, None);
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_partitions_are_answered_last_and_end_the_wait_only_when_alone() {
    let bench = filled().await;
    let id = bench.id_of("t");
    let alone: [(i16, FetchRequest, i16); 5] = [
        (12, from("nope", &[(0, 0)]), 3),
        (12, from("t", &[(9, 0)]), 3),
        (13, from_id(Uuid::max(), from("", &[(0, 0)])), 100),
        (13, from_id(Uuid::nil(), from("", &[(0, 0)])), 100),
        (13, from_id(id, from("", &[(9, 0)])), 3),
    ];
    for (version, request, code) in alone {
        let (response, took) = timed(&bench, version, waiting(request, 2000)).await;
        let data: &PartitionData = &response.responses[0].partitions[0];
        assert_eq!((data.error_code, data.high_watermark, took), (code, -1, Duration::ZERO));
        assert_eq!(data.aborted_transactions, Some(vec![]), "as Kafka has it for what it never looked at");
    }
    let (response, took) = timed(&bench, 12, waiting(from("t", &[(9, 0), (0, 15)]), 400)).await;
    assert_eq!(seen(&response), [(0, 0, 15, vec![]), (9, 3, -1, vec![])]);
    assert_eq!(took, Duration::from_millis(400));
}

/// FETCH-09
#[tokio::test(start_paused = true)]
async fn an_offset_inside_a_batch_gives_the_whole_batch() {
    let bench = filled().await;
    assert_eq!(bases(&bench.read(0, 7).await), [5, 10]);
}

/// FETCH-07
#[tokio::test(start_paused = true)]
async fn the_first_data_comes_whole_and_all_else_keeps_to_the_limits() {
    let bench = filled().await;
    let one = batch(5).bytes().len() as i32;
    type Case = (&'static str, &'static [i32], i32, i32, Vec<Vec<i64>>);
    let table: [Case; 9] = [
        // partitions, max_bytes, partition_max_bytes, base offsets by partition
        ("max_bytes 1", &[0], 1, 1 << 20, vec![vec![0]]),
        ("partition_max_bytes 1", &[0], 1 << 20, 1, vec![vec![0]]),
        ("both 0", &[0], 0, 0, vec![vec![0]]),
        ("exactly one batch", &[0], 1 << 20, one, vec![vec![0]]),
        ("two batches less a byte", &[0], 1 << 20, 2 * one - 1, vec![vec![0]]),
        ("two batches", &[0], 1 << 20, 2 * one, vec![vec![0, 5]]),
        ("two partitions, max_bytes 1", &[0, 1], 1, 1 << 20, vec![vec![0], vec![]]),
        ("two partitions, partition_max_bytes 1", &[0, 1], 1 << 20, 1, vec![vec![0], vec![]]),
        ("empty first", &[2, 0, 1], 1, 1 << 20, vec![vec![], vec![0], vec![]]),
    ];
    for (case, partitions, max_bytes, partition_max_bytes, expected) in table {
        let partitions: Vec<_> = partitions.iter().map(|&index| (index, 0)).collect();
        let request = each(from("t", &partitions), |asked| asked.partition_max_bytes = partition_max_bytes);
        let response = bench.fetch(11, request.with_max_bytes(max_bytes)).await;
        let got: Vec<_> = seen(&response).into_iter().map(|(.., bases)| bases).collect();
        assert_eq!(got, expected, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_partition_that_is_named_twice_is_read_once_as_named_last() {
    let bench = filled().await;
    let response = bench.fetch(11, from("t", &[(0, 0), (1, 0), (0, 10)])).await;
    assert_eq!(seen(&response), [(0, 0, 15, vec![10]), (1, 0, 2, vec![0])]);
}

#[tokio::test(start_paused = true)]
async fn min_bytes_decides_how_long_to_wait() {
    let bench = filled().await;
    let huge = from("t", &[(0, 0)]).with_min_bytes(1 << 20);
    let (response, took) = timed(&bench, 12, waiting(huge.clone(), 300)).await;
    assert_eq!(seen(&response), [(0, 0, 15, vec![0, 5, 10])]);
    assert_eq!(took, Duration::from_millis(300));
    // More than max_bytes can never come, so it is not waited for.
    let (_, took) = timed(&bench, 12, waiting(huge.with_max_bytes(1), 300)).await;
    assert_eq!(took, Duration::ZERO);
    let at_once = [(0, 2000), (1, 0), (1, -1)];
    for (min_bytes, max_wait_ms) in at_once {
        let request = from("t", &[(0, 15)]).with_min_bytes(min_bytes);
        let (response, took) = timed(&bench, 12, waiting(request, max_wait_ms)).await;
        assert_eq!((seen(&response), took), (vec![(0, 0, 15, vec![])], Duration::ZERO));
    }
    let nothing = waiting(from("t", &[]), 1000);
    let (response, took) = timed(&bench, 12, nothing.with_topics(vec![])).await;
    assert_eq!((seen(&response), took), (vec![], Duration::ZERO));
}

/// FETCH-03
#[tokio::test(start_paused = true)]
async fn a_parked_fetch_is_woken_by_an_append_to_any_of_its_partitions() {
    let bench = Arc::new(filled().await);
    let parked = tokio::spawn({
        let bench = bench.clone();
        async move { timed(&bench, 12, waiting(from("t", &[(0, 15), (1, 2), (2, 0)]), 5000)).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(bench.partition("t", 2).watch().waiting(), 1);
    bench.append("t", 2, batch(1).bytes()).await;
    let (response, took) = parked.await.expect("no panic");
    assert_eq!(seen(&response), [(0, 0, 15, vec![]), (1, 0, 2, vec![]), (2, 0, 1, vec![0])]);
    assert_eq!(took, Duration::from_millis(100));
    assert_eq!(bench.partition("t", 2).watch().waiting(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_parked_fetch_waits_until_there_are_enough_bytes() {
    let bench = Arc::new(Bench::with_topic(1));
    let parked = tokio::spawn({
        let bench = bench.clone();
        let request = waiting(from("t", &[(0, 0)]), 5000).with_min_bytes(1000);
        async move { timed(&bench, 12, request).await }
    });
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!parked.is_finished());
        bench.append("t", 0, batch_of(500).bytes()).await;
    }
    let (response, took) = parked.await.expect("no panic");
    assert_eq!((seen(&response), took), (vec![(0, 0, 2, vec![0, 1])], Duration::from_millis(200)));
}

/// FETCH-17
#[tokio::test(start_paused = true)]
async fn a_parked_fetch_ends_when_its_topic_is_deleted() {
    let bench = Arc::new(filled().await);
    let id = bench.id_of("t");
    let parked = tokio::spawn({
        let bench = bench.clone();
        async move { timed(&bench, 13, waiting(from_id(id, from("", &[(0, 15)])), 4000)).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    bench.logs.remove("t", 0).expect("the folder can be renamed");
    let (response, took) = parked.await.expect("no panic");
    assert_eq!((seen(&response), took), (vec![(0, 3, -1, vec![])], Duration::from_millis(100)));
}

#[tokio::test(start_paused = true)]
async fn a_parked_fetch_notices_when_its_offset_is_trimmed_away() {
    let bench = Arc::new(filled().await);
    let parked = tokio::spawn({
        let bench = bench.clone();
        let request = waiting(from("t", &[(0, 10)]), 4000).with_min_bytes(1 << 19);
        async move { timed(&bench, 12, request).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    bench.partition("t", 0).delete_records(12).expect("within the log");
    let (response, took) = parked.await.expect("no panic");
    assert_eq!((seen(&response), took), (vec![(0, 1, -1, vec![])], Duration::from_millis(100)));
}

/// FETCH-14
#[tokio::test(start_paused = true)]
async fn the_leader_epoch_of_the_client_is_checked() {
    let bench = filled().await;
    let id = bench.id_of("t");
    bench.partition("t", 0).set_leader_epoch(3);
    for (epoch, code) in [(-1, 0), (-2, 0), (3, 0), (2, 74), (0, 74), (4, 75), (99, 75)] {
        let request = each(from_id(id, from("", &[(0, 0)])), |asked| asked.current_leader_epoch = epoch);
        let (response, took) = timed(&bench, 17, waiting(request, 1000)).await;
        let data = &response.responses[0].partitions[0];
        assert_eq!((data.error_code, took), (code, Duration::ZERO), "epoch {epoch}");
        // KIP-951: whoever is behind is told where the leader is.
        let told = (data.current_leader.leader_id.0, data.current_leader.leader_epoch);
        let expected = if code == 74 { ((1, 3), 1) } else { ((-1, -1), 0) };
        assert_eq!((told, response.node_endpoints.len()), expected, "epoch {epoch}");
    }
    let older = each(from("t", &[(0, 0)]), |asked| asked.current_leader_epoch = 0);
    assert_eq!(bench.fetch(12, older).await.node_endpoints, []);
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_history_leaves_ours_is_told_where() {
    let bench = filled().await;
    let table = [
        // (last fetched epoch, offset) -> (code, diverging epoch and its end)
        ((0, 3), (0, None)),
        ((0, 15), (0, None)),
        ((0, 16), (0, Some((0, 15)))),
        ((1, 3), (1, None)),
        ((5, 0), (1, None)),
        ((-1, 3), (0, None)),
    ];
    for ((epoch, offset), (code, diverging)) in table {
        let request = each(from("t", &[(0, offset)]), |asked| asked.last_fetched_epoch = epoch);
        let request = request.with_isolation_level(1);
        let (response, took) = timed(&bench, 12, waiting(request, 0)).await;
        let data = &response.responses[0].partitions[0];
        let told = (data.diverging_epoch.epoch >= 0)
            .then_some((data.diverging_epoch.epoch, data.diverging_epoch.end_offset));
        assert_eq!((data.error_code, told, took), (code, diverging, Duration::ZERO), "{epoch} at {offset}");
        assert!(diverging.is_none() || (bases(data).is_empty() && data.high_watermark == 15));
        assert_eq!(data.aborted_transactions.is_some(), code == 0 && diverging.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn isolation_levels() {
    let bench = filled().await;
    let committed = bench.fetch(12, from("t", &[(0, 0)]).with_isolation_level(1)).await;
    assert_eq!(committed.responses[0].partitions[0].aborted_transactions, Some(vec![]));
    for (version, isolation) in [(4, 2), (12, 2), (12, -1)] {
        let (response, took) =
            timed(&bench, version, waiting(from("t", &[(0, 15)]).with_isolation_level(isolation), 1000))
                .await;
        assert_eq!((response.error_code, seen(&response)), (42, vec![(0, 42, -1, vec![])]));
        assert_eq!(took, Duration::ZERO);
    }
}

/// FETCH-13
#[tokio::test(start_paused = true)]
async fn replicas_are_refused_and_racks_change_nothing() {
    let bench = filled().await;
    for (replica, code) in [(1, 6), (-2, 0)] {
        let response = bench.fetch(12, from("t", &[(0, 0)]).with_replica_id(BrokerId(replica))).await;
        assert_eq!(response.responses[0].partitions[0].error_code, code);
    }
    let racked = from("t", &[(0, 0)]).with_rack_id("r1".into());
    assert_eq!(seen(&bench.fetch(12, racked).await), [(0, 0, 15, vec![0, 5, 10])]);
    let negative = each(from("t", &[(0, 0)]), |asked| asked.partition_max_bytes = -1);
    assert_eq!(seen(&bench.fetch(12, negative).await), [(0, 42, -1, vec![])]);
}

/// A session request that lists partitions of `t` at offset 0.
fn session(id: i32, epoch: i32, partitions: &[i32]) -> FetchRequest {
    let partitions: Vec<_> = partitions.iter().map(|&index| (index, 0)).collect();
    let mut request = from("t", &partitions).with_session_id(id).with_session_epoch(epoch);
    if partitions.is_empty() {
        request.topics.clear();
    }
    waiting(request, 50)
}

/// FETCH-10, as a session that Kafka 4.4 was asked the same way.
#[tokio::test(start_paused = true)]
async fn a_session_from_beginning_to_end() {
    let bench = Bench::with_topic(2);
    bench.append("t", 0, batch(2).bytes()).await;
    let response = bench.fetch(12, session(0, 0, &[0, 1])).await;
    let id = response.session_id;
    assert!(id > 0);
    assert_eq!(seen(&response), [(0, 0, 2, vec![0]), (1, 0, 0, vec![])]);

    let moved = each(session(id, 1, &[0]), |asked| asked.fetch_offset = 2);
    assert_eq!(seen(&bench.fetch(12, moved).await), []);
    // FETCH-04: nothing listed, and yet it waits.
    let (response, took) = timed(&bench, 12, session(id, 2, &[])).await;
    assert_eq!((response.session_id, seen(&response), took), (id, vec![], Duration::from_millis(50)));

    bench.append("t", 1, batch(1).bytes()).await;
    for epoch in [3, 4] {
        let response = bench.fetch(12, session(id, epoch, &[])).await;
        assert_eq!(seen(&response), [(1, 0, 1, vec![0])], "the position did not move");
    }
    for epoch in [4, 9] {
        let response = bench.fetch(12, session(id, epoch, &[])).await;
        assert_eq!((response.error_code, response.session_id, seen(&response)), (71, 0, vec![]));
    }
    let forget = |epoch, partitions: Vec<i32>| {
        let topic = ForgottenTopic::default().with_topic(name("t")).with_partitions(partitions);
        session(id, epoch, &[]).with_forgotten_topics_data(vec![topic])
    };
    assert_eq!(seen(&bench.fetch(12, forget(5, vec![1])).await), []);
    for (epoch, listed) in [(6, &[9][..]), (7, &[])] {
        let response = bench.fetch(12, session(id, epoch, listed)).await;
        assert_eq!(seen(&response), [(9, 3, -1, vec![])], "errors are told every time");
    }
    let response = bench.fetch(12, forget(8, vec![0, 9])).await;
    assert_eq!((response.error_code, response.session_id, seen(&response)), (0, 0, vec![]));
    assert_eq!(bench.fetch(12, session(id, 9, &[])).await.error_code, 70);

    let id = bench.fetch(12, session(0, 0, &[0])).await.session_id;
    let by_ids = from_id(bench.id_of("t"), session(id, 1, &[0]));
    assert_eq!(bench.fetch(13, by_ids).await.error_code, 106);
}

#[tokio::test(start_paused = true)]
async fn versions_before_sessions_never_get_one() {
    let bench = filled().await;
    // What the protocol crate gives for fields that the version lacks.
    let request = from("t", &[(0, 0)]).with_session_id(0).with_session_epoch(-1);
    assert_eq!(bench.fetch(6, request).await.session_id, 0);
    assert!(bench.sessions.is_empty());
}
