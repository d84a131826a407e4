//! Every API key that Kafka 4.4 knows: its name, the versions that can be decoded and encoded here, and where its
//! flexible versions begin.
//!
//! What is advertised and served is the broker's decision and a subset of this. The ranges are our own (D5): the
//! protocol crate's list by API key promises request versions that it then refuses to decode.

/// What is known of one API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiVersionRange {
    pub key: i16,
    /// The name in the protocol's documentation.
    pub name: &'static str,
    /// The first version that we can decode and encode. Where there is none, `max` is below it.
    pub min: i16,
    /// The last version that we can decode and encode.
    pub max: i16,
    /// The first version with compact lengths and tagged fields (KIP-482).
    pub flexible_from: Option<i16>,
}

/// What is known of `key`; `None` for keys that Kafka does not define.
pub fn api(key: i16) -> Option<&'static ApiVersionRange> {
    // The keys run from 0 without a gap, which a test holds.
    API_VERSION_RANGES.get(usize::try_from(key).ok()?)
}

/// The key of ApiVersions, the one API with rules of its own.
pub const API_VERSIONS_KEY: i16 = 18;

impl ApiVersionRange {
    /// Whether `version` can be decoded and encoded.
    pub const fn contains(&self, version: i16) -> bool {
        self.min <= version && version <= self.max
    }

    /// Whether `version`, supported or not, is in the flexible format.
    pub const fn is_flexible(&self, version: i16) -> bool {
        matches!(self.flexible_from, Some(first) if version >= first)
    }

    /// 2 when the request header has tagged fields, else 1. Right for unsupported versions too, as Kafka looks at the
    /// header of an ApiVersions request before its version.
    pub const fn request_header_version(&self, version: i16) -> i16 {
        if self.is_flexible(version) { 2 } else { 1 }
    }

    /// 1 when the response header has tagged fields, else 0. ApiVersions stays at 0: its reader cannot know yet what we
    /// speak (KIP-511).
    pub const fn response_header_version(&self, version: i16) -> i16 {
        if self.is_flexible(version) && self.key != API_VERSIONS_KEY { 1 } else { 0 }
    }
}

macro_rules! api_version_ranges {
    ($($key:literal $name:ident: $versions:tt $(..= $max:literal)?, flexible $flexible:tt;)+) => {
        /// All API keys, in ascending order.
        pub static API_VERSION_RANGES: &[ApiVersionRange] = &[$(
            ApiVersionRange {
                key: $key,
                name: stringify!($name),
                min: api_version_ranges!(@min $versions),
                max: api_version_ranges!(@max $($max)?),
                flexible_from: api_version_ranges!(@flexible $flexible),
            },
        )+];
    };
    (@min none) => { 0 };
    (@min $min:literal) => { $min };
    (@max) => { -1 };
    (@max $max:literal) => { $max };
    (@flexible never) => { None };
    (@flexible $first:literal) => { Some($first) };
}

