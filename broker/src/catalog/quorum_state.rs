//! `quorum-state`: who leads the metadata quorum in which epoch, as Kafka's raft layer keeps it (KIP-595).
//!
//! A cluster of one elects itself once; the file changes only when somebody else had been leading.

use super::CatalogError;
use serde_json::{Value, json};
use std::{fs, io, path::Path};

const NAME: &str = "quorum-state";

/// The file's content. Fields that we do not use stay as they are.
pub(super) struct QuorumState(Value);

impl QuorumState {
    /// The state in a folder, or that of a quorum of this one node without a leader yet.
    pub(super) fn read(dir: &Path, node_id: i32) -> Result<QuorumState, CatalogError> {
        let path = dir.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(QuorumState::new(node_id)),
            Err(source) => return Err(CatalogError::Io { path, source }),
        };
        let damaged =
            |what: &str| CatalogError::Damaged { path: path.clone(), offset: -1, what: what.to_owned() };
        let state: Value = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if !state["leaderEpoch"].is_i64() || !state["leaderId"].is_i64() {
            return Err(damaged("it names no leader and epoch"));
        }
        if let Some(voters) = state["currentVoters"].as_array().filter(|voters| !voters.is_empty())
            && voters.iter().any(|voter| voter["voterId"] != node_id)
        {
            return Err(CatalogError::Unsupported(
                "its metadata belongs to a quorum of several controllers, and this release is a cluster of one"
                    .to_owned(),
            ));
        }
        Ok(QuorumState(state))
    }

    fn new(node_id: i32) -> QuorumState {
        QuorumState(json!({
            "clusterId": "",
            "leaderId": -1,
            "leaderEpoch": 0,
            "votedId": -1,
            "appliedOffset": 0,
            "currentVoters": [{ "voterId": node_id }],
            "data_version": 0,
        }))
    }

    pub(super) fn leader_id(&self) -> i64 {
        self.0["leaderId"].as_i64().unwrap_or(-1)
    }

    pub(super) fn leader_epoch(&self) -> i32 {
        self.0["leaderEpoch"].as_i64().and_then(|epoch| i32::try_from(epoch).ok()).unwrap_or(0)
    }

    /// The file for this node leading in `epoch`.
    pub(super) fn led_by(mut self, node_id: i32, epoch: i32) -> (&'static str, Vec<u8>) {
        self.0["leaderId"] = node_id.into();
        self.0["leaderEpoch"] = epoch.into();
        self.0["votedId"] = (-1).into();
        (NAME, self.0.to_string().into_bytes())
    }
}
