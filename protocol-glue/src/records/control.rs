//! Records of control batches: transaction markers, and what KRaft (KIP-595, KIP-630, KIP-853) writes into
//! `__cluster_metadata` and its snapshots beside the metadata.
//!
//! The key of a control record is a 16-bit version, 0, and a 16-bit type. The values repeat their version in their
//! first field.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use uuid::Uuid;

use super::Message;
use crate::DecodeError;

messages! {
    /// The end of a transaction in one partition.
    EndTransactionMarker (versions 0..=0) {
        coordinator_epoch: i32 [0..],
    }

    /// A new leader of the quorum: the first batch of its epoch.
    LeaderChange (versions 0..=1, flexible 0) {
        version: i16 [0..],
        leader_id: i32 [0..],
        voters: Vec<LeaderChangeVoter> [0..],
        granting_voters: Vec<LeaderChangeVoter> [0..],
    }

    /// A voter at the time of the election.
    LeaderChangeVoter {
        voter_id: i32 [0..],
        voter_directory_id: Uuid [1..],
    }

    /// The first record of a snapshot.
    SnapshotHeader (versions 0..=0, flexible 0) {
        version: i16 [0..],
        /// The time of the last record that the snapshot stands for, in milliseconds since 1970.
        last_contained_log_timestamp: i64 [0..],
    }

    /// The last record of a snapshot.
    SnapshotFooter (versions 0..=0, flexible 0) {
        version: i16 [0..],
    }

    /// The protocol level of the quorum: 1 since voters can change at run time.
    KRaftVersion (versions 0..=0, flexible 0) {
        version: i16 [0..],
        kraft_version: i16 [0..],
    }

    /// The voters of the quorum.
    Voters (versions 0..=0, flexible 0) {
        version: i16 [0..],
        voters: Vec<Voter> [0..],
    }

    /// A voter of the quorum.
    Voter {
        voter_id: i32 [0..],
        voter_directory_id: Uuid [0..],
        endpoints: Vec<VoterEndpoint> [0..],
        kraft_version_feature: KRaftVersionFeature [0..],
    }

    /// Where a voter listens.
    VoterEndpoint {
        name: String [0..],
        host: String [0..],
        port: u16 [0..],
    }

    /// The protocol levels that a voter knows.
    KRaftVersionFeature {
        min_supported_version: i16 [0..],
        max_supported_version: i16 [0..],
    }
}

/// A record of a control batch.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlRecord {
    Abort(EndTransactionMarker),
    Commit(EndTransactionMarker),
    LeaderChange(LeaderChange),
    SnapshotHeader(SnapshotHeader),
    SnapshotFooter(SnapshotFooter),
    KRaftVersion(KRaftVersion),
    Voters(Voters),
}

impl ControlRecord {
    /// Reads a control record. A type or version that is not known is an error: the reader decides whether the record
    /// may be passed over, as consumers do with types they do not know.
    pub fn read(key: &[u8], value: &[u8]) -> Result<Self, DecodeError> {
        let mut key = Bytes::copy_from_slice(key);
        crate::wire::need(&key, 4)?;
        let _key_version = key.get_i16();
        let value = Bytes::copy_from_slice(value);
        Ok(match key.get_i16() {
            0 => Self::Abort(read_marker(value)?),
            1 => Self::Commit(read_marker(value)?),
            2 => Self::LeaderChange(read_value(value)?),
            3 => Self::SnapshotHeader(read_value(value)?),
            4 => Self::SnapshotFooter(read_value(value)?),
            5 => Self::KRaftVersion(read_value(value)?),
            6 => Self::Voters(read_value(value)?),
            kind => return Err(DecodeError::UnknownKey { what: "control record type", key: kind.into() }),
        })
    }

    /// Writes key and value. Values that carry their version are written in that version.
    ///
    /// # Panics
    /// As [`Message::encode`] does.
    pub fn write(&self) -> (Bytes, Bytes) {
        match self {
            Self::Abort(marker) => (key_of(0), marker_value(marker)),
            Self::Commit(marker) => (key_of(1), marker_value(marker)),
            Self::LeaderChange(value) => (key_of(2), value_of(value, value.version)),
            Self::SnapshotHeader(value) => (key_of(3), value_of(value, value.version)),
            Self::SnapshotFooter(value) => (key_of(4), value_of(value, value.version)),
            Self::KRaftVersion(value) => (key_of(5), value_of(value, value.version)),
            Self::Voters(value) => (key_of(6), value_of(value, value.version)),
        }
    }
}

fn key_of(kind: i16) -> Bytes {
    let mut key = BytesMut::with_capacity(4);
    key.put_i16(0);
    key.put_i16(kind);
    key.freeze()
}

fn value_of<M: Message>(value: &M, version: i16) -> Bytes {
    let mut out = BytesMut::new();
    value.encode(version, &mut out);
    out.freeze()
}

fn read_value<M: Message>(mut value: Bytes) -> Result<M, DecodeError> {
    crate::wire::need(&value, 2)?;
    let version = i16::from_be_bytes([value[0], value[1]]);
    M::decode(version, &mut value)
}

/// A marker has its version before it, where the others have it as a field.
fn marker_value(marker: &EndTransactionMarker) -> Bytes {
    let mut out = BytesMut::with_capacity(6);
    out.put_i16(0);
    marker.encode(0, &mut out);
    out.freeze()
}

fn read_marker(mut value: Bytes) -> Result<EndTransactionMarker, DecodeError> {
    crate::wire::need(&value, 2)?;
    // Later versions may only append, so the fields of version 0 are always there.
    let _version = value.get_i16();
    EndTransactionMarker::decode(0, &mut value)
}
