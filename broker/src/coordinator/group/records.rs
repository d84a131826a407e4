//! The records of a shard: what is written down, in Kafka's format for `__consumer_offsets`.

use std::sync::Arc;

use bytes::Bytes;
use protocol_glue::{
    DecodeError,
    records::offsets::{
        self, GroupMember, GroupMetadataKey, GroupMetadataValue, OffsetCommitKey, OffsetCommitValue,
        OffsetsKey,
    },
};
use thiserror::Error;

use super::{CommittedOffset, group::Group, member::Member};

/// Kafka writes group metadata in this version.
const GROUP_METADATA_VERSION: i16 = 3;
/// The version of offsets since Kafka 4.2, with the topic's id.
const OFFSET_VERSION: i16 = 4;
/// The only version of offsets that has room for an expiry.
const EXPIRING_OFFSET_VERSION: i16 = 1;

/// A change of a shard. Without a value: the thing is gone.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The members of a group and their assignment.
    Group { group_id: Arc<str>, value: Option<GroupMetadataValue> },
    /// A committed offset.
    Offset { group_id: Arc<str>, topic: Arc<str>, partition: i32, offset: Option<CommittedOffset> },
}

/// A record that cannot be read; it is of a kind that this broker must understand.
#[derive(Debug, Error)]
#[error("a record of {what} cannot be read: {source}")]
pub struct RecordError {
    what: &'static str,
    source: DecodeError,
}

impl Record {
    /// The group as it is, with the assignments that `assignment` names.
    pub(super) fn group(group: &Group, assignment: impl Fn(&Member) -> Bytes) -> Self {
        let protocol = group.protocol.as_deref().unwrap_or_default();
        let members = group.members.values().map(|member| GroupMember {
            member_id: member.id.to_string(),
            group_instance_id: member.instance_id.as_deref().map(str::to_owned),
            client_id: member.client_id.to_string(),
            client_host: member.client_host.to_string(),
            rebalance_timeout: member.rebalance_timeout_ms,
            session_timeout: member.session_timeout_ms,
            subscription: member.metadata(protocol),
            assignment: assignment(member),
        });
        let value = GroupMetadataValue {
            protocol_type: group.protocol_type.as_deref().unwrap_or_default().to_owned(),
            generation: group.generation,
            protocol: group.protocol.as_deref().map(str::to_owned),
            leader: group.leader.as_deref().map(str::to_owned),
            current_state_timestamp: group.state_since_ms.unwrap_or(-1),
            members: members.collect(),
        };
        Self::Group { group_id: group.id.clone(), value: Some(value) }
    }

    /// A group in which nobody is yet.
    pub(super) fn empty_group(group: &Group) -> Self {
        let value = GroupMetadataValue {
            current_state_timestamp: group.state_since_ms.unwrap_or(-1),
            ..GroupMetadataValue::default()
        };
        Self::Group { group_id: group.id.clone(), value: Some(value) }
    }

    pub(super) fn no_group(group_id: &Arc<str>) -> Self {
        Self::Group { group_id: group_id.clone(), value: None }
    }

    pub(super) fn no_offset(group_id: &Arc<str>, topic: &Arc<str>, partition: i32) -> Self {
        Self::Offset { group_id: group_id.clone(), topic: topic.clone(), partition, offset: None }
    }

    /// Key and value as they are written.
    pub fn encode(&self) -> (Bytes, Option<Bytes>) {
        match self {
            Self::Group { group_id, value } => {
                let key = OffsetsKey::GroupMetadata(GroupMetadataKey { group: group_id.to_string() });
                let value = value.as_ref().map(|value| offsets::write_value(value, GROUP_METADATA_VERSION));
                (offsets::write_key(&key), value)
            }
            Self::Offset { group_id, topic, partition, offset } => {
                let key = OffsetsKey::OffsetCommit(OffsetCommitKey {
                    group: group_id.to_string(),
                    topic: topic.to_string(),
                    partition: *partition,
                });
                (offsets::write_key(&key), offset.as_ref().map(encode_offset))
            }
        }
    }

    /// Reads a record. `None`: a kind that this broker does not know, written by newer software or for other types
    /// of groups.
    pub fn decode(key: &[u8], value: Option<&[u8]>) -> Result<Option<Self>, RecordError> {
        let named = |what| move |source| RecordError { what, source };
        match offsets::read_key(key).map_err(named("an unknown kind"))? {
            OffsetsKey::GroupMetadata(key) => {
                let value = value.map(offsets::read_value).transpose().map_err(named("a group"))?;
                Ok(Some(Self::Group { group_id: key.group.into(), value }))
            }
            OffsetsKey::OffsetCommit(key) => {
                let value = value.map(offsets::read_value).transpose().map_err(named("an offset"))?;
                Ok(Some(Self::Offset {
                    group_id: key.group.into(),
                    topic: key.topic.into(),
                    partition: key.partition,
                    offset: value.map(decode_offset),
                }))
            }
            OffsetsKey::Unknown(_) => Ok(None),
        }
    }
}

fn encode_offset(offset: &CommittedOffset) -> Bytes {
    let value = OffsetCommitValue {
        offset: offset.offset,
        leader_epoch: offset.leader_epoch,
        metadata: offset.metadata.to_string(),
        commit_timestamp: offset.commit_ms,
        expire_timestamp: offset.expire_ms.unwrap_or(-1),
        topic_id: offset.topic_id,
    };
    let version = if offset.expire_ms.is_some() { EXPIRING_OFFSET_VERSION } else { OFFSET_VERSION };
    offsets::write_value(&value, version)
}

fn decode_offset(value: OffsetCommitValue) -> CommittedOffset {
    CommittedOffset {
        offset: value.offset,
        leader_epoch: value.leader_epoch,
        metadata: value.metadata.into(),
        commit_ms: value.commit_timestamp,
        expire_ms: (value.expire_timestamp != -1).then_some(value.expire_timestamp),
        topic_id: value.topic_id,
    }
}
