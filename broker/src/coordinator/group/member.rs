//! A member of a classic group.

use std::sync::Arc;

use bytes::Bytes;

use super::step::Token;

/// A member of a classic group. Text and bytes are its own, not slices of a request.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub id: Arc<str>,
    pub instance_id: Option<Arc<str>>,
    pub client_id: Arc<str>,
    pub client_host: Arc<str>,
    pub rebalance_timeout_ms: i32,
    pub session_timeout_ms: i32,
    /// Best first.
    pub protocols: Vec<Protocol>,
    /// The last one.
    pub assignment: Bytes,
    /// It has not been told its id yet, so it can neither send heartbeats nor come back.
    pub is_new: bool,
    /// The join that waits for the others. Changed only by the group, which counts these.
    pub parked_join: Option<Token>,
    /// The sync that waits for the leader's.
    pub parked_sync: Option<Token>,
}

/// A way of assigning partitions that a member knows, with what it has to say to the leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Protocol {
    pub name: Arc<str>,
    pub metadata: Bytes,
}

impl Member {
    /// The member's words for a protocol; empty if it does not know it.
    pub fn metadata(&self, protocol: &str) -> Bytes {
        self.protocols
            .iter()
            .find(|known| &*known.name == protocol)
            .map(|known| known.metadata.clone())
            .unwrap_or_default()
    }

    /// Whether a request says the same as the member has said before.
    pub fn matches(&self, protocols: &[(String, Bytes)]) -> bool {
        self.protocols.len() == protocols.len()
            && self
                .protocols
                .iter()
                .zip(protocols)
                .all(|(known, (name, metadata))| *known.name == **name && known.metadata == *metadata)
    }

    /// Whether silence is no reason to give the member up: it waits for us.
    pub fn is_held(&self) -> bool {
        !self.is_new && (self.parked_join.is_some() || self.parked_sync.is_some())
    }
}

/// Copies what a request says, so that the member does not keep the whole request in memory.
pub(super) fn own_protocols(protocols: &[(String, Bytes)]) -> Vec<Protocol> {
    protocols
        .iter()
        .map(|(name, metadata)| Protocol {
            name: name.as_str().into(),
            metadata: Bytes::copy_from_slice(metadata),
        })
        .collect()
}
