//! DeleteRecords as Apache Kafka answers it.

use super::handle;
use crate::testing::{Bench, bases, batch, name};
use kafka_protocol::{
    messages::{
        DeleteRecordsRequest,
        delete_records_request::{DeleteRecordsPartition, DeleteRecordsTopic},
    },
    protocol::Encodable,
};
use std::fs;

/// Index, low watermark and code for each partition.
async fn delete(bench: &Bench, version: i16, topic: &str, asked: &[(i32, i64)]) -> Vec<(i32, i64, i16)> {
    let partition = |&(index, offset): &(i32, i64)| {
        DeleteRecordsPartition::default().with_partition_index(index).with_offset(offset)
    };
    let topic = DeleteRecordsTopic::default()
        .with_name(name(topic))
        .with_partitions(asked.iter().map(partition).collect());
    let request = DeleteRecordsRequest::default().with_topics(vec![topic]);
    let response = handle(version, request, &bench.logs).await;
    response.encode(&mut bytes::BytesMut::new(), version).expect("no field of another version");
    let answers = &response.topics[0].partitions;
    answers.iter().map(|p| (p.partition_index, p.low_watermark, p.error_code)).collect()
}

/// TRIM-01, TRIM-02
#[tokio::test]
async fn the_log_start_moves_to_any_offset_within_the_log() {
    let bench = Bench::with_topic(2);
    for _ in 0..2 {
        bench.append("t", 0, batch(10).bytes()).await;
    }
    for version in 0..=2 {
        assert_eq!(delete(&bench, version, "t", &[(0, 0)]).await, [(0, 0, 0)]);
    }
    assert_eq!(delete(&bench, 2, "t", &[(0, 13)]).await, [(0, 13, 0)]);
    assert_eq!(bench.read(0, 12).await.error_code, 1);
    let data = bench.read(0, 13).await;
    assert_eq!((bases(&data), data.log_start_offset), (vec![10], 13));

    for (offset, low_watermark, code) in
        [(5, 13, 0), (13, 13, 0), (21, -1, 1), (-2, -1, 1), (-5, -1, 1), (-1, 20, 0)]
    {
        assert_eq!(delete(&bench, 2, "t", &[(0, offset)]).await, [(0, low_watermark, code)], "to {offset}");
    }
    let answer = bench.append("t", 0, batch(1).bytes()).await;
    assert_eq!((answer.base_offset, answer.log_start_offset), (20, 20));
    assert_eq!(delete(&bench, 2, "t", &[(1, 0), (1, 1), (0, 20), (0, 20)]).await, [(1, -1, 1), (0, 20, 0)]);
}

#[tokio::test]
async fn what_cannot_be_trimmed_has_its_code() {
    let mut bench = Bench::with_topic(1);
    bench.topic("__consumer_offsets", 1, |_| {});
    bench.topic("compact", 1, |config| (config.log.compact, config.log.delete) = (true, false));
    bench.topic("both", 1, |config| (config.log.compact, config.log.delete) = (true, true));
    bench.topic("neither", 1, |config| (config.log.compact, config.log.delete) = (false, false));
    for topic in ["compact", "both", "neither"] {
        bench.append(topic, 0, batch(3).bytes()).await;
    }
    let table = [
        ("t", 9, (-1, 3)),
        ("nope", 0, (-1, 3)),
        ("__consumer_offsets", 0, (-1, 17)),
        ("compact", 0, (-1, 44)),
        ("both", 0, (1, 0)),
        ("neither", 0, (1, 0)),
    ];
    for (topic, index, (low_watermark, code)) in table {
        assert_eq!(delete(&bench, 2, topic, &[(index, 1)]).await, [(index, low_watermark, code)], "{topic}");
    }
}

/// TRIM-01: a crash right after the answer does not bring the records back.
#[tokio::test]
async fn the_new_start_is_on_disk_before_the_answer() {
    let bench = Bench::with_topic(1);
    bench.append("t", 0, batch(10).bytes()).await;
    delete(&bench, 2, "t", &[(0, 7)]).await;
    let checkpoint = fs::read_to_string(bench.dir.path().join("log-start-offset-checkpoint"));
    assert_eq!(checkpoint.expect("the file is there"), "0\n1\nt 0 7\n");
}
