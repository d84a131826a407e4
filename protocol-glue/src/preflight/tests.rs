//! Hand-written bodies for the rules, generated ones for everything else. What is accepted and refused here was tried on
//! Apache Kafka 4.4.0, which answers the former and closes the connection on the latter; only the bounds on memory are
//! our own.

mod sample;

use bytes::BytesMut;
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Decodable, Encodable};
use proptest::prelude::*;

use self::sample::Sample;
use super::*;

/// Decodes with the crate, encodes what came out, and says how many bytes were left over.
type RoundTrip = fn(Bytes, i16) -> Result<(usize, BytesMut), String>;

fn round_trip<R: Decodable + Encodable>(mut body: Bytes, version: i16) -> Result<(usize, BytesMut), String> {
    let request = R::decode(&mut body, version).map_err(|error| error.to_string())?;
    let mut encoded = BytesMut::new();
    request.encode(&mut encoded, version).map_err(|error| error.to_string())?;
    Ok((body.len(), encoded))
}

const REQUESTS: &[(i16, RoundTrip)] = &[
    (0, round_trip::<ProduceRequest>),
    (1, round_trip::<FetchRequest>),
    (2, round_trip::<ListOffsetsRequest>),
    (3, round_trip::<MetadataRequest>),
    (8, round_trip::<OffsetCommitRequest>),
    (9, round_trip::<OffsetFetchRequest>),
    (10, round_trip::<FindCoordinatorRequest>),
    (11, round_trip::<JoinGroupRequest>),
    (12, round_trip::<HeartbeatRequest>),
    (13, round_trip::<LeaveGroupRequest>),
    (14, round_trip::<SyncGroupRequest>),
    (15, round_trip::<DescribeGroupsRequest>),
    (16, round_trip::<ListGroupsRequest>),
    (17, round_trip::<SaslHandshakeRequest>),
    (18, round_trip::<ApiVersionsRequest>),
    (19, round_trip::<CreateTopicsRequest>),
    (20, round_trip::<DeleteTopicsRequest>),
    (21, round_trip::<DeleteRecordsRequest>),
    (22, round_trip::<InitProducerIdRequest>),
    (23, round_trip::<OffsetForLeaderEpochRequest>),
    (24, round_trip::<AddPartitionsToTxnRequest>),
    (25, round_trip::<AddOffsetsToTxnRequest>),
    (26, round_trip::<EndTxnRequest>),
    (27, round_trip::<WriteTxnMarkersRequest>),
    (28, round_trip::<TxnOffsetCommitRequest>),
    (29, round_trip::<DescribeAclsRequest>),
    (30, round_trip::<CreateAclsRequest>),
    (31, round_trip::<DeleteAclsRequest>),
    (32, round_trip::<DescribeConfigsRequest>),
    (33, round_trip::<AlterConfigsRequest>),
    (34, round_trip::<AlterReplicaLogDirsRequest>),
    (35, round_trip::<DescribeLogDirsRequest>),
    (36, round_trip::<SaslAuthenticateRequest>),
    (37, round_trip::<CreatePartitionsRequest>),
    (38, round_trip::<CreateDelegationTokenRequest>),
    (39, round_trip::<RenewDelegationTokenRequest>),
    (40, round_trip::<ExpireDelegationTokenRequest>),
    (41, round_trip::<DescribeDelegationTokenRequest>),
    (42, round_trip::<DeleteGroupsRequest>),
    (43, round_trip::<ElectLeadersRequest>),
    (44, round_trip::<IncrementalAlterConfigsRequest>),
    (45, round_trip::<AlterPartitionReassignmentsRequest>),
    (46, round_trip::<ListPartitionReassignmentsRequest>),
    (47, round_trip::<OffsetDeleteRequest>),
    (48, round_trip::<DescribeClientQuotasRequest>),
    (49, round_trip::<AlterClientQuotasRequest>),
    (50, round_trip::<DescribeUserScramCredentialsRequest>),
    (51, round_trip::<AlterUserScramCredentialsRequest>),
    (55, round_trip::<DescribeQuorumRequest>),
    (57, round_trip::<UpdateFeaturesRequest>),
    (60, round_trip::<DescribeClusterRequest>),
    (61, round_trip::<DescribeProducersRequest>),
    (64, round_trip::<UnregisterBrokerRequest>),
    (65, round_trip::<DescribeTransactionsRequest>),
    (66, round_trip::<ListTransactionsRequest>),
    (68, round_trip::<ConsumerGroupHeartbeatRequest>),
    (69, round_trip::<ConsumerGroupDescribeRequest>),
    (71, round_trip::<GetTelemetrySubscriptionsRequest>),
    (72, round_trip::<PushTelemetryRequest>),
    (74, round_trip::<ListConfigResourcesRequest>),
    (75, round_trip::<DescribeTopicPartitionsRequest>),
    (76, round_trip::<ShareGroupHeartbeatRequest>),
    (77, round_trip::<ShareGroupDescribeRequest>),
    (78, round_trip::<ShareFetchRequest>),
    (79, round_trip::<ShareAcknowledgeRequest>),
    (80, round_trip::<AddRaftVoterRequest>),
    (81, round_trip::<RemoveRaftVoterRequest>),
    (83, round_trip::<InitializeShareGroupStateRequest>),
    (84, round_trip::<ReadShareGroupStateRequest>),
    (85, round_trip::<WriteShareGroupStateRequest>),
    (86, round_trip::<DeleteShareGroupStateRequest>),
    (87, round_trip::<ReadShareGroupStateSummaryRequest>),
    (90, round_trip::<DescribeShareGroupOffsetsRequest>),
    (91, round_trip::<AlterShareGroupOffsetsRequest>),
    (92, round_trip::<DeleteShareGroupOffsetsRequest>),
];

