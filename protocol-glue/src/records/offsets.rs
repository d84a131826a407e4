//! Records of `__consumer_offsets` for the classic protocol: committed offsets and group metadata.
//!
//! A key is a 16-bit record type followed by the fields, a value a 16-bit version followed by the fields; a null
//! value (not seen here) deletes. Types that this file does not declare, such as those of KIP-848 groups, are told
//! apart but not read.

use bytes::Bytes;
use uuid::Uuid;

use super::{Message, split_version};
pub use super::{read_value, write_value};
use crate::DecodeError;

messages! {
    /// Which committed offset a record is about (record types 0 and 1, whose fields are the same).
    OffsetCommitKey (versions 0..=1) {
        group: String [0..],
        topic: String [0..],
        partition: i32 [0..],
    }

    /// A committed offset.
    OffsetCommitValue (versions 0..=4, flexible 4) {
        /// The next offset to read.
        offset: i64 [0..],
        /// The leader epoch of the last record read, or -1.
        leader_epoch: i32 [3..] (ignorable) = -1,
        metadata: String [0..],
        /// When it was committed, in milliseconds since 1970.
        commit_timestamp: i64 [0..],
        /// When it ends by the committer's own wish, in milliseconds since 1970, or -1: OffsetCommit 2–4 had a
        /// retention time. Only version 1 has room for it.
        expire_timestamp: i64 [1..=1] (ignorable) = -1,
        /// The topic's id (KIP-848), or nil.
        topic_id: Uuid [4..] (ignorable) tag 0,
    }

    /// Which group a record is about (record type 2).
    GroupMetadataKey (versions 2..=2) {
        group: String [0..],
    }

    /// The members and the assignment of a classic group.
    GroupMetadataValue (versions 0..=4, flexible 4) {
        protocol_type: String [0..],
        generation: i32 [0..],
        protocol: Option<String> [0..],
        /// The member id of the leader.
        leader: Option<String> [0..],
        /// When the group came into its present state, in milliseconds since 1970, or -1.
        current_state_timestamp: i64 [2..] (ignorable) = -1,
        members: Vec<GroupMember> [0..],
    }

    /// A member of a classic group.
    GroupMember {
        member_id: String [0..],
        group_instance_id: Option<String> [3..] (ignorable),
        client_id: String [0..],
        client_host: String [0..],
        /// Milliseconds, or -1.
        rebalance_timeout: i32 [1..] (ignorable) = -1,
        /// Milliseconds.
        session_timeout: i32 [0..],
        subscription: Bytes [0..],
        assignment: Bytes [0..],
    }
}

/// What a record of `__consumer_offsets` is about.
#[derive(Debug, Clone, PartialEq)]
pub enum OffsetsKey {
    /// The value is an [`OffsetCommitValue`].
    OffsetCommit(OffsetCommitKey),
    /// The value is a [`GroupMetadataValue`].
    GroupMetadata(GroupMetadataKey),
    /// A record type that this file does not declare.
    Unknown(i16),
}

const LEGACY_OFFSET_COMMIT: i16 = 0;
const OFFSET_COMMIT: i16 = 1;
const GROUP_METADATA: i16 = 2;

/// Reads the key of a record.
pub fn read_key(key: &[u8]) -> Result<OffsetsKey, DecodeError> {
    let (kind, mut body) = split_version(key)?;
    match kind {
        LEGACY_OFFSET_COMMIT | OFFSET_COMMIT => {
            OffsetCommitKey::decode(kind, &mut body).map(OffsetsKey::OffsetCommit)
        }
        GROUP_METADATA => GroupMetadataKey::decode(kind, &mut body).map(OffsetsKey::GroupMetadata),
        unknown => Ok(OffsetsKey::Unknown(unknown)),
    }
}

/// Writes the key of a record.
///
/// # Panics
/// On [`OffsetsKey::Unknown`]: there is nothing to write.
pub fn write_key(key: &OffsetsKey) -> Bytes {
    match key {
        OffsetsKey::OffsetCommit(key) => write_value(key, OFFSET_COMMIT),
        OffsetsKey::GroupMetadata(key) => write_value(key, GROUP_METADATA),
        OffsetsKey::Unknown(kind) => {
            panic!("record type {kind} is not declared, so nobody can have made its key")
        }
    }
}
