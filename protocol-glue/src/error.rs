//! The error codes of the protocol.
//!
//! The numbers and names are Kafka's, the wording is ours. Which code answers which situation is the broker's matter.

use std::fmt;

macro_rules! error_codes {
    ($($code:literal $variant:ident $name:ident: $meaning:literal,)+) => {
        /// An error code as it stands in a response. `Display` gives its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(i16)]
        pub enum ErrorCode {$(
            #[doc = $meaning]
            $variant = $code,
        )+}

        impl ErrorCode {
            /// Every code, in ascending order.
            pub const ALL: &[ErrorCode] = &[$( ErrorCode::$variant, )+];

            /// The code with this number; `None` for numbers that nobody defines.
            pub fn from_code(code: i16) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$variant), )+
                    _ => None,
                }
            }

            /// The name in Kafka's documentation, for logs and metrics.
            pub fn name(self) -> &'static str {
                match self {$( Self::$variant => stringify!($name), )+}
            }

            fn meaning(self) -> &'static str {
                match self {$( Self::$variant => $meaning, )+}
            }
        }
    };
}

impl ErrorCode {
    /// The number on the wire.
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// Whether this is the code that means success.
    pub const fn is_none(self) -> bool {
        matches!(self, Self::None)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.meaning())
    }
}

impl From<ErrorCode> for i16 {
    fn from(code: ErrorCode) -> i16 {
        code.code()
    }
}

