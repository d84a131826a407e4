//! The table against what the protocol crate decodes, encodes and says of headers.

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, Message};

use super::*;

/// What the crate's message types can do, as opposed to what its list by API key says.
struct CrateRange {
    name: &'static str,
    requests: (i16, i16),
    responses: (i16, i16),
    request_header: fn(i16) -> i16,
    response_header: fn(i16) -> i16,
    request_round_trip: fn(i16) -> bool,
    response_round_trip: fn(i16) -> bool,
}

/// Whether the default message can be encoded and is what its bytes, to the last one, decode to.
fn round_trips<M: Encodable + Decodable + Default + PartialEq>(version: i16) -> bool {
    let mut encoded = BytesMut::new();
    if M::default().encode(&mut encoded, version).is_err() {
        return false;
    }
    let mut encoded = encoded.freeze();
    M::decode(&mut encoded, version).is_ok_and(|decoded| decoded == M::default()) && encoded.is_empty()
}

fn crate_range<Q, S>(name: &'static str) -> CrateRange
where
    Q: Message + HeaderVersion + Encodable + Decodable + Default + PartialEq,
    S: Message + HeaderVersion + Encodable + Decodable + Default + PartialEq,
{
    CrateRange {
        name,
        requests: (Q::VERSIONS.min, Q::VERSIONS.max),
        responses: (S::VERSIONS.min, S::VERSIONS.max),
        request_header: Q::header_version,
        response_header: S::header_version,
        request_round_trip: round_trips::<Q>,
        response_round_trip: round_trips::<S>,
    }
}

macro_rules! crate_ranges {
    ($($name:ident: $request:ident, $response:ident;)+) => {
        vec![$( crate_range::<$request, $response>(stringify!($name)) ),+]
    };
}

fn all_of_the_crate() -> Vec<CrateRange> {
    crate_ranges! {
        Produce: ProduceRequest, ProduceResponse;
        Fetch: FetchRequest, FetchResponse;
        ListOffsets: ListOffsetsRequest, ListOffsetsResponse;
        Metadata: MetadataRequest, MetadataResponse;
        OffsetCommit: OffsetCommitRequest, OffsetCommitResponse;
        OffsetFetch: OffsetFetchRequest, OffsetFetchResponse;
        FindCoordinator: FindCoordinatorRequest, FindCoordinatorResponse;
        JoinGroup: JoinGroupRequest, JoinGroupResponse;
        Heartbeat: HeartbeatRequest, HeartbeatResponse;
        LeaveGroup: LeaveGroupRequest, LeaveGroupResponse;
        SyncGroup: SyncGroupRequest, SyncGroupResponse;
        DescribeGroups: DescribeGroupsRequest, DescribeGroupsResponse;
        ListGroups: ListGroupsRequest, ListGroupsResponse;
        SaslHandshake: SaslHandshakeRequest, SaslHandshakeResponse;
        ApiVersions: ApiVersionsRequest, ApiVersionsResponse;
        CreateTopics: CreateTopicsRequest, CreateTopicsResponse;
        DeleteTopics: DeleteTopicsRequest, DeleteTopicsResponse;
        DeleteRecords: DeleteRecordsRequest, DeleteRecordsResponse;
        InitProducerId: InitProducerIdRequest, InitProducerIdResponse;
        OffsetForLeaderEpoch: OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse;
        AddPartitionsToTxn: AddPartitionsToTxnRequest, AddPartitionsToTxnResponse;
        AddOffsetsToTxn: AddOffsetsToTxnRequest, AddOffsetsToTxnResponse;
        EndTxn: EndTxnRequest, EndTxnResponse;
        WriteTxnMarkers: WriteTxnMarkersRequest, WriteTxnMarkersResponse;
        TxnOffsetCommit: TxnOffsetCommitRequest, TxnOffsetCommitResponse;
        DescribeAcls: DescribeAclsRequest, DescribeAclsResponse;
        CreateAcls: CreateAclsRequest, CreateAclsResponse;
        DeleteAcls: DeleteAclsRequest, DeleteAclsResponse;
        DescribeConfigs: DescribeConfigsRequest, DescribeConfigsResponse;
        AlterConfigs: AlterConfigsRequest, AlterConfigsResponse;
        AlterReplicaLogDirs: AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse;
        DescribeLogDirs: DescribeLogDirsRequest, DescribeLogDirsResponse;
        SaslAuthenticate: SaslAuthenticateRequest, SaslAuthenticateResponse;
        CreatePartitions: CreatePartitionsRequest, CreatePartitionsResponse;
        CreateDelegationToken: CreateDelegationTokenRequest, CreateDelegationTokenResponse;
        RenewDelegationToken: RenewDelegationTokenRequest, RenewDelegationTokenResponse;
        ExpireDelegationToken: ExpireDelegationTokenRequest, ExpireDelegationTokenResponse;
        DescribeDelegationToken: DescribeDelegationTokenRequest, DescribeDelegationTokenResponse;
        DeleteGroups: DeleteGroupsRequest, DeleteGroupsResponse;
        ElectLeaders: ElectLeadersRequest, ElectLeadersResponse;
        IncrementalAlterConfigs: IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse;
        AlterPartitionReassignments: AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse;
        ListPartitionReassignments: ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse;
        OffsetDelete: OffsetDeleteRequest, OffsetDeleteResponse;
        DescribeClientQuotas: DescribeClientQuotasRequest, DescribeClientQuotasResponse;
        AlterClientQuotas: AlterClientQuotasRequest, AlterClientQuotasResponse;
        DescribeUserScramCredentials: DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse;
        AlterUserScramCredentials: AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse;
        Vote: VoteRequest, VoteResponse;
        BeginQuorumEpoch: BeginQuorumEpochRequest, BeginQuorumEpochResponse;
        EndQuorumEpoch: EndQuorumEpochRequest, EndQuorumEpochResponse;
        DescribeQuorum: DescribeQuorumRequest, DescribeQuorumResponse;
        AlterPartition: AlterPartitionRequest, AlterPartitionResponse;
        UpdateFeatures: UpdateFeaturesRequest, UpdateFeaturesResponse;
        Envelope: EnvelopeRequest, EnvelopeResponse;
        FetchSnapshot: FetchSnapshotRequest, FetchSnapshotResponse;
        DescribeCluster: DescribeClusterRequest, DescribeClusterResponse;
        DescribeProducers: DescribeProducersRequest, DescribeProducersResponse;
        BrokerRegistration: BrokerRegistrationRequest, BrokerRegistrationResponse;
        BrokerHeartbeat: BrokerHeartbeatRequest, BrokerHeartbeatResponse;
        UnregisterBroker: UnregisterBrokerRequest, UnregisterBrokerResponse;
        DescribeTransactions: DescribeTransactionsRequest, DescribeTransactionsResponse;
        ListTransactions: ListTransactionsRequest, ListTransactionsResponse;
        AllocateProducerIds: AllocateProducerIdsRequest, AllocateProducerIdsResponse;
        ConsumerGroupHeartbeat: ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse;
        ConsumerGroupDescribe: ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse;
        ControllerRegistration: ControllerRegistrationRequest, ControllerRegistrationResponse;
        GetTelemetrySubscriptions: GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse;
        PushTelemetry: PushTelemetryRequest, PushTelemetryResponse;
        AssignReplicasToDirs: AssignReplicasToDirsRequest, AssignReplicasToDirsResponse;
        ListConfigResources: ListConfigResourcesRequest, ListConfigResourcesResponse;
        DescribeTopicPartitions: DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse;
        ShareGroupHeartbeat: ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse;
        ShareGroupDescribe: ShareGroupDescribeRequest, ShareGroupDescribeResponse;
        ShareFetch: ShareFetchRequest, ShareFetchResponse;
        ShareAcknowledge: ShareAcknowledgeRequest, ShareAcknowledgeResponse;
        AddRaftVoter: AddRaftVoterRequest, AddRaftVoterResponse;
        RemoveRaftVoter: RemoveRaftVoterRequest, RemoveRaftVoterResponse;
        UpdateRaftVoter: UpdateRaftVoterRequest, UpdateRaftVoterResponse;
        InitializeShareGroupState: InitializeShareGroupStateRequest, InitializeShareGroupStateResponse;
        ReadShareGroupState: ReadShareGroupStateRequest, ReadShareGroupStateResponse;
        WriteShareGroupState: WriteShareGroupStateRequest, WriteShareGroupStateResponse;
        DeleteShareGroupState: DeleteShareGroupStateRequest, DeleteShareGroupStateResponse;
        ReadShareGroupStateSummary: ReadShareGroupStateSummaryRequest, ReadShareGroupStateSummaryResponse;
        DescribeShareGroupOffsets: DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse;
        AlterShareGroupOffsets: AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse;
        DeleteShareGroupOffsets: DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse;
    }
}

#[test]
fn the_keys_run_from_zero_without_a_gap() {
    for (index, range) in API_VERSION_RANGES.iter().enumerate() {
        assert_eq!(usize::try_from(range.key), Ok(index));
        assert_eq!(api(range.key), Some(range));
    }
    assert_eq!((api(-1), api(95)), (None, None));
}

#[test]
fn the_ranges_are_what_the_crate_has_in_both_directions() {
    let theirs = all_of_the_crate();
    for range in API_VERSION_RANGES {
        let Some(theirs) = theirs.iter().find(|theirs| theirs.name == range.name) else {
            assert!(range.max < range.min, "{} has no types in the crate", range.name);
            continue;
        };
        let both = (theirs.requests.0.max(theirs.responses.0), theirs.requests.1.min(theirs.responses.1));
        assert_eq!((range.min, range.max), both, "{}", range.name);
    }
}

#[test]
fn the_header_versions_are_those_of_the_crate() {
    for theirs in all_of_the_crate() {
        let range = API_VERSION_RANGES.iter().find(|range| range.name == theirs.name).expect("every API");
        for version in range.min..=range.max {
            let ours = (range.request_header_version(version), range.response_header_version(version));
            assert_eq!(
                ours,
                ((theirs.request_header)(version), (theirs.response_header)(version)),
                "{range:?}"
            );
        }
    }
}

#[test]
fn the_versions_just_outside_are_refused_by_the_crate() {
    let refuses = |version| {
        let body = if version < 8 { &[0; 64][..] } else { &[1, 0, 0, 0, 0, 1, 0, 1, 0] };
        OffsetCommitRequest::decode(&mut Bytes::copy_from_slice(body), version).is_err()
    };
    assert_eq!(api(8).map(|range| (range.min, range.max)), Some((2, 9)));
    assert!(refuses(1) && !refuses(2) && !refuses(9) && refuses(10));
}

/// VER-06
#[test]
fn every_listed_version_can_be_decoded_and_encoded() {
    for theirs in all_of_the_crate() {
        let range = API_VERSION_RANGES.iter().find(|range| range.name == theirs.name).expect("every API");
        for version in range.min..=range.max {
            assert!((theirs.request_round_trip)(version), "request of {} {version}", range.name);
            assert!((theirs.response_round_trip)(version), "response of {} {version}", range.name);
        }
        let beyond = [range.min - 1, range.max + 1];
        for version in beyond {
            let both = (theirs.request_round_trip)(version) && (theirs.response_round_trip)(version);
            assert!(!both, "{} {version} works and is not listed", range.name);
        }
    }
}

/// VER-01
#[test]
fn the_exceptions_to_flexible_headers_hold() {
    let header = |key, version| api(key).map(|range| range.response_header_version(version));
    assert_eq!(header(API_VERSIONS_KEY, 4), Some(0));
    assert_eq!(header(17, 1), Some(0));
    assert_eq!(header(47, 0), Some(0));
    assert_eq!(header(3, 9), Some(1));
    assert_eq!(header(3, 8), Some(0));
}
