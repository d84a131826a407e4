//! Frames, order and what closes a connection (`WIRE-*`).

use bytes::{BufMut, Bytes, BytesMut};
use integration_tests::{
    Connection, Daybook,
    batch::Batch,
    connection::{Next, decode, with_length},
    eventually, topic_name,
    verbs::{fetch_request, produce_request},
};
use kafka_protocol::{
    messages::{metadata_request::MetadataRequestTopic, *},
    protocol::Request,
};
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

const SOON: Duration = Duration::from_secs(5);

fn brokers_only() -> MetadataRequest {
    MetadataRequest::default().with_topics(Some(Vec::new()))
}

fn assert_serves(connection: &mut Connection) {
    assert_eq!(connection.ask(12, &brokers_only()).brokers.len(), 1);
}

/// WIRE-01: replies leave in request order although the later ones are ready first.
#[test]
fn replies_come_in_request_order_behind_a_parked_fetch() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let parked = fetch_request("t", &[(0, 0)]).with_max_wait_ms(1_000);
    let list = ListOffsetsRequest::default().with_replica_id(BrokerId(-1));
    let mut segment = BytesMut::new();
    segment.put(connection.frame(12, &parked, 41));
    segment.put(connection.frame(12, &brokers_only(), 42));
    segment.put(connection.frame(7, &list, 43));

    let asked_at = Instant::now();
    connection.write(&segment);

    assert_eq!(connection.answer::<FetchRequest>(12).0, 41);
    assert!(asked_at.elapsed() >= Duration::from_millis(900), "the fetch waits for its max_wait_ms");
    assert_eq!(connection.answer::<MetadataRequest>(12).0, 42);
    assert_eq!(connection.answer::<ListOffsetsRequest>(7).0, 43);
    assert!(asked_at.elapsed() < Duration::from_secs(3), "the others wait for nothing else");
}

/// WIRE-02: a produce with acks=0 is followed by the next request's reply, and nothing before it.
#[test]
fn acks_0_gets_no_reply_and_blocks_nothing() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    for round in 0..100 {
        connection.send(9, &produce_request("t", 0, Batch::of(&["x"]).encode(), 0));
        let asked = connection.send(12, &brokers_only());
        assert_eq!(connection.answer::<MetadataRequest>(12).0, asked, "round {round}");
    }
    assert_eq!(connection.offsets("t", 0), (0, 100));
}

/// WIRE-03: a produce with acks=0 that fails closes the connection, the only way to tell the client.
#[test]
fn a_failing_produce_with_acks_0_closes_the_connection() {
    let daybook = Daybook::start(&[("auto.create.topics.enable", "false")]);
    daybook.connect().create_topic("t", 1, &[("max.message.bytes", "100")]);
    let too_large = Batch::of(&["x".repeat(200).as_str()]);
    for (topic, partition, batch) in
        [("t", 0, too_large), ("t", 1, Batch::of(&["x"])), ("nope", 0, Batch::of(&["x"]))]
    {
        let mut connection = daybook.connect();
        connection.send(9, &produce_request(topic, partition, batch.encode(), 0));
        connection.assert_closed();
    }
    assert_eq!(daybook.connect().offsets("t", 0), (0, 0), "nothing is stored");
}

/// WIRE-04: a negative length closes that connection, allocates nothing and disturbs nobody.
#[test]
fn a_negative_length_closes_that_connection_only() {
    let daybook = Daybook::start(&[]);
    let mut other = daybook.connect();
    assert_serves(&mut other);
    let memory_before = daybook.resident_kib();
    for length in [-1_i32, i32::MIN, i32::MAX, 104_857_601] {
        let mut connection = daybook.connect();
        connection.write(&length.to_be_bytes());
        connection.assert_closed();
    }
    assert_serves(&mut other);
    let grown = daybook.resident_kib().saturating_sub(memory_before);
    assert!(grown < 8 * 1024, "memory grew by {grown} KiB");
}

/// WIRE-05: HTTP, a TLS hello and noise are closed at once, with a log line that says who and what it was.
#[test]
fn other_protocols_are_closed_and_named_in_the_log() {
    let daybook = Daybook::start(&[]);
    for (bytes, name) in [
        (&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], "HTTP"),
        (&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], "TLS"),
    ] {
        let mut connection = daybook.connect();
        let from = connection.stream().local_addr().expect("connected");
        connection.write(bytes);
        connection.write(&[0; 600]);
        connection.assert_closed();
        eventually("a log line", SOON, || {
            daybook.log().lines().any(|line| line.contains(name) && line.contains(&from.to_string()))
        });
    }
    let mut noise = daybook.connect();
    noise.write(&[0xee; 64]);
    noise.assert_closed();
    assert_serves(&mut daybook.connect());
}