/// Every API with a shape at every version.
fn every_version() -> impl Iterator<Item = (i16, RoundTrip, i16)> {
    REQUESTS.iter().flat_map(|(key, round_trip)| {
        let shape = shapes::shape_of(*key).expect("a shape for each request of the list");
        (shape.min..=shape.max).map(move |version| (*key, *round_trip, version))
    })
}

fn check_static(api_key: i16, version: i16, body: &'static [u8]) -> Result<Bytes, DecodeError> {
    check(api_key, version, Bytes::from_static(body))
}

#[test]
fn the_list_of_this_test_is_complete_and_each_shape_has_the_versions_of_the_table() {
    for key in 0..100 {
        let listed = REQUESTS.iter().any(|(listed, _)| *listed == key);
        let shape = shapes::shape_of(key);
        assert_eq!(listed, shape.is_some(), "key {key}");
        if let Some(shape) = shape {
            let range = crate::versions::api(key).expect("a known key");
            let ours = (shape.min, shape.max, shape.flexible_from);
            assert_eq!(ours, (range.min, range.max, range.flexible_from), "{}", range.name);
        }
    }
}

proptest! {
    /// The samples come from the shapes and are decoded by the crate: two descriptions of the schemas that must agree.
    #[test]
    fn a_well_formed_body_passes_untouched_and_decodes_to_its_last_byte(seed: u64) {
        for (key, round_trip, version) in every_version() {
            let body = Bytes::from(Sample::new(seed, key, version).body());
            let checked = check(key, version, body.clone());
            prop_assert_eq!(checked.as_ref(), Ok(&body), "key {} version {}", key, version);
            prop_assert_eq!(checked.map(|checked| checked.as_ptr()), Ok(body.as_ptr()));
            let decoded = round_trip(body, version);
            prop_assert_eq!(decoded.as_ref().map(|decoded| decoded.0), Ok(0), "key {} version {}", key, version);
            let encoded = decoded.expect("just compared").1.freeze();
            prop_assert_eq!(check(key, version, encoded.clone()), Ok(encoded), "key {} version {}", key, version);
        }
    }

    #[test]
    fn what_passes_decodes_however_damaged(
        seed: u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        for (key, round_trip, version) in every_version() {
            let mut body = Sample::new(seed, key, version).body();
            for (index, byte) in damage.iter().filter(|_| !body.is_empty()).collect::<Vec<_>>() {
                let at = index.index(body.len());
                body[at] = *byte;
            }
            if let Some(cut) = cut {
                body.truncate(cut.index(body.len() + 1));
            }
            if let Ok(checked) = check(key, version, Bytes::from(body)) {
                let decoded = round_trip(checked.clone(), version);
                prop_assert!(decoded.is_ok(), "key {} version {}: {:?}", key, version, decoded);
                // The plain form of a body is plain.
                prop_assert_eq!(check(key, version, checked.clone()), Ok(checked));
            }
        }
    }

    #[test]
    fn what_passes_decodes_however_random(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for (key, round_trip, version) in every_version() {
            if let Ok(checked) = check(key, version, Bytes::copy_from_slice(&body)) {
                let decoded = round_trip(checked, version);
                prop_assert!(decoded.is_ok(), "key {} version {}: {:?}", key, version, decoded);
            }
        }
    }
}

