//! OffsetForLeaderEpoch as Apache Kafka answers it.

use super::handle;
use crate::testing::{Bench, batch, name};
use kafka_protocol::{
    messages::{
        OffsetForLeaderEpochRequest,
        offset_for_leader_epoch_request::{OffsetForLeaderPartition, OffsetForLeaderTopic},
    },
    protocol::Encodable,
};

/// Code, epoch and end offset.
async fn ask(
    bench: &Bench,
    version: i16,
    (topic, index): (&str, i32),
    epoch: i32,
    current: i32,
) -> (i16, i32, i64) {
    let partition = OffsetForLeaderPartition::default()
        .with_partition(index)
        .with_leader_epoch(epoch)
        .with_current_leader_epoch(current);
    let topic = OffsetForLeaderTopic::default().with_topic(name(topic)).with_partitions(vec![partition]);
    let request = OffsetForLeaderEpochRequest::default().with_topics(vec![topic]);
    let response = handle(version, request, &bench.logs).await;
    response.encode(&mut bytes::BytesMut::new(), version).expect("no field of another version");
    let answer = &response.topics[0].partitions[0];
    assert_eq!(answer.partition, index);
    (answer.error_code, answer.leader_epoch, answer.end_offset)
}

/// TRIM-04
#[tokio::test]
async fn epochs_end_where_the_next_one_starts() {
    let bench = Bench::with_topic(2);
    let partition = bench.partition("t", 0);
    bench.append("t", 0, batch(5).bytes()).await;
    partition.set_leader_epoch(3);
    bench.append("t", 0, batch(2).bytes()).await;
    for version in 2..=4 {
        let table = [
            (3, (0, 3, 7)),
            // Known ones up to the one that is asked for.
            (2, (0, 0, 5)),
            (0, (0, 0, 5)),
            // Newer than any, or undefined.
            (4, (0, -1, -1)),
            (99, (0, -1, -1)),
            (-1, (0, -1, -1)),
            // Older than any.
            (-2, (0, -2, 0)),
        ];
        for (epoch, expected) in table {
            assert_eq!(ask(&bench, version, ("t", 0), epoch, -1).await, expected, "epoch {epoch}");
        }
    }
    assert_eq!(ask(&bench, 4, ("t", 1), 0, -1).await, (0, 0, 0), "the present epoch of an empty log");
}

#[tokio::test]
async fn the_current_epoch_of_the_client_is_checked() {
    let bench = Bench::with_topic(1);
    for (current, code) in [(-1, 0), (0, 0), (1, 75), (-2, 74)] {
        assert_eq!(ask(&bench, 4, ("t", 0), 0, current).await.0, code, "current {current}");
    }
    assert_eq!(ask(&bench, 4, ("t", 9), 0, -1).await, (3, -1, -1));
    assert_eq!(ask(&bench, 4, ("nope", 0), 0, -1).await, (3, -1, -1));
}
