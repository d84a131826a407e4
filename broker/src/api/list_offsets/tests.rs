//! ListOffsets as Apache Kafka answers it.

use super::handle;
use crate::testing::{Batch, Bench, Record, batch, name, record};
use kafka_protocol::{
    messages::{
        ListOffsetsRequest,
        list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic},
        list_offsets_response::ListOffsetsPartitionResponse,
    },
    protocol::Encodable,
};

fn timed(base: i64, deltas: &[i64]) -> bytes::Bytes {
    let records = deltas.iter().map(|&timestamp_delta| Record { timestamp_delta, ..record() }).collect();
    Batch { records, timestamp: base, ..batch(0) }.bytes()
}

/// Partition 0 of `t`: times 2 4 8 6, then 100 to 149, then 500 500 500 507 500.
async fn filled() -> Bench {
    let bench = Bench::with_topic(3);
    bench.append("t", 0, timed(2, &[0, 2, 6, 4])).await;
    bench.append("t", 0, timed(100, &(0..50).collect::<Vec<_>>())).await;
    bench.append("t", 0, timed(500, &[0, 0, 0, 7, 0])).await;
    bench
}

fn asking(asked: &[(i32, i64)]) -> ListOffsetsRequest {
    let partition = |&(index, timestamp): &(i32, i64)| {
        ListOffsetsPartition::default()
            .with_partition_index(index)
            .with_timestamp(timestamp)
            .with_current_leader_epoch(-1)
    };
    let topic = ListOffsetsTopic::default()
        .with_name(name("t"))
        .with_partitions(asked.iter().map(partition).collect());
    ListOffsetsRequest::default().with_topics(vec![topic])
}

async fn ask(bench: &Bench, version: i16, request: ListOffsetsRequest) -> Vec<ListOffsetsPartitionResponse> {
    let response = handle(version, request, &bench.logs).await;
    response.encode(&mut bytes::BytesMut::new(), version).expect("no field of another version");
    response.topics[0].partitions.clone()
}

/// Code, offset, timestamp, leader epoch.
async fn one(bench: &Bench, version: i16, index: i32, timestamp: i64) -> (i16, i64, i64, i32) {
    let answer = &ask(bench, version, asking(&[(index, timestamp)])).await[0];
    (answer.error_code, answer.offset, answer.timestamp, answer.leader_epoch)
}

const UNKNOWN_VERSION: (i16, i64, i64, i32) = (35, -1, -1, -1);
const NOTHING: (i16, i64, i64, i32) = (0, -1, -1, -1);

/// LIST-01, LIST-06
#[tokio::test]
async fn special_times_by_version() {
    let bench = filled().await;
    for version in 1..=10 {
        let since = |first: i16, answer| if version >= first { answer } else { UNKNOWN_VERSION };
        // Before version 4 there is no place for the epoch.
        let epoch = if version >= 4 { 0 } else { -1 };
        let table = [
            (-1, (0, 59, -1, epoch)),
            (-2, (0, 0, -1, epoch)),
            (-3, since(7, (0, 57, 507, epoch))),
            (-4, since(8, (0, 0, -1, epoch))),
            (-5, since(9, NOTHING)),
            (-6, UNKNOWN_VERSION),
            (-7, UNKNOWN_VERSION),
            (0, (0, 0, 2, epoch)),
            (5, (0, 2, 8, epoch)),
        ];
        for (timestamp, expected) in table {
            assert_eq!(
                one(&bench, version, 0, timestamp).await,
                expected,
                "version {version} time {timestamp}"
            );
        }
    }
}

/// LIST-02, LIST-04
#[tokio::test]
async fn a_time_finds_the_first_record_at_or_after_it() {
    let bench = filled().await;
    let table = [
        (2, 0, 2),
        (3, 1, 4),
        (4, 1, 4),
        (7, 2, 8),
        (8, 2, 8),
        (9, 4, 100),
        (129, 33, 129),
        (150, 54, 500),
        (507, 57, 507),
    ];
    for (asked, offset, timestamp) in table {
        assert_eq!(one(&bench, 7, 0, asked).await, (0, offset, timestamp, 0), "time {asked}");
    }
    assert_eq!(one(&bench, 7, 0, 508).await, NOTHING);
}

/// LIST-01, LIST-03
#[tokio::test]
async fn empty_and_trimmed_partitions() {
    let bench = filled().await;
    assert_eq!(one(&bench, 7, 1, -1).await, (0, 0, -1, 0));
    assert_eq!(one(&bench, 7, 1, -2).await, (0, 0, -1, 0));
    bench.partition("t", 0).delete_records(33).expect("within the log");
    assert_eq!(one(&bench, 7, 0, -2).await, (0, 33, -1, 0));
    assert_eq!(one(&bench, 7, 0, 5).await, (0, 33, 129, 0), "not below the log start");
    bench.partition("t", 0).delete_records(-1).expect("always");
    assert_eq!(one(&bench, 7, 0, -1).await, (0, 59, -1, 0));
    assert_eq!(one(&bench, 7, 0, -2).await, (0, 59, -1, 0));
    for (index, timestamp) in [(0, 5), (1, 0), (1, -3)] {
        assert_eq!(one(&bench, 7, index, timestamp).await, NOTHING, "time {timestamp} of {index}");
    }
}

/// LIST-10
#[tokio::test]
async fn unknown_and_duplicate_partitions() {
    let bench = filled().await;
    for timestamp in [-1, -2, -3, 0] {
        assert_eq!(one(&bench, 7, 9, timestamp).await, (3, -1, -1, -1));
    }
    let answers = ask(&bench, 7, asking(&[(0, -1), (1, -1), (0, -2), (9, -2)])).await;
    let got: Vec<_> = answers.iter().map(|answer| (answer.partition_index, answer.error_code)).collect();
    assert_eq!(got, [(1, 0), (0, 42), (9, 3)]);
}

#[tokio::test]
async fn leader_epochs_and_isolation_levels() {
    let bench = filled().await;
    bench.partition("t", 0).set_leader_epoch(2);
    for (epoch, code) in [(-1, 0), (2, 0), (1, 74), (-2, 74), (3, 75)] {
        let mut request = asking(&[(0, -1)]);
        request.topics[0].partitions[0].current_leader_epoch = epoch;
        assert_eq!(ask(&bench, 7, request).await[0].error_code, code, "epoch {epoch}");
    }
    for (isolation, code) in [(0, 0), (1, 0), (5, 42)] {
        let answer = &ask(&bench, 7, asking(&[(0, -1)]).with_isolation_level(isolation)).await[0];
        assert_eq!(answer.error_code, code, "isolation {isolation}");
    }
    // The end belongs to the present epoch, what was written before to the one it was written in.
    assert_eq!(one(&bench, 7, 0, -1).await, (0, 59, -1, 2));
    assert_eq!(one(&bench, 7, 0, -2).await, (0, 0, -1, 0));
}
