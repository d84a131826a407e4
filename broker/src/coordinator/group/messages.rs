//! What is asked of the group coordinator and what it answers, in its own words.

use std::sync::Arc;

use bytes::Bytes;
use uuid::Uuid;

use super::{CommittedOffset, GroupError, State};

/// A member wants to be part of the next generation.
#[derive(Clone, Debug, Default)]
pub struct JoinRequest {
    pub group_id: String,
    /// Empty: not known yet.
    pub member_id: String,
    /// Set for static members (KIP-345).
    pub instance_id: Option<String>,
    pub client_id: String,
    /// As Kafka writes it: `/1.2.3.4`.
    pub client_host: String,
    pub session_timeout_ms: i32,
    pub rebalance_timeout_ms: i32,
    pub protocol_type: String,
    /// Names and opaque metadata, best first.
    pub protocols: Vec<(String, Bytes)>,
    /// Whether a member without an id has to come back with the id that it is given (KIP-394).
    pub requires_known_member_id: bool,
    /// Whether a leader can be told to keep the present assignment (KIP-814).
    pub can_skip_assignment: bool,
}

/// The answer to a join.
pub type JoinReply = Result<Joined, JoinRefusal>;

/// The generation that a member is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    pub generation: i32,
    pub protocol_type: Option<Arc<str>>,
    pub protocol: Option<Arc<str>>,
    /// The leader's member id.
    pub leader: Arc<str>,
    /// The leader keeps the present assignment.
    pub skip_assignment: bool,
    pub member_id: Arc<str>,
    /// Everybody, for the leader; nobody, for the others.
    pub members: Vec<JoinedMember>,
}

/// A member as the leader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedMember {
    pub member_id: Arc<str>,
    pub instance_id: Option<Arc<str>>,
    /// For the chosen protocol.
    pub metadata: Bytes,
}

/// Why a member is not in, and under which id it was asked about or has to come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinRefusal {
    pub error: GroupError,
    pub member_id: Arc<str>,
}

/// A member asks for its assignment; the leader brings everybody's.
#[derive(Clone, Debug, Default)]
pub struct SyncRequest {
    pub group_id: String,
    pub generation: i32,
    pub member_id: String,
    pub instance_id: Option<String>,
    /// Checked when given.
    pub protocol_type: Option<String>,
    /// Checked when given.
    pub protocol: Option<String>,
    pub assignments: Vec<(String, Bytes)>,
}

/// The answer to a sync.
pub type SyncReply = Result<Synced, GroupError>;

/// A member's assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    pub protocol_type: Option<Arc<str>>,
    pub protocol: Option<Arc<str>>,
    pub assignment: Bytes,
}

/// A member as it names itself in a request.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    pub member_id: &'a str,
    pub instance_id: Option<&'a str>,
}

/// Who leaves, or is removed by an administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Empty: whoever has the instance id.
    pub member_id: String,
    pub instance_id: Option<String>,
}

/// An offset to be committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetToCommit {
    pub partition: i32,
    pub offset: i64,
    /// Or -1.
    pub leader_epoch: i32,
    pub metadata: String,
}

/// Offsets of a topic to be committed. The topic exists and has the partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicToCommit {
    pub topic: Arc<str>,
    pub topic_id: Uuid,
    pub offsets: Vec<OffsetToCommit>,
}

/// Offsets to be committed, by a member or by somebody outside of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRequest {
    pub group_id: String,
    /// Negative: not as a member.
    pub generation: i32,
    pub member_id: String,
    pub instance_id: Option<String>,
    /// How long the offsets shall be kept; `None`: as the broker does.
    pub retention_ms: Option<i64>,
    /// Whether a generation of a group that does not exist is answered as such, or as a wrong generation.
    pub knows_group_not_found: bool,
    pub topics: Vec<TopicToCommit>,
}

/// Outcome by topic and partition, in the order of the request.
pub type PartitionOutcomes = Vec<(Arc<str>, Vec<(i32, Result<(), GroupError>)>)>;

/// What has been committed, by topic and partition; `None`: nothing.
pub type FetchedOffsets = Vec<(Arc<str>, Vec<(i32, Option<CommittedOffset>)>)>;

/// A group as an administrator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub state: State,
    /// Empty for a group that never had a member.
    pub protocol_type: Arc<str>,
    /// Empty unless the group is stable.
    pub protocol: Arc<str>,
    pub members: Vec<MemberDescription>,
}

/// A member as an administrator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberDescription {
    pub member_id: Arc<str>,
    pub instance_id: Option<Arc<str>>,
    pub client_id: Arc<str>,
    pub client_host: Arc<str>,
    /// For the chosen protocol; empty unless the group is stable.
    pub metadata: Bytes,
    /// The last one; empty if there never was one.
    pub assignment: Bytes,
}

/// A line of the list of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub group_id: Arc<str>,
    pub state: State,
    pub protocol_type: Arc<str>,
}