#[test]
fn a_body_cut_anywhere_is_refused() {
    for (key, _, version) in every_version() {
        let body = Sample::new(7, key, version).body();
        for length in 0..body.len() {
            let cut = Bytes::copy_from_slice(&body[..length]);
            assert!(check(key, version, cut).is_err(), "key {key} version {version} cut at {length}");
        }
    }
}

#[test]
fn bytes_after_the_last_field_are_nobodys_concern() {
    assert_eq!(check_static(3, 12, b"\x01\x01\x00\x00xyz").as_deref(), Ok(&b"\x01\x01\x00\x00xyz"[..]));
    assert_eq!(check_static(3, 1, b"\0\0\0\0z").as_deref(), Ok(&b"\0\0\0\0z"[..]));
}

#[test]
fn a_count_needs_the_bytes_for_its_elements() {
    let refused = |result| matches!(result, Err(DecodeError::CountTooLarge { .. }));
    assert!(refused(check_static(3, 1, b"\x7f\xff\xff\xff")));
    assert!(refused(check_static(3, 12, b"\xff\xff\xff\xff\x07\0\0\0")));
    assert!(refused(check_static(3, 12, b"\xf5\x03\0\0\0")));
    assert!(refused(check_static(3, 0, b"\x17\x15\0\0")));
    assert!(refused(check_static(13, 4, b"\x01\xff\xff\xff\xff\x07")));
}

#[test]
fn more_than_a_million_elements_are_refused_even_when_they_are_there() {
    let groups = |count: u32| {
        let mut body = BytesMut::from(&count.to_be_bytes()[..]);
        body.resize(4 + 12 * count as usize, 0);
        // Each name is ten bytes of zero.
        for name in body[4..].chunks_mut(12) {
            name[1] = 10;
        }
        check(15, 0, body.freeze()).map(drop)
    };
    assert_eq!(groups(1_000_000), Ok(()));
    assert!(matches!(groups(1_000_001), Err(DecodeError::CountTooLarge { .. })));
}

#[test]
fn a_million_empty_names_cost_more_than_they_may() {
    let mut body = vec![0; 2_000_004];
    body[..4].copy_from_slice(&1_000_000u32.to_be_bytes());
    let refused = check(3, 1, Bytes::from(body)).map(drop);
    assert!(matches!(refused, Err(DecodeError::TooCostly { .. })), "{refused:?}");
}

#[test]
fn unknown_tagged_fields_cost_what_their_maps_take() {
    // A partition of OffsetCommit 9 with null metadata and one empty tagged field.
    let partition = [&[0; 17][..], &[1, 9, 0]].concat();
    let count = 60_000u32;
    let mut body = BytesMut::from(&b"\x02g\0\0\0\0\x02m\0\x02\x02t"[..]);
    crate::wire::put_varint(count + 1, &mut body);
    for _ in 0..count {
        body.extend_from_slice(&partition);
    }
    body.extend_from_slice(&[0, 0]);
    let refused = check(8, 9, body.freeze()).map(drop);
    assert!(matches!(refused, Err(DecodeError::TooCostly { .. })), "{refused:?}");
}

#[test]
fn a_varint_of_more_than_five_bytes_is_refused() {
    assert_eq!(check_static(3, 12, &[0xff; 12]), Err(DecodeError::VarintTooLong));
}

