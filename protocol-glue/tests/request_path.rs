//! Whole frames, written byte by byte, on the way that a connection takes them.

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::api_versions_response::ApiVersion;
use kafka_protocol::messages::*;
use kafka_protocol::protocol::Decodable;
use protocol_glue::header::RequestHeader;
use protocol_glue::{ErrorCode, codec, frame, preflight, versions};

const MAX_FRAME_BYTES: usize = 1 << 20;

/// A frame of these parts with its length before it.
fn framed(parts: &[&[u8]]) -> BytesMut {
    let content = parts.concat();
    let mut frame = BytesMut::from(&(content.len() as u32).to_be_bytes()[..]);
    frame.extend_from_slice(&content);
    frame
}

fn receive<R: Decodable>(mut received: BytesMut) -> (RequestHeader, R) {
    let mut frame = frame::take(&mut received, MAX_FRAME_BYTES).expect("a good length").expect("all of it");
    let header = RequestHeader::take(&mut frame).expect("a header");
    let mut body = preflight::check(header.api_key, header.api_version, frame).expect("a good body");
    let request = codec::decode_body(&mut body, header.api_version).expect("it was checked");
    (header, request)
}

#[test]
fn api_versions_3_of_a_java_client() {
    let (header, request) = receive::<ApiVersionsRequest>(framed(&[
        &[0, 18, 0, 3, 0, 0, 0, 0],
        b"\0\x0aproducer-1\0",
        b"\x12apache-kafka-java\x064.4.0\0",
    ]));
    assert_eq!((header.api_version, header.client_id.as_deref()), (3, Some("producer-1")));
    assert_eq!(&*request.client_software_name, "apache-kafka-java");
    assert_eq!(&*request.client_software_version, "4.4.0");
}

/// VER-02
#[test]
fn api_versions_of_an_unknown_version_is_answered_in_version_0() {
    let mut received = framed(&[&[0, 18, 0, 99, 0, 0, 0, 7], b"\0\x01p\0", b"anything at all"]);
    let mut frame = frame::take(&mut received, MAX_FRAME_BYTES).expect("a good length").expect("all of it");
    let header = RequestHeader::take(&mut frame).expect("a header");
    let range = versions::api(header.api_key).expect("ApiVersions is known");
    assert!(!range.contains(header.api_version));

    let own = ApiVersion::default().with_api_key(range.key).with_max_version(range.max);
    let response = ApiVersionsResponse::default()
        .with_error_code(ErrorCode::UnsupportedVersion.code())
        .with_api_keys(vec![own]);
    let header_version = range.response_header_version(0);
    let answer = codec::encode_response(header.correlation_id, header_version, &response, 0);
    let expected = [0, 0, 0, 16, 0, 0, 0, 7, 0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 4];
    assert_eq!(answer.expect("a response").to_bytes(), &expected[..]);
}

#[test]
fn metadata_1_for_all_topics_of_a_client_without_a_name() {
    let (header, request) =
        receive::<MetadataRequest>(framed(&[&[0, 3, 0, 1, 0xff, 0xff, 0xff, 0xff], b"\xff\xff", &[0xff; 4]]));
    assert_eq!((header.correlation_id, header.client_id), (-1, None));
    assert_eq!(request.topics, None);
}

#[test]
fn produce_7_and_9_with_the_same_records() {
    let records = [7; 70];
    let old = framed(&[
        &[0, 0, 0, 7, 0, 0, 0, 1],
        b"\0\x01p",
        b"\xff\xff\xff\xff\0\0\x75\x30",
        b"\0\0\0\x01\0\x01t\0\0\0\x01\0\0\0\x02\0\0\0\x46",
        &records,
    ]);
    let flexible = framed(&[
        &[0, 0, 0, 9, 0, 0, 0, 1],
        b"\0\x01p\0",
        b"\0\xff\xff\0\0\x75\x30",
        b"\x02\x02t\x02\0\0\0\x02\x47",
        &records,
        b"\0\0\0",
    ]);
    for received in [old, flexible] {
        let frame_bytes = received.as_ptr_range();
        let (header, request) = receive::<ProduceRequest>(received);
        assert_eq!((request.acks, request.timeout_ms), (-1, 30_000), "version {}", header.api_version);
        let topic = &request.topic_data[0];
        let partition = &topic.partition_data[0];
        assert_eq!((&**topic.name, partition.index), ("t", 2));
        let taken: &Bytes = partition.records.as_ref().expect("records");
        assert_eq!(taken, &records[..]);
        assert!(frame_bytes.contains(&taken.as_ptr()), "records are a slice of the frame");
    }
}

#[test]
fn fetch_4_and_12_from_the_same_place() {
    let old = framed(&[
        &[0, 1, 0, 4, 0, 0, 0, 9],
        b"\0\x01c",
        b"\xff\xff\xff\xff\0\0\x01\xf4\0\0\0\x01\x03\x20\0\0\x01",
        b"\0\0\0\x01\0\x01t\0\0\0\x01\0\0\0\x03\0\0\0\0\0\0\0\x05\0\x10\0\0",
    ]);
    let flexible = framed(&[
        &[0, 1, 0, 12, 0, 0, 0, 9],
        b"\0\x01c\0",
        b"\xff\xff\xff\xff\0\0\x01\xf4\0\0\0\x01\x03\x20\0\0\x01\0\0\0\0\xff\xff\xff\xff",
        b"\x02\x02t\x02\0\0\0\x03\xff\xff\xff\xff\0\0\0\0\0\0\0\x05\xff\xff\xff\xff",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\0\x10\0\0\0\0",
        b"\x01\x01\0",
    ]);
    for received in [old, flexible] {
        let (header, request) = receive::<FetchRequest>(received);
        let version = header.api_version;
        assert_eq!(
            (request.max_wait_ms, request.min_bytes, request.isolation_level),
            (500, 1, 1),
            "{version}"
        );
        let partition = &request.topics[0].partitions[0];
        assert_eq!((partition.partition, partition.fetch_offset), (3, 5), "version {version}");
        assert_eq!(partition.partition_max_bytes, 1 << 20, "version {version}");
    }
}
