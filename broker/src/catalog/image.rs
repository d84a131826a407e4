//! The catalog at one moment: what all metadata records up to an offset add up to.
//!
//! Pure data. [`Image::apply`] is the only way it changes, at start-up and live alike, so a restart arrives at the
//! same image. Records whose subject this release does not act on are kept as they are and go into snapshots.

mod apply;
mod kept;
mod partitions;
mod snapshot;

pub use partitions::PartitionState;

use crate::config::ConfigMap;
use partitions::Unsettled;
use protocol_glue::records::metadata::RegisterBroker;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use uuid::Uuid;

/// A topic, its partitions and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    pub name: Arc<str>,
    pub id: Uuid,
    /// By partition index.
    pub partitions: Vec<PartitionState>,
    /// Overrides only.
    pub configs: Arc<ConfigMap>,
}

/// The catalog at one moment; never changes once published.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    pub topics: HashMap<Arc<str>, Arc<Topic>>,
    pub topics_by_id: HashMap<Uuid, Arc<Topic>>,
    /// Dynamic broker settings: cluster-wide under "", else by node id.
    pub broker_configs: HashMap<String, Arc<ConfigMap>>,
    /// Settings of client metrics (resource type 16) and groups (32), by type and name.
    pub other_configs: HashMap<(i8, String), Arc<ConfigMap>>,
    /// Finalized features by name, without those at level 0.
    pub features: Vec<(String, i16)>,
    /// Offset of the last record that was applied, as in Kafka: it grows with each change. -1: none yet.
    pub features_epoch: i64,
    /// Registered brokers; besides ours there may be some that a former cluster left.
    pub brokers: BTreeMap<i32, Arc<RegisterBroker>>,
    /// The first producer id that was never given out.
    pub next_producer_id: i64,
    pub(crate) local: Local,
    pub(crate) unsettled: Unsettled,
    pub(crate) kept: kept::Kept,
}

/// Who we are: a partition that is wholly ours is stored as numbers only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Local {
    pub node_id: i32,
    pub directory_id: Uuid,
}

impl Image {
    /// The empty catalog of this node.
    pub(super) fn new(local: Local) -> Image {
        Image { local, features_epoch: -1, ..Image::default() }
    }

    pub(super) fn local(&self) -> Local {
        self.local
    }

    /// The finalized level of a feature; 0 when it is off.
    pub fn feature(&self, name: &str) -> i16 {
        self.features.iter().find(|(feature, _)| feature == name).map_or(0, |(_, level)| *level)
    }
}

#[cfg(test)]
mod tests;
