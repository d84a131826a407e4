//! STUB of the catalog: the types that others build against.
use crate::config::ConfigMap;
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// What is known about a partition; a single node is its leader and only replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionState {
    pub leader_epoch: i32,
    pub partition_epoch: i32,
}

#[derive(Clone, Debug)]
pub struct Topic {
    pub name: Arc<str>,
    pub id: Uuid,
    /// By partition index.
    pub partitions: Vec<PartitionState>,
    /// Overrides only.
    pub configs: Arc<ConfigMap>,
}

/// The catalog at one moment; never changes once made.
#[derive(Clone, Debug, Default)]
pub struct Image {
    pub topics: HashMap<Arc<str>, Arc<Topic>>,
    pub topics_by_id: HashMap<Uuid, Arc<Topic>>,
    /// Dynamic broker settings: cluster-wide under "", else by node id.
    pub broker_configs: HashMap<String, Arc<ConfigMap>>,
    /// Finalized features, and the epoch that grows with each change.
    pub features: Vec<(String, i16)>,
    pub features_epoch: i64,
}

pub struct Catalog {}

impl Catalog {
    pub fn image(&self) -> Arc<Image> {
        unimplemented!()
    }
}
