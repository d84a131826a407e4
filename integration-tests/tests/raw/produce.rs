//! Produce: what is stored, and what the answer says (`PROD-*`).

use integration_tests::{
    Daybook,
    batch::{Batch, Codec, HEADER_BYTES, Record, now_ms, raw_snappy},
    stored,
    verbs::produce_request,
};

/// PROD-01: the batch that is too large is refused alone; the limit is on the bytes as sent.
#[test]
fn a_too_large_batch_is_refused_and_its_neighbour_stored() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[("max.message.bytes", "500")]);
    let large = Batch::of(&["x".repeat(1000).as_str()]);
    let mut request = produce_request("t", 0, large.encode(), -1);
    let good = produce_request("t", 1, Batch::of(&["x"]).encode(), -1);
    request.topic_data[0].partition_data.extend(good.topic_data[0].partition_data.clone());
    let answer = connection.ask(9, &request).responses.remove(0).partition_responses;
    let codes: Vec<_> = answer.iter().map(|partition| (partition.index, partition.error_code)).collect();
    assert_eq!(codes, [(0, 10), (1, 0)]);
    assert_eq!(connection.offsets("t", 0), (0, 0));
    assert_eq!(connection.offsets("t", 1), (0, 1));
    // The same thousand bytes, compressed below the limit, are welcome.
    assert_eq!(connection.produce("t", 0, &large.with_codec(Codec::Zstd)), 0);
}

/// PROD-01: a batch of exactly the limit is stored, one byte more is not.
#[test]
fn the_size_limit_includes_the_header_and_is_exact() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let size = Batch::of(&["exact"]).encode().len();
    connection.create_topic("t", 1, &[("max.message.bytes", &size.to_string())]);
    assert_eq!(connection.produce("t", 0, &Batch::of(&["exact"])), 0);
    assert_eq!(connection.try_produce("t", 0, Batch::of(&["exact!"]).encode()).error_code, 10);
}

/// PROD-04: the leader epoch in a produced batch is whatever the client wrote; ours is stored.
#[test]
fn the_leader_epoch_of_a_produced_batch_is_replaced() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for leader_epoch in [-1, 0, 5] {
        connection.produce("t", 0, &Batch { leader_epoch, ..Batch::of(&["x"]) });
    }
    let stored = connection.fetch("t", 0, 0);
    assert_eq!(stored.len(), 3);
    assert!(stored.iter().all(|batch| batch.leader_epoch == 0));
}

/// A batch is stored as it came: only base offset and leader epoch differ, for every codec.
#[test]
fn batches_are_stored_as_they_came() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for codec in Codec::ALL {
        let sent = Batch::keyed(&[("k", "one"), ("k", "two"), ("k", "three")]).with_codec(codec);
        let offset = connection.produce("t", 0, &sent);
        let stored = connection.fetch("t", 0, offset).remove(0);
        assert_eq!(stored.base_offset, offset);
        assert_eq!(stored.bytes[16..], sent.encode()[16..], "{codec:?}: magic, CRC and all behind");
    }
}

/// PROD-08: with LogAppendTime the answer, the batch and every record carry the broker's time.
#[test]
fn log_append_time_stamps_the_batch() {
    for codec in Codec::ALL {
        let daybook = Daybook::start(&[]);
        let mut connection = daybook.connect();
        connection.create_topic("t", 1, &[("message.timestamp.type", "LogAppendTime")]);
        let before_ms = now_ms();
        let batch = Batch::of(&["x", "y"]).at(1_000).with_codec(codec);
        let answer = connection.try_produce("t", 0, batch.encode());
        assert_eq!(answer.error_code, 0);
        assert!((before_ms..=now_ms()).contains(&answer.log_append_time_ms), "{answer:?}");
        // Reading checks the CRC.
        let stored = connection.fetch("t", 0, 0).remove(0);
        assert!(stored.is_log_append_time());
        assert_eq!(stored.max_timestamp_ms, answer.log_append_time_ms);
        assert!(stored.records.iter().all(|record| record.timestamp_ms == answer.log_append_time_ms));
    }
}

/// PROD-08: with CreateTime the answer's log_append_time is -1 and the client's times are kept.
#[test]
fn create_time_is_the_clients() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let at_ms = now_ms() - 60_000;
    let answer = connection.try_produce("t", 0, Batch::of(&["x"]).at(at_ms).encode());
    assert_eq!((answer.error_code, answer.log_append_time_ms, answer.log_start_offset), (0, -1, 0));
    let stored = connection.fetch("t", 0, 0).remove(0);
    assert!(!stored.is_log_append_time());
    assert_eq!(stored.records[0].timestamp_ms, at_ms);
}

/// PROD-12: null and empty stay different, for keys and values, also over a restart.
#[test]
fn null_and_empty_stay_different() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let (null, empty) = (None, Some(Vec::new()));
    let pairs = [(&null, &null), (&null, &empty), (&empty, &null), (&empty, &empty)];
    let records = pairs
        .iter()
        .map(|(key, value)| Record { key: (*key).clone(), value: (*value).clone(), ..Record::default() })
        .collect();
    connection.produce("t", 0, &Batch { records, ..Batch::default() });
    for restarted in [false, true] {
        if restarted {
            daybook.restart();
        }
        let stored = stored::records(&daybook.connect().fetch("t", 0, 0));
        for (stored, (key, value)) in stored.iter().zip(pairs) {
            assert_eq!((&stored.record.key, &stored.record.value), (key, value), "restarted: {restarted}");
        }
    }
}

