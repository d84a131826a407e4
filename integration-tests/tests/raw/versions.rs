//! What is advertised, and that it is served (`VER-*`).

use bytes::{Buf, BufMut, BytesMut};
use integration_tests::{
    Connection, Daybook,
    batch::{Batch, Codec},
    connection::{Next, with_length},
    text,
};
use kafka_protocol::{messages::*, protocol::Request};
use std::{collections::BTreeMap, time::Duration};

const SOON: Duration = Duration::from_secs(5);

fn named() -> ApiVersionsRequest {
    ApiVersionsRequest::default()
        .with_client_software_name(text("raw-frames"))
        .with_client_software_version(text("1.0"))
}

/// Key to (lowest, highest) version.
fn advertised(connection: &mut Connection) -> BTreeMap<i16, (i16, i16)> {
    let answer = connection.ask(4, &named());
    assert_eq!(answer.error_code, 0);
    answer.api_keys.iter().map(|api| (api.api_key, (api.min_version, api.max_version))).collect()
}

/// VER-01: the response header of ApiVersions stays the old one, also where its body is flexible.
#[test]
fn the_api_versions_answer_has_no_tagged_fields_in_its_header() {
    let daybook = Daybook::start(&[]);
    for version in [0, 3, 4] {
        let mut connection = daybook.connect();
        let request = if version >= 3 { named() } else { ApiVersionsRequest::default() };
        let frame = connection.frame(version, &request, 7);
        connection.write(&frame);
        let Next::Frame(mut answer) = connection.next(SOON) else { panic!("no answer") };
        assert_eq!(answer.get_i32(), 7, "correlation id");
        assert_eq!(answer.get_i16(), 0, "version {version}: the error code follows at once");
    }
}

/// VER-02: a version above ours is answered as version 0 with error 35 and our range; the retry is served.
#[test]
fn a_too_high_api_versions_is_answered_in_version_0() {
    let daybook = Daybook::start(&[]);
    let (lowest, highest) = advertised(&mut daybook.connect())[&18];
    for version in [highest + 1, 99, i16::MAX, -1] {
        let mut connection = daybook.connect();
        let mut body = BytesMut::new();
        body.put_i16(18);
        body.put_i16(version);
        body.put_i32(9);
        body.put_i16(-1);
        body.put_slice(&[0, 2, b'x', 2, b'1', 0]);
        connection.write(&with_length(&body));
        let (correlation_id, answer) = connection.answer::<ApiVersionsRequest>(0);
        assert_eq!((correlation_id, answer.error_code), (9, 35), "version {version}");
        let own: Vec<_> =
            answer.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect();
        assert!(own.contains(&(18, lowest, highest)), "version {version}: {own:?}");
        assert_eq!(connection.ask(3, &named()).error_code, 0, "the connection stays open");
    }
}

/// VER-03: librdkafka up to 2.11.0 compresses only for a broker that advertises Produce from version 0.
#[test]
fn produce_is_advertised_from_0_and_old_minimums_are_kafkas() {
    let daybook = Daybook::start(&[]);
    let advertised = advertised(&mut daybook.connect());
    assert_eq!(advertised[&0].0, 0, "Produce");
    for (key, lowest) in [(1, 4), (2, 1), (3, 0), (8, 2), (9, 1), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0)]
    {
        assert_eq!(advertised[&key].0, lowest, "lowest version of key {key}");
    }
}

/// VER-04: clients that do not negotiate send what Kafka 2.1 to 3.9 offered: all of it above Kafka 4's minimums.
#[test]
fn versions_of_kafka_2_1_to_3_9_are_offered() {
    let daybook = Daybook::start(&[]);
    let advertised = advertised(&mut daybook.connect());
    // (key, highest version that a 3.9 client sends)
    for (key, highest) in [
        (0, 11),
        (1, 17),
        (2, 9),
        (3, 12),
        (8, 9),
        (9, 9),
        (10, 6),
        (11, 9),
        (12, 4),
        (13, 5),
        (14, 5),
        (15, 5),
        (16, 5),
        (18, 4),
        (19, 7),
        (20, 6),
        (21, 2),
        (22, 5),
        (23, 4),
        (29, 3),
        (32, 4),
        (35, 4),
        (37, 3),
        (42, 2),
        (44, 1),
        (47, 0),
        (60, 1),
    ] {
        assert!(
            advertised[&key].1 >= highest,
            "key {key}: {:?}, a 3.9 client sends {highest}",
            advertised[&key]
        );
    }
}

/// Asks at each advertised version; returns how many there were.
fn sweep<R: Request>(connection: &mut Connection, range: (i16, i16), request: impl Fn(i16) -> R) -> usize {
    // Produce is advertised from 0 for librdkafka's sake, and served from 3 as in Kafka.
    let lowest = if R::KEY == 0 { 3 } else { range.0 };
    (lowest..=range.1).map(|version| connection.ask(version, &request(version))).count()
}