/// WIRE-09: an unknown key, or a version that is not offered, closes without a reply; the log names both.
#[test]
fn an_unknown_key_or_version_closes_and_is_logged() {
    let daybook = Daybook::start(&[]);
    for (key, version) in [(999_i16, 0_i16), (-1, 0), (4, 0), (1, 99), (1, 3), (3, -1), (0, 2), (17, 0)] {
        let mut connection = daybook.connect();
        let mut body = BytesMut::new();
        body.put_i16(key);
        body.put_i16(version);
        body.put_i32(5);
        body.put_i16(5);
        body.put_slice(b"probe");
        // The end of a flexible header; behind an old one it is a byte of the body.
        body.put_u8(0);
        connection.write(&with_length(&body));
        assert_eq!(connection.next(SOON), Next::Closed, "api key {key} version {version}");
    }
    eventually("a log line with client id and version", SOON, || {
        daybook.log().lines().any(|line| line.contains("probe") && line.contains("99"))
    });
}

/// WIRE-11: unknown tagged fields in header and body are skipped by their size.
#[test]
fn unknown_tagged_fields_are_skipped() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    connection.produce("t", 0, &Batch::of(&["x"]));
    let extra = || Bytes::from_static(b"abc");

    let metadata = brokers_only().with_unknown_tagged_field(4000, extra());
    connection.write(&tagged_header_frame(12, &metadata));
    let Next::Frame(frame) = connection.next(SOON) else { panic!("no answer") };
    assert_eq!(decode::<MetadataRequest>(frame, 12).1.brokers.len(), 1);

    let fetch = fetch_request("t", &[(0, 0)]).with_unknown_tagged_field(4000, extra());
    connection.write(&tagged_header_frame(12, &fetch));
    let (_, answer) = connection.answer::<FetchRequest>(12);
    assert!(!answer.responses[0].partitions[0].records.as_ref().expect("not null").is_empty());
}

fn tagged_header_frame<R: Request>(version: i16, request: &R) -> Bytes {
    let mut body = BytesMut::new();
    body.put_i16(R::KEY);
    body.put_i16(version);
    body.put_i32(77);
    body.put_i16(1);
    body.put_slice(b"p");
    // One tagged field: tag 4000 as a varint, three bytes.
    body.put_slice(&[1, 0xa0, 0x1f, 3, 1, 2, 3]);
    request.encode(&mut body, version).expect("a request that the version allows");
    with_length(&body)
}

/// WIRE-12: correlation ids are echoed, whatever they are.
#[test]
fn correlation_ids_are_echoed_untouched() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let ids = [-1, -1, 0, 7, 3, i32::MIN, i32::MAX];
    for id in ids {
        let frame = connection.frame(12, &brokers_only(), id);
        connection.write(&frame);
    }
    for id in ids {
        assert_eq!(connection.answer::<MetadataRequest>(12).0, id);
    }
}

/// WIRE-13: an idle connection is closed; one that waits for its fetch is not idle.
#[test]
fn an_idle_connection_is_closed_and_a_parked_one_is_not() {
    let daybook = Daybook::start(&[("connections.max.idle.ms", "500")]);
    daybook.connect().create_topic("t", 1, &[]);
    let mut idle = daybook.connect();
    assert_serves(&mut idle);
    let mut parked = daybook.connect();
    let asked_at = Instant::now();
    parked.send(12, &fetch_request("t", &[(0, 0)]).with_max_wait_ms(1_500));
    idle.assert_closed();
    assert!(asked_at.elapsed() < Duration::from_secs(4));
    assert_eq!(parked.answer::<FetchRequest>(12).1.error_code, 0);
    assert!(asked_at.elapsed() >= Duration::from_millis(1_400), "the parked fetch got its time");
}

/// A request that arrives byte by byte is a request.
#[test]
fn a_frame_may_arrive_in_any_pieces() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let frame = connection.frame(12, &brokers_only(), 9);
    for byte in frame.chunks(1) {
        connection.write(byte);
    }
    assert_eq!(connection.answer::<MetadataRequest>(12).0, 9);
}