error_codes! {
    -1 UnknownServerError UNKNOWN_SERVER_ERROR: "the server met an error it has no code for",
    0 None NONE: "no error",
    1 OffsetOutOfRange OFFSET_OUT_OF_RANGE: "the offset lies outside of the partition's log",
    2 CorruptMessage CORRUPT_MESSAGE: "the bytes are damaged or not a record batch",
    3 UnknownTopicOrPartition UNKNOWN_TOPIC_OR_PARTITION: "there is no such topic or partition here",
    4 InvalidFetchSize INVALID_FETCH_SIZE: "the fetch size is not valid",
    5 LeaderNotAvailable LEADER_NOT_AVAILABLE: "the partition has no leader at the moment",
    6 NotLeaderOrFollower NOT_LEADER_OR_FOLLOWER: "this broker does not lead or follow the partition",
    7 RequestTimedOut REQUEST_TIMED_OUT: "the request ran out of time",
    8 BrokerNotAvailable BROKER_NOT_AVAILABLE: "the broker is not available",
    9 ReplicaNotAvailable REPLICA_NOT_AVAILABLE: "the replica is not available",
    10 MessageTooLarge MESSAGE_TOO_LARGE: "the record batch is larger than the topic allows",
    11 StaleControllerEpoch STALE_CONTROLLER_EPOCH: "the controller epoch is old",
    12 OffsetMetadataTooLarge OFFSET_METADATA_TOO_LARGE: "the metadata of the committed offset is too large",
    13 NetworkException NETWORK_EXCEPTION: "the connection broke before an answer came",
    14 CoordinatorLoadInProgress COORDINATOR_LOAD_IN_PROGRESS: "the coordinator is still loading its state",
    15 CoordinatorNotAvailable COORDINATOR_NOT_AVAILABLE: "the coordinator is not available",
    16 NotCoordinator NOT_COORDINATOR: "this broker is not the coordinator",
    17 InvalidTopic INVALID_TOPIC_EXCEPTION: "the topic name is not valid, or the topic is not open to this operation",
    18 RecordListTooLarge RECORD_LIST_TOO_LARGE: "the record batch is larger than a segment",
    19 NotEnoughReplicas NOT_ENOUGH_REPLICAS: "too few replicas are in sync; nothing was written",
    20 NotEnoughReplicasAfterAppend NOT_ENOUGH_REPLICAS_AFTER_APPEND: "the batch was written, but too few replicas are in sync",
    21 InvalidRequiredAcks INVALID_REQUIRED_ACKS: "acks must be -1, 0 or 1",
    22 IllegalGeneration ILLEGAL_GENERATION: "the generation is not the group's",
    23 InconsistentGroupProtocol INCONSISTENT_GROUP_PROTOCOL: "no protocol that all members of the group have",
    24 InvalidGroupId INVALID_GROUP_ID: "the group id is not valid",
    25 UnknownMemberId UNKNOWN_MEMBER_ID: "the group has no such member",
    26 InvalidSessionTimeout INVALID_SESSION_TIMEOUT: "the session timeout is outside of the allowed range",
    27 RebalanceInProgress REBALANCE_IN_PROGRESS: "the group is rebalancing; join again",
    28 InvalidCommitOffsetSize INVALID_COMMIT_OFFSET_SIZE: "the committed offset is too large to store",
    29 TopicAuthorizationFailed TOPIC_AUTHORIZATION_FAILED: "not authorized for the topic",
    30 GroupAuthorizationFailed GROUP_AUTHORIZATION_FAILED: "not authorized for the group",
    31 ClusterAuthorizationFailed CLUSTER_AUTHORIZATION_FAILED: "not authorized for the cluster",
    32 InvalidTimestamp INVALID_TIMESTAMP: "the timestamp of a record is out of range",
    33 UnsupportedSaslMechanism UNSUPPORTED_SASL_MECHANISM: "the SASL mechanism is not offered",
    34 IllegalSaslState ILLEGAL_SASL_STATE: "this SASL request is not expected now",
    35 UnsupportedVersion UNSUPPORTED_VERSION: "the version is not supported",
    36 TopicAlreadyExists TOPIC_ALREADY_EXISTS: "the topic exists already",
    37 InvalidPartitions INVALID_PARTITIONS: "the number of partitions is not valid",
    38 InvalidReplicationFactor INVALID_REPLICATION_FACTOR: "the replication factor is not valid",
    39 InvalidReplicaAssignment INVALID_REPLICA_ASSIGNMENT: "the replica assignment is not valid",
    40 InvalidConfig INVALID_CONFIG: "the configuration is not valid",
    41 NotController NOT_CONTROLLER: "this broker is not the controller",
    42 InvalidRequest INVALID_REQUEST: "the request does not make sense",
    43 UnsupportedForMessageFormat UNSUPPORTED_FOR_MESSAGE_FORMAT: "the message format of the topic cannot do this",
    44 PolicyViolation POLICY_VIOLATION: "a policy forbids it",
    45 OutOfOrderSequenceNumber OUT_OF_ORDER_SEQUENCE_NUMBER: "the sequence number does not follow the last one",
    46 DuplicateSequenceNumber DUPLICATE_SEQUENCE_NUMBER: "the sequence number was seen before",
    47 InvalidProducerEpoch INVALID_PRODUCER_EPOCH: "the producer has an old epoch",
    48 InvalidTxnState INVALID_TXN_STATE: "the transaction is in no state for this",
    49 InvalidProducerIdMapping INVALID_PRODUCER_ID_MAPPING: "the producer id does not belong to the transactional id",
    50 InvalidTransactionTimeout INVALID_TRANSACTION_TIMEOUT: "the transaction timeout is outside of the allowed range",
    51 ConcurrentTransactions CONCURRENT_TRANSACTIONS: "the transactional id is still busy with its last request",
    52 TransactionCoordinatorFenced TRANSACTION_COORDINATOR_FENCED: "the transaction coordinator is fenced",
    53 TransactionalIdAuthorizationFailed TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "not authorized for the transactional id",
    54 SecurityDisabled SECURITY_DISABLED: "security features are switched off",
    55 OperationNotAttempted OPERATION_NOT_ATTEMPTED: "not attempted, because of another error",
    56 KafkaStorageError KAFKA_STORAGE_ERROR: "the disk failed",
    57 LogDirNotFound LOG_DIR_NOT_FOUND: "there is no such log directory",
    58 SaslAuthenticationFailed SASL_AUTHENTICATION_FAILED: "SASL authentication failed",
    59 UnknownProducerId UNKNOWN_PRODUCER_ID: "the producer id is not known here",
    60 ReassignmentInProgress REASSIGNMENT_IN_PROGRESS: "the partition is being reassigned",
    61 DelegationTokenAuthDisabled DELEGATION_TOKEN_AUTH_DISABLED: "delegation tokens are switched off",
    62 DelegationTokenNotFound DELEGATION_TOKEN_NOT_FOUND: "there is no such delegation token",
    63 DelegationTokenOwnerMismatch DELEGATION_TOKEN_OWNER_MISMATCH: "the delegation token belongs to somebody else",
    64 DelegationTokenRequestNotAllowed DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: "delegation tokens may not be asked for over this connection",
    65 DelegationTokenAuthorizationFailed DELEGATION_TOKEN_AUTHORIZATION_FAILED: "not authorized for the delegation token",
    66 DelegationTokenExpired DELEGATION_TOKEN_EXPIRED: "the delegation token has expired",
    67 InvalidPrincipalType INVALID_PRINCIPAL_TYPE: "the type of the principal is not supported",
    68 NonEmptyGroup NON_EMPTY_GROUP: "the group has members",
    69 GroupIdNotFound GROUP_ID_NOT_FOUND: "there is no such group",
    70 FetchSessionIdNotFound FETCH_SESSION_ID_NOT_FOUND: "there is no such fetch session",
    71 InvalidFetchSessionEpoch INVALID_FETCH_SESSION_EPOCH: "the epoch of the fetch session is not the expected one",
    72 ListenerNotFound LISTENER_NOT_FOUND: "there is no such listener on the leader",
    73 TopicDeletionDisabled TOPIC_DELETION_DISABLED: "topics cannot be deleted here",
    74 FencedLeaderEpoch FENCED_LEADER_EPOCH: "the leader epoch is older than the partition's",
    75 UnknownLeaderEpoch UNKNOWN_LEADER_EPOCH: "the leader epoch is newer than the partition's",
    76 UnsupportedCompressionType UNSUPPORTED_COMPRESSION_TYPE: "the compression type is not supported in this version",
    77 StaleBrokerEpoch STALE_BROKER_EPOCH: "the broker epoch is old",
    78 OffsetNotAvailable OFFSET_NOT_AVAILABLE: "the leader has not caught up enough to say",
    79 MemberIdRequired MEMBER_ID_REQUIRED: "a member id is needed; join again with the one given",
    80 PreferredLeaderNotAvailable PREFERRED_LEADER_NOT_AVAILABLE: "the preferred leader is not available",
    81 GroupMaxSizeReached GROUP_MAX_SIZE_REACHED: "the group is full",
    82 FencedInstanceId FENCED_INSTANCE_ID: "another member took over this instance id",
    83 EligibleLeadersNotAvailable ELIGIBLE_LEADERS_NOT_AVAILABLE: "no replica may become leader",
    84 ElectionNotNeeded ELECTION_NOT_NEEDED: "the leader is the right one already",
    85 NoReassignmentInProgress NO_REASSIGNMENT_IN_PROGRESS: "the partition is not being reassigned",
    86 GroupSubscribedToTopic GROUP_SUBSCRIBED_TO_TOPIC: "a member of the group reads this topic",
    87 InvalidRecord INVALID_RECORD: "a record is not valid",
    88 UnstableOffsetCommit UNSTABLE_OFFSET_COMMIT: "a transaction holds the offset",
    89 ThrottlingQuotaExceeded THROTTLING_QUOTA_EXCEEDED: "over the quota; try again later",
    90 ProducerFenced PRODUCER_FENCED: "a newer producer took over",
    91 ResourceNotFound RESOURCE_NOT_FOUND: "there is no such resource",
    92 DuplicateResource DUPLICATE_RESOURCE: "the resource appears twice",
    93 UnacceptableCredential UNACCEPTABLE_CREDENTIAL: "the credential is not acceptable",
    94 InconsistentVoterSet INCONSISTENT_VOTER_SET: "the voters of both sides differ",
    95 InvalidUpdateVersion INVALID_UPDATE_VERSION: "the feature version is not valid",
    96 FeatureUpdateFailed FEATURE_UPDATE_FAILED: "the features could not be updated",
    97 PrincipalDeserializationFailure PRINCIPAL_DESERIALIZATION_FAILURE: "the principal in the forwarded request cannot be read",
    98 SnapshotNotFound SNAPSHOT_NOT_FOUND: "there is no such snapshot",
    99 PositionOutOfRange POSITION_OUT_OF_RANGE: "the position lies outside of the snapshot",
    100 UnknownTopicId UNKNOWN_TOPIC_ID: "there is no topic with this id",
    101 DuplicateBrokerRegistration DUPLICATE_BROKER_REGISTRATION: "the broker id is taken",
    102 BrokerIdNotRegistered BROKER_ID_NOT_REGISTERED: "no broker with this id is registered",
    103 InconsistentTopicId INCONSISTENT_TOPIC_ID: "the topic id is not that of the log",
    104 InconsistentClusterId INCONSISTENT_CLUSTER_ID: "the cluster id is another one",
    105 TransactionalIdNotFound TRANSACTIONAL_ID_NOT_FOUND: "there is no such transactional id",
    106 FetchSessionTopicIdError FETCH_SESSION_TOPIC_ID_ERROR: "the fetch session mixes topic names and topic ids",
    107 IneligibleReplica INELIGIBLE_REPLICA: "the replica may not join the in-sync replicas",
    108 NewLeaderElected NEW_LEADER_ELECTED: "a new leader was elected",
    109 OffsetMovedToTieredStorage OFFSET_MOVED_TO_TIERED_STORAGE: "the offset was moved to tiered storage",
    110 FencedMemberEpoch FENCED_MEMBER_EPOCH: "the member epoch is old; join again",
    111 UnreleasedInstanceId UNRELEASED_INSTANCE_ID: "another member has this instance id",
    112 UnsupportedAssignor UNSUPPORTED_ASSIGNOR: "the assignor is not supported",
    113 StaleMemberEpoch STALE_MEMBER_EPOCH: "the member epoch is old; try again with the current one",
    114 MismatchedEndpointType MISMATCHED_ENDPOINT_TYPE: "the request came to the wrong kind of endpoint",
    115 UnsupportedEndpointType UNSUPPORTED_ENDPOINT_TYPE: "this kind of endpoint is not supported",
    116 UnknownControllerId UNKNOWN_CONTROLLER_ID: "there is no controller with this id",
    117 UnknownSubscriptionId UNKNOWN_SUBSCRIPTION_ID: "the telemetry subscription is not the current one",
    118 TelemetryTooLarge TELEMETRY_TOO_LARGE: "the telemetry payload is too large",
    119 InvalidRegistration INVALID_REGISTRATION: "the registration is not valid",
    120 TransactionAbortable TRANSACTION_ABORTABLE: "the transaction must be aborted",
    121 InvalidRecordState INVALID_RECORD_STATE: "the record is in no state for this",
    122 ShareSessionNotFound SHARE_SESSION_NOT_FOUND: "there is no such share session",
    123 InvalidShareSessionEpoch INVALID_SHARE_SESSION_EPOCH: "the epoch of the share session is not the expected one",
    124 FencedStateEpoch FENCED_STATE_EPOCH: "the state epoch is old",
    125 InvalidVoterKey INVALID_VOTER_KEY: "the voter key is not the receiver's",
    126 DuplicateVoter DUPLICATE_VOTER: "the voter is in the set already",
    127 VoterNotFound VOTER_NOT_FOUND: "the voter is not in the set",
    128 InvalidRegularExpression INVALID_REGULAR_EXPRESSION: "the regular expression is not valid",
    129 RebootstrapRequired REBOOTSTRAP_REQUIRED: "the client must find the cluster anew",
    130 StreamsInvalidTopology STREAMS_INVALID_TOPOLOGY: "the topology is not valid",
    131 StreamsInvalidTopologyEpoch STREAMS_INVALID_TOPOLOGY_EPOCH: "the topology epoch is not valid",
    132 StreamsTopologyFenced STREAMS_TOPOLOGY_FENCED: "the topology epoch is old",
    133 ShareSessionLimitReached SHARE_SESSION_LIMIT_REACHED: "there are too many share sessions",
    134 GroupDeletionFailed GROUP_DELETION_FAILED: "the group could not be deleted",
    135 StreamsTopologyDescriptionUpdateFailed STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: "the topology description could not be updated",
    136 ControllerIdNotRegistered CONTROLLER_ID_NOT_REGISTERED: "no controller with this id is registered",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_run_from_minus_one_without_a_gap() {
        let codes: Vec<i16> = ErrorCode::ALL.iter().map(|error| error.code()).collect();
        assert_eq!(codes, (-1..=136).collect::<Vec<i16>>());
    }

    #[test]
    fn every_code_is_found_by_its_number() {
        for error in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_code(error.code()), Some(*error));
        }
        assert_eq!(ErrorCode::from_code(137), None);
    }

    #[test]
    fn numbers_and_names_agree_with_the_protocol_crate() {
        for error in ErrorCode::ALL.iter().filter(|error| (1..=133).contains(&error.code())) {
            let theirs = format!("{:?}", kafka_protocol::ResponseError::try_from_code(error.code()));
            let plain = |name: &str| name.to_lowercase().replace(['_', '"'], "").replace("exception", "");
            let ours = plain(error.name());
            assert!(plain(&theirs).contains(&ours), "{} is called {theirs}", error.name());
        }
    }
}