#[test]
fn a_varint_may_be_longer_than_it_needs() {
    for count in [&b"\x80\x00"[..], b"\x81\x80\x80\x80\x00", b"\x81\x80\x80\x80\x70"] {
        let body = Bytes::from([count, b"\0\0\0"].concat());
        assert_eq!(check(3, 12, body.clone()), Ok(body.clone()));
        assert!(round_trip::<MetadataRequest>(body, 12).is_ok());
    }
    // One below the most negative number wraps around to the largest; the next is negative, and so null.
    assert!(check_static(3, 12, b"\x80\x80\x80\x80\x08\0\0\0").is_err());
    assert_eq!(check_static(3, 12, b"\x81\x80\x80\x80\x08\0\0\0").as_deref(), Ok(&b"\0\0\0\0"[..]));
}

#[test]
fn null_where_none_is_allowed_is_refused() {
    let null = Err(DecodeError::UnexpectedNull);
    assert_eq!(check_static(3, 1, b"\0\0\0\x01\xff\xff"), null);
    assert_eq!(check_static(3, 9, b"\x02\0\0\x01\0\0\0"), null);
    assert_eq!(check_static(3, 0, b"\xff\xff\xff\xff"), null);
    assert_eq!(check_static(12, 0, b"\xff\xff\0\0\0\0\0\x01m"), null);
    assert_eq!(check_static(16, 4, b"\0\0"), null);
    assert_eq!(check_static(19, 2, b"\xff\xff\xff\xff\0\0\0\0\0"), null);
}

#[test]
fn null_where_it_is_allowed_passes() {
    let topic_id_only = [&[2][..], &[0; 16], &[0, 0, 1, 0, 0]].concat();
    assert!(check(3, 12, Bytes::from(topic_id_only)).is_ok());
    let null_records = b"\0\0\x01\0\0\0\x64\x02\x05nope\x02\0\0\0\0\0\0\0\0";
    assert!(check_static(0, 9, null_records).is_ok());
}

#[test]
fn every_negative_count_of_a_nullable_field_becomes_null() {
    assert_eq!(check_static(3, 1, b"\xff\xff\xff\xfe").as_deref(), Ok(&b"\xff\xff\xff\xff"[..]));
    assert_eq!(check_static(3, 1, b"\x80\0\0\0").as_deref(), Ok(&b"\xff\xff\xff\xff"[..]));
    assert_eq!(check_static(3, 12, b"\xff\xff\xff\xff\x0f\0\0\0").as_deref(), Ok(&b"\0\0\0\0"[..]));
    let member = check_static(12, 3, b"\0\x01g\0\0\0\0\0\x01m\xff\xfe");
    assert_eq!(member.as_deref(), Ok(&b"\0\x01g\0\0\0\0\0\x01m\xff\xff"[..]));
}

#[test]
fn text_that_is_not_utf8_is_repaired_as_kafka_repairs_it() {
    let body = check_static(3, 1, b"\0\0\0\x02\0\x02a\xff\0\x01b");
    assert_eq!(body.as_deref(), Ok("\0\0\0\x02\0\x04a\u{fffd}\0\x01b".as_bytes()));
    let body = check_static(3, 9, b"\x02\x03a\xff\0\x01\0\0\0");
    assert_eq!(body.as_deref(), Ok("\x02\x05a\u{fffd}\0\x01\0\0\0".as_bytes()));
}

#[test]
fn text_of_more_than_32767_bytes_is_refused() {
    let group = |length: u32| {
        let mut body = BytesMut::from(&[2][..]);
        crate::wire::put_varint(length + 1, &mut body);
        body.resize(body.len() + length as usize, b'g');
        body.extend_from_slice(&[0, 0]);
        check(15, 5, body.freeze()).map(drop)
    };
    assert_eq!(group(32_767), Ok(()));
    assert!(matches!(group(32_768), Err(DecodeError::CountTooLarge { .. })));
}

#[test]
fn a_boolean_may_be_any_byte() {
    assert_eq!(check_static(3, 12, b"\x01\x02\0\0").as_deref(), Ok(&b"\x01\x02\0\0"[..]));
}