// `none`: removed with ZooKeeper (4–7), or not known to the protocol crate.
api_version_ranges! {
    0 Produce: 3..=13, flexible 9;
    1 Fetch: 4..=18, flexible 12;
    2 ListOffsets: 1..=10, flexible 6;
    3 Metadata: 0..=13, flexible 9;
    4 LeaderAndIsr: none, flexible never;
    5 StopReplica: none, flexible never;
    6 UpdateMetadata: none, flexible never;
    7 ControlledShutdown: none, flexible never;
    8 OffsetCommit: 2..=9, flexible 8;
    9 OffsetFetch: 1..=9, flexible 6;
    10 FindCoordinator: 0..=6, flexible 3;
    11 JoinGroup: 0..=9, flexible 6;
    12 Heartbeat: 0..=4, flexible 4;
    13 LeaveGroup: 0..=5, flexible 4;
    14 SyncGroup: 0..=5, flexible 4;
    15 DescribeGroups: 0..=6, flexible 5;
    16 ListGroups: 0..=5, flexible 3;
    17 SaslHandshake: 0..=1, flexible never;
    18 ApiVersions: 0..=4, flexible 3;
    19 CreateTopics: 2..=7, flexible 5;
    20 DeleteTopics: 1..=6, flexible 4;
    21 DeleteRecords: 0..=2, flexible 2;
    22 InitProducerId: 0..=5, flexible 2;
    23 OffsetForLeaderEpoch: 2..=4, flexible 4;
    24 AddPartitionsToTxn: 0..=5, flexible 3;
    25 AddOffsetsToTxn: 0..=4, flexible 3;
    26 EndTxn: 0..=5, flexible 3;
    27 WriteTxnMarkers: 1..=1, flexible 1;
    28 TxnOffsetCommit: 0..=5, flexible 3;
    29 DescribeAcls: 1..=3, flexible 2;
    30 CreateAcls: 1..=3, flexible 2;
    31 DeleteAcls: 1..=3, flexible 2;
    32 DescribeConfigs: 1..=4, flexible 4;
    33 AlterConfigs: 0..=2, flexible 2;
    34 AlterReplicaLogDirs: 1..=2, flexible 2;
    35 DescribeLogDirs: 1..=4, flexible 2;
    36 SaslAuthenticate: 0..=2, flexible 2;
    37 CreatePartitions: 0..=3, flexible 2;
    38 CreateDelegationToken: 1..=3, flexible 2;
    39 RenewDelegationToken: 1..=2, flexible 2;
    40 ExpireDelegationToken: 1..=2, flexible 2;
    41 DescribeDelegationToken: 1..=3, flexible 2;
    42 DeleteGroups: 0..=2, flexible 2;
    43 ElectLeaders: 0..=2, flexible 2;
    44 IncrementalAlterConfigs: 0..=1, flexible 1;
    45 AlterPartitionReassignments: 0..=1, flexible 0;
    46 ListPartitionReassignments: 0..=0, flexible 0;
    47 OffsetDelete: 0..=0, flexible never;
    48 DescribeClientQuotas: 0..=1, flexible 1;
    49 AlterClientQuotas: 0..=1, flexible 1;
    50 DescribeUserScramCredentials: 0..=0, flexible 0;
    51 AlterUserScramCredentials: 0..=0, flexible 0;
    52 Vote: 0..=2, flexible 0;
    53 BeginQuorumEpoch: 0..=1, flexible 1;
    54 EndQuorumEpoch: 0..=1, flexible 1;
    55 DescribeQuorum: 0..=2, flexible 0;
    56 AlterPartition: 2..=3, flexible 0;
    57 UpdateFeatures: 0..=2, flexible 0;
    58 Envelope: 0..=0, flexible 0;
    59 FetchSnapshot: 0..=1, flexible 0;
    60 DescribeCluster: 0..=2, flexible 0;
    61 DescribeProducers: 0..=0, flexible 0;
    62 BrokerRegistration: 0..=4, flexible 0;
    63 BrokerHeartbeat: 0..=1, flexible 0;
    64 UnregisterBroker: 0..=0, flexible 0;
    65 DescribeTransactions: 0..=0, flexible 0;
    66 ListTransactions: 0..=2, flexible 0;
    67 AllocateProducerIds: 0..=0, flexible 0;
    68 ConsumerGroupHeartbeat: 0..=1, flexible 0;
    69 ConsumerGroupDescribe: 0..=1, flexible 0;
    70 ControllerRegistration: 0..=0, flexible 0;
    71 GetTelemetrySubscriptions: 0..=0, flexible 0;
    72 PushTelemetry: 0..=0, flexible 0;
    73 AssignReplicasToDirs: 0..=0, flexible 0;
    74 ListConfigResources: 0..=1, flexible 0;
    75 DescribeTopicPartitions: 0..=0, flexible 0;
    76 ShareGroupHeartbeat: 1..=1, flexible 0;
    77 ShareGroupDescribe: 1..=1, flexible 0;
    78 ShareFetch: 1..=1, flexible 0;
    79 ShareAcknowledge: 1..=1, flexible 0;
    80 AddRaftVoter: 0..=0, flexible 0;
    81 RemoveRaftVoter: 0..=0, flexible 0;
    82 UpdateRaftVoter: 0..=0, flexible 0;
    83 InitializeShareGroupState: 0..=0, flexible 0;
    84 ReadShareGroupState: 0..=0, flexible 0;
    85 WriteShareGroupState: 0..=0, flexible 0;
    86 DeleteShareGroupState: 0..=0, flexible 0;
    87 ReadShareGroupStateSummary: 0..=0, flexible 0;
    88 StreamsGroupHeartbeat: none, flexible 0;
    89 StreamsGroupDescribe: none, flexible 0;
    90 DescribeShareGroupOffsets: 0..=0, flexible 0;
    91 AlterShareGroupOffsets: 0..=0, flexible 0;
    92 DeleteShareGroupOffsets: 0..=0, flexible 0;
    93 StreamsGroupTopologyDescriptionUpdate: none, flexible 0;
    94 UnregisterController: none, flexible 0;
}

#[cfg(test)]
mod tests;
