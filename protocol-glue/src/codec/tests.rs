//! Frames byte by byte, and against the crate's plain encoding.

use bytes::BytesMut;
use kafka_protocol::messages::fetch_response::{FetchableTopicResponse, PartitionData};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::StrBytes;

use super::*;

fn fetch_response(sizes: &[usize]) -> FetchResponse {
    let partition = |(index, size): (usize, &usize)| {
        PartitionData::default()
            .with_partition_index(index as i32)
            .with_high_watermark(10)
            .with_records(Some(Bytes::from(vec![index as u8; *size])))
    };
    let topic =
        FetchableTopicResponse::default().with_partitions(sizes.iter().enumerate().map(partition).collect());
    FetchResponse::default().with_responses(vec![topic.clone(), topic])
}

fn plain<R: Encodable>(correlation_id: i32, header_version: i16, response: &R, version: i16) -> BytesMut {
    let mut frame = BytesMut::new();
    let header = ResponseHeader::default().with_correlation_id(correlation_id);
    header.encode(&mut frame, header_version).expect("a header");
    response.encode(&mut frame, version).expect("a body");
    let mut prefixed = BytesMut::from(&(frame.len() as i32).to_be_bytes()[..]);
    prefixed.extend_from_slice(&frame);
    prefixed
}

#[test]
fn a_heartbeat_response_in_its_two_formats() {
    let response = HeartbeatResponse::default().with_error_code(27).with_throttle_time_ms(1);
    let old = encode_response(258, 0, &response, 1).expect("a response");
    assert_eq!(old.to_bytes(), &b"\0\0\0\x0a\0\0\x01\x02\0\0\0\x01\0\x1b"[..]);
    let flexible = encode_response(258, 1, &response, 4).expect("a response");
    assert_eq!(flexible.to_bytes(), &b"\0\0\0\x0c\0\0\x01\x02\0\0\0\0\x01\0\x1b\0"[..]);
    assert_eq!((flexible.segments.len(), flexible.len), (1, 16));
}

#[test]
fn a_fetch_response_is_byte_for_byte_the_plain_one_in_every_version() {
    for version in 4..=18 {
        let response = fetch_response(&[0, 100, 5000, 1 << 20]);
        let rope = encode_fetch_response(7, &response, version).expect("a response");
        let header_version = if version >= 12 { 1 } else { 0 };
        assert!(rope.to_bytes() == plain(7, header_version, &response, version), "version {version}");
        assert_eq!(rope.len, rope.segments.iter().map(Bytes::len).sum::<usize>());
    }
}

#[test]
fn large_records_are_segments_of_their_own_and_not_copied() {
    let response = fetch_response(&[100, 5000, 1 << 20]);
    let rope = encode_fetch_response(7, &response, 12).expect("a response");
    // Two topics of two large partitions: four shared segments, each after an own one, and the end.
    assert_eq!(rope.segments.len(), 9);
    let records = |topic: usize, partition: usize| {
        response.responses[topic].partitions[partition].records.clone().expect("records")
    };
    for (segment, topic, partition) in [(1, 0, 1), (3, 0, 2), (5, 1, 1), (7, 1, 2)] {
        assert_eq!(rope.segments[segment].as_ptr(), records(topic, partition).as_ptr());
    }
}

#[test]
fn a_response_without_large_records_is_one_segment() {
    let rope = encode_fetch_response(7, &fetch_response(&[0, 10, 100]), 16).expect("a response");
    assert_eq!(rope.segments.len(), 1);
}

#[test]
fn a_field_that_the_version_lacks_is_an_error() {
    let response = FetchResponse::default().with_session_id(5);
    assert!(encode_fetch_response(1, &response, 7).is_ok());
    assert_eq!(encode_fetch_response(1, &response, 4).map_err(|error| error.version), Err(4));
}

#[test]
fn a_body_decodes_from_captured_bytes_and_leaves_what_follows() {
    // Metadata 12: topics null, all flags set, a byte too many.
    let mut body = Bytes::from_static(b"\x00\x01\x01\x00z");
    let request: MetadataRequest = decode_body(&mut body, 12).expect("a request");
    assert_eq!(request.topics, None);
    assert!(request.allow_auto_topic_creation && request.include_topic_authorized_operations);
    assert_eq!(body, &b"z"[..]);
}

#[test]
fn decoded_text_is_a_slice_of_the_body() {
    let mut body = Bytes::from(b"\0\x05group\0\0\0\x01\0\x06member".to_vec());
    let start = body.as_ptr();
    let request: HeartbeatRequest = decode_body(&mut body, 0).expect("a request");
    assert_eq!(request.member_id, StrBytes::from_static_str("member"));
    assert_eq!(request.group_id.as_ptr(), start.wrapping_add(2));
}

#[test]
fn what_the_crate_refuses_is_a_decode_error() {
    let decoded = decode_body::<HeartbeatRequest>(&mut Bytes::from_static(b"\0\x05"), 0);
    assert!(matches!(decoded, Err(DecodeError::Codec(_))));
}