/// WIRE-11
#[test]
fn tagged_fields_pass_in_any_order_and_repeated() {
    for tags in [&b"\x01\xa0\x1f\x03abc"[..], b"\x02\x05\x01a\x04\x01a", b"\x02\x05\x01a\x05\x01a"] {
        let body = Bytes::from([b"\x01\0\0", tags].concat());
        assert_eq!(check(3, 12, body.clone()), Ok(body));
    }
}

#[test]
fn tagged_fields_that_do_not_fit_are_refused() {
    assert!(check_static(3, 12, b"\x01\0\0\x01\x05\x7f").is_err());
    assert!(check_static(3, 12, b"\x01\0\0\x01\x05\xff\xff\xff\xff\x0f").is_err());
    assert!(check_static(3, 12, b"\x01\0\0\xff\xff\xff\xff\x0f").is_err());
    let many = [&b"\x01\0\0\x91\x4e"[..], &b"\x05\0".repeat(10_001)].concat();
    assert!(matches!(check(3, 12, Bytes::from(many)), Err(DecodeError::CountTooLarge { .. })));
}

/// Fetch 12 up to its tagged fields: no topics, no forgotten topics, an empty rack.
fn fetch_12(tagged_fields: &[u8]) -> Result<(), DecodeError> {
    let row = [&[0xff; 4][..], &[0; 12], &[0], &[0; 8], &[1, 1, 1]].concat();
    let body = Bytes::from([&row[..], tagged_fields].concat());
    let checked = check(1, 12, body.clone())?;
    assert_eq!(checked, body);
    round_trip::<FetchRequest>(checked, 12).map(drop).map_err(DecodeError::Codec)
}

#[test]
fn the_size_of_a_known_tagged_field_is_not_looked_at() {
    for size in [&b"\x01"[..], b"\x03", b"\x09", b"\xff\xff\x03", b"\xff\xff\xff\xff\x0f"] {
        assert_eq!(fetch_12(&[b"\x01\0", size, b"\x03ab"].concat()), Ok(()), "size {size:?}");
    }
    assert_eq!(fetch_12(b"\x02\0\x03\x03ab\0\x03\x03ab"), Ok(()), "twice");
    assert_eq!(fetch_12(b"\x01\0\x01\0"), Ok(()), "null");
}

#[test]
fn a_tagged_field_of_a_later_version_is_refused() {
    // The replica state, which is there from version 15 on.
    assert!(matches!(fetch_12(b"\x01\x01\x02ab"), Err(DecodeError::UnknownKey { key: 1, .. })));
}

#[test]
fn a_structure_that_may_be_null_is_there_when_its_first_byte_is_not_negative() {
    // DescribeTopicPartitions 0: no topics, a limit, the cursor.
    let check = |cursor: &[u8]| check(75, 0, Bytes::from([b"\x01\0\0\0\x01", cursor, b"\0"].concat()));
    assert_eq!(check(b"\xff").as_deref(), Ok(&b"\x01\0\0\0\x01\xff\0"[..]));
    assert_eq!(check(b"\xfe").as_deref(), Ok(&b"\x01\0\0\0\x01\xfe\0"[..]));
    let present = Ok(&b"\x01\0\0\0\x01\x01\x02t\0\0\0\x07\0\0"[..]);
    assert_eq!(check(b"\x01\x02t\0\0\0\x07\0").as_deref(), present);
    assert_eq!(check(b"\x02\x02t\0\0\0\x07\0").as_deref(), present);
    assert_eq!(check(b"\0\x02t\0\0\0\x07\0").as_deref(), present);
}

/// WIRE-09, VER-10
#[test]
fn an_api_or_version_without_a_shape_is_refused() {
    assert!(matches!(check_static(99, 0, b""), Err(DecodeError::UnknownKey { key: 99, .. })));
    assert!(matches!(check_static(0, 2, b""), Err(DecodeError::UnsupportedVersion { version: 2, .. })));
    assert!(matches!(check_static(0, 14, b""), Err(DecodeError::UnsupportedVersion { version: 14, .. })));
}