/// PROD-13: headers keep order, repetition, emptiness and bytes, also over a restart.
#[test]
fn headers_are_kept_byte_for_byte() {
    let mut daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let headers: Vec<(String, Option<Vec<u8>>)> = [
        ("h", Some(&b"1"[..])),
        ("h", None),
        ("", Some(b"")),
        ("h", Some(b"\x00\xff\xfe")),
        ("z", Some(b"")),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.map(<[u8]>::to_vec)))
    .collect();
    for codec in Codec::ALL {
        let record = Record { headers: headers.clone(), ..Record::value("v") };
        connection.produce("t", 0, &Batch { records: vec![record], codec, ..Batch::default() });
    }
    daybook.restart();
    let stored = stored::records(&daybook.connect().fetch("t", 0, 0));
    assert_eq!(stored.len(), 5);
    assert!(stored.iter().all(|record| record.record.headers == headers));
}

/// PROD-16: min.insync.replicas=2 on one replica is capped by the replica count.
#[test]
fn min_insync_replicas_is_capped_by_the_replicas() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("min.insync.replicas", "2")]);
    assert_eq!(connection.produce("t", 0, &Batch::of(&["x"])), 0);
}

/// PROD-18: snappy in both framings is read wherever the broker must look inside.
#[test]
fn both_snappy_framings_are_validated_and_searched() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let at_ms = now_ms() - 10_000;
    let records: Vec<_> =
        (0..3).map(|delta| Record { timestamp_delta_ms: delta, ..Record::value("x") }).collect();
    let java = Batch { records, codec: Codec::Snappy, ..Batch::default() }.at(at_ms);
    let plain = Batch { codec: Codec::None, ..java.clone() }.encode();
    let librdkafka = Batch { payload: Some(raw_snappy(&plain[HEADER_BYTES..])), ..java.clone() };
    for (batch, base) in [(java, 0), (librdkafka, 3)] {
        assert_eq!(connection.produce("t", 0, &batch), base);
        let found = connection.list_offset("t", 0, at_ms + 1);
        assert_eq!(found, (1, at_ms + 1), "the first batch has the first such record");
    }
    assert_eq!(connection.fetch("t", 0, 0).len(), 2);
}

/// Topic compression: `producer` keeps the codec, another one re-encodes, `uncompressed` decompresses.
#[test]
fn compression_type_decides_how_batches_are_stored() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for (setting, codec) in [
        ("producer", Codec::Gzip),
        ("uncompressed", Codec::None),
        ("gzip", Codec::Gzip),
        ("snappy", Codec::Snappy),
        ("lz4", Codec::Lz4),
        ("zstd", Codec::Zstd),
    ] {
        connection.create_topic(setting, 1, &[("compression.type", setting)]);
        connection.produce(setting, 0, &Batch::of(&["a", "b"]).with_codec(Codec::Gzip));
        let stored = connection.fetch(setting, 0, 0);
        assert_eq!(stored[0].codec(), codec, "compression.type={setting}");
        assert_eq!(stored::values(&stored), ["a", "b"]);
    }
}

/// Acks other than -1, 0 and 1 are error 21 for every partition.
#[test]
fn unknown_acks_are_refused() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for acks in [2, -2, i16::MAX] {
        let request = produce_request("t", 0, Batch::of(&["x"]).encode(), acks);
        let answer = connection.ask(9, &request);
        assert_eq!(answer.responses[0].partition_responses[0].error_code, 21, "acks={acks}");
    }
    assert_eq!(connection.offsets("t", 0), (0, 0));
}

/// Acks 1 is answered like acks all: there is one replica.
#[test]
fn acks_1_is_stored_and_answered() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let request = produce_request("t", 0, Batch::of(&["x"]).encode(), 1);
    let answer = connection.ask(9, &request).responses.remove(0).partition_responses.remove(0);
    assert_eq!((answer.error_code, answer.base_offset), (0, 0));
}

/// Unknown topics and partitions get error 3, next to a partition that is stored.
#[test]
fn unknown_partitions_are_answered_one_by_one() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let good = Batch::of(&["x"]).encode();
    let mut request = produce_request("t", 0, good.clone(), -1);
    request.topic_data.extend(produce_request("nope", 0, good.clone(), -1).topic_data);
    request.topic_data[0]
        .partition_data
        .extend(produce_request("t", 9, good, -1).topic_data[0].partition_data.clone());
    let mut codes: Vec<_> = connection
        .ask(9, &request)
        .responses
        .iter()
        .flat_map(|topic| {
            topic.partition_responses.iter().map(|p| (topic.name.to_string(), p.index, p.error_code))
        })
        .collect();
    codes.sort();
    assert_eq!(codes, [("nope".to_owned(), 0, 3), ("t".to_owned(), 0, 0), ("t".to_owned(), 9, 3)]);
}

/// Produce v13 names topics by id; an unknown one is error 100.
#[test]
fn produce_13_names_topics_by_id() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let id = connection.create_topic("t", 1, &[]);
    for (id, error_code) in [(id, 0), (uuid::Uuid::from_u128(9), 100)] {
        let mut request = produce_request("", 0, Batch::of(&["x"]).encode(), -1);
        request.topic_data[0].topic_id = id;
        let answer = connection.ask(13, &request);
        assert_eq!(answer.responses[0].topic_id, id);
        assert_eq!(answer.responses[0].partition_responses[0].error_code, error_code);
    }
    assert_eq!(connection.offsets("t", 0), (0, 1));
}