/// A body that cannot be read, or that claims more elements than it has bytes, closes that connection.
#[test]
fn a_malformed_body_closes_and_allocates_nothing() {
    let daybook = Daybook::start(&[]);
    let memory_before = daybook.resident_kib();
    for array in [&b"\xfe\xff\xff\xff\x07"[..], &b"\xff\xff\xff\xff\x0f"[..], &b"\x05"[..]] {
        let mut connection = daybook.connect();
        let mut body = BytesMut::new();
        body.put_i16(3);
        body.put_i16(12);
        body.put_i32(1);
        body.put_i16(-1);
        body.put_u8(0);
        body.put_slice(array);
        connection.write(&with_length(&body));
        connection.assert_closed();
    }
    let grown = daybook.resident_kib().saturating_sub(memory_before);
    assert!(grown < 8 * 1024, "memory grew by {grown} KiB");
    assert_serves(&mut daybook.connect());
}

/// A client that sends half a frame and leaves takes nothing with it.
#[test]
fn a_client_that_leaves_in_the_middle_of_a_frame_is_forgotten() {
    let daybook = Daybook::start(&[]);
    for _ in 0..50 {
        let mut stream = TcpStream::connect(daybook.address()).expect("listening");
        stream.write_all(&100_000_000_i32.to_be_bytes()).expect("open");
        stream.write_all(&[0; 100]).expect("open");
    }
    assert_serves(&mut daybook.connect());
    assert!(daybook.resident_kib() < 64 * 1024, "{} KiB", daybook.resident_kib());
}

/// A client that shuts its writing side is closed after its answers.
#[test]
fn a_half_closed_connection_is_closed() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    assert_serves(&mut connection);
    let mut stream = connection.stream();
    stream.shutdown(std::net::Shutdown::Write).expect("open");
    stream.set_read_timeout(Some(SOON)).expect("not zero");
    assert_eq!(stream.read(&mut [0; 1]).expect("an orderly end"), 0);
}

/// `max.connections.per.ip`: one too many is accepted and closed, the others stay.
#[test]
fn too_many_connections_of_one_address_are_closed() {
    let daybook = Daybook::start(&[("max.connections.per.ip", "2")]);
    let mut first = daybook.connect();
    let mut second = daybook.connect();
    assert_serves(&mut first);
    assert_serves(&mut second);
    let mut third = daybook.connect();
    third.send(12, &brokers_only());
    third.assert_closed();
    assert_serves(&mut first);
    drop(second);
    eventually("a free place", SOON, || {
        let mut next = daybook.connect();
        next.send(12, &brokers_only());
        matches!(next.next(SOON), Next::Frame(_))
    });
}

/// `socket.request.max.bytes` is a limit of the whole frame.
#[test]
fn a_frame_above_the_limit_closes() {
    let daybook = Daybook::start(&[("socket.request.max.bytes", "1000")]);
    let mut connection = daybook.connect();
    connection.write(&1001_i32.to_be_bytes());
    connection.assert_closed();
    assert_serves(&mut daybook.connect());
}

/// Metadata for a name that is not UTF-8, or a null where none is allowed, is a closed connection, not a panic.
#[test]
fn a_null_name_where_none_is_allowed_closes() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    // Metadata v9: [ { name: null } ], which only v10 allows.
    let mut body = BytesMut::new();
    body.put_i16(3);
    body.put_i16(9);
    body.put_i32(1);
    body.put_i16(-1);
    body.put_slice(&[0, 2, 0, 0, 1, 0, 0, 0]);
    connection.write(&with_length(&body));
    connection.assert_closed();
    assert_serves(&mut daybook.connect());
    assert!(!daybook.log().contains("panick"), "{}", daybook.log());
}

/// Client ids may be null, empty or long; they are only names.
#[test]
fn any_client_id_is_served() {
    let daybook = Daybook::start(&[]);
    let long = "x".repeat(1000);
    for client_id in [None, Some(""), Some("ü"), Some(long.as_str())] {
        let mut connection = daybook.connect().with_client_id(client_id);
        assert_serves(&mut connection);
    }
    let topic = MetadataRequestTopic::default().with_name(Some(topic_name("t")));
    let request = MetadataRequest::default().with_topics(Some(vec![topic]));
    let mut connection = daybook.connect().with_client_id(None);
    assert_eq!(connection.ask(12, &request).topics[0].name, Some(topic_name("t")));
}