/// VER-06: at every advertised version a minimal request is answered to the last byte.
#[test]
fn every_advertised_version_is_served() {
    let daybook = Daybook::start(&[]);
    let connection = &mut daybook.connect();
    let mut advertised = advertised(connection);
    macro_rules! served {
        ($($request:ident $(=> $make:expr)?),* $(,)?) => {
            $(
                if let Some(range) = advertised.remove(&$request::KEY) {
                    #[allow(unused_mut, unused_assignments)]
                    let mut make: fn(i16) -> $request = |_| $request::default();
                    $( make = $make; )?
                    assert!(sweep(connection, range, make) > 0);
                }
            )*
        };
    }
    served!(
        ProduceRequest => |_| ProduceRequest::default().with_acks(-1),
        FetchRequest => |version| FetchRequest::default().with_session_epoch(if version < 7 { -1 } else { 0 }),
        ListOffsetsRequest,
        MetadataRequest => |version| {
            MetadataRequest::default().with_topics((version == 0).then(Vec::new)).with_allow_auto_topic_creation(true)
        },
        OffsetCommitRequest,
        OffsetFetchRequest,
        FindCoordinatorRequest,
        JoinGroupRequest,
        HeartbeatRequest,
        LeaveGroupRequest,
        SyncGroupRequest,
        DescribeGroupsRequest,
        ListGroupsRequest,
        ApiVersionsRequest => |version| if version >= 3 { named() } else { ApiVersionsRequest::default() },
        CreateTopicsRequest,
        DeleteTopicsRequest,
        DeleteRecordsRequest,
        InitProducerIdRequest,
        OffsetForLeaderEpochRequest,
        DescribeAclsRequest => |_| {
            DescribeAclsRequest::default()
                .with_resource_type_filter(1)
                .with_pattern_type_filter(1)
                .with_operation(1)
                .with_permission_type(1)
        },
        DescribeConfigsRequest,
        DescribeLogDirsRequest,
        CreatePartitionsRequest,
        DeleteGroupsRequest,
        IncrementalAlterConfigsRequest,
        OffsetDeleteRequest,
        DescribeClusterRequest,
    );
    assert!(advertised.is_empty(), "advertised, and not in this sweep: {advertised:?}");
}

/// VER-08: a feature whose lowest version is 0 is shown from ApiVersions v4 only; clients before it cannot read it.
#[test]
fn features_that_start_at_0_are_hidden_below_version_4() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    let old = connection.ask(3, &named());
    assert!(old.supported_features.iter().all(|feature| feature.min_version > 0), "{old:?}");
    let new = connection.ask(4, &named());
    let finalized: Vec<_> = new
        .finalized_features
        .iter()
        .map(|feature| (feature.name.to_string(), feature.min_version_level, feature.max_version_level))
        .collect();
    let metadata = finalized.iter().find(|(name, ..)| name == "metadata.version").expect("finalized");
    assert_eq!(metadata.2, 30, "kafka-ui knows levels up to 30");
    assert!(metadata.1 >= 1 && new.finalized_features_epoch >= 0);
}

/// VER-10: what Kafka 4 no longer knows is refused by closing, and nothing of it is stored.
#[test]
fn produce_below_3_and_fetch_below_4_are_refused() {
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 1, &[]);
    for version in 0..=2_i16 {
        let mut connection = daybook.connect();
        let mut body = BytesMut::new();
        body.put_i16(0);
        body.put_i16(version);
        body.put_i32(1);
        body.put_i16(-1);
        body.put_i16(1);
        body.put_i32(1000);
        body.put_i32(0);
        connection.write(&with_length(&body));
        connection.assert_closed();
    }
    assert_eq!(daybook.connect().offsets("t", 0), (0, 0));
}

/// The software name and version must look like names (KIP-511); error 42 otherwise.
#[test]
fn a_bad_software_name_is_an_invalid_request() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    for (name, version, error_code) in
        [("a.b-c", "1.0.0-x", 0), ("", "1", 42), ("a b", "1", 42), ("-a", "1", 42)]
    {
        let request = ApiVersionsRequest::default()
            .with_client_software_name(text(name))
            .with_client_software_version(text(version));
        assert_eq!(connection.ask(3, &request).error_code, error_code, "{name:?} {version:?}");
    }
}

/// FETCH-15: zstd batches are given to old Fetch versions as they are; Kafka 4 no longer answers error 76.
#[test]
fn zstd_is_served_to_fetch_4() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[("compression.type", "zstd")]);
    connection.produce("t", 0, &Batch::of(&["x"]));
    let request = integration_tests::verbs::fetch_request("t", &[(0, 0)]).with_session_epoch(-1);
    let answer = connection.ask(4, &request);
    let data = &answer.responses[0].partitions[0];
    assert_eq!(data.error_code, 0);
    let stored = integration_tests::stored::batches(data.records.clone().expect("not null"));
    assert_eq!(stored[0].codec(), Codec::Zstd, "compression.type=zstd compresses");
}
