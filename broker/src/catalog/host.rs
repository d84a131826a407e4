//! What the catalog needs from whoever keeps the partitions' logs.

use super::Topic;
use crate::{
    config::{Layers, TopicConfig, topic_config},
    logs::Logs,
};
use std::ops::Range;
use storage::log::LogError;

/// Keeps partitions in step with the catalog. All of these may wait for the disk.
pub trait PartitionHost: Send + Sync {
    /// Makes these partitions; they can be used when this returns. None of them is left when it fails.
    fn create(&self, topic: &Topic, added: Range<i32>, layers: &Layers) -> Result<(), LogError>;
    /// Ends these partitions of a topic.
    fn remove(&self, topic: &Topic, partitions: Range<i32>) -> Result<(), LogError>;
    /// The topic's settings in force may have changed.
    fn reconfigure(&self, topic: &Topic, layers: &Layers);
}

impl PartitionHost for Logs {
    fn create(&self, topic: &Topic, added: Range<i32>, layers: &Layers) -> Result<(), LogError> {
        let config = topic_config(&topic.configs, layers);
        for index in added.clone() {
            if let Err(error) = create_one(self, topic, index, &config) {
                unmake(self, topic, added.start..index);
                return Err(error);
            }
        }
        Ok(())
    }

    fn remove(&self, topic: &Topic, partitions: Range<i32>) -> Result<(), LogError> {
        let mut outcome = Ok(());
        for index in partitions {
            outcome = outcome.and(Logs::remove(self, &topic.name, index));
        }
        outcome
    }

    fn reconfigure(&self, topic: &Topic, layers: &Layers) {
        Logs::reconfigure(self, &topic.name, &topic_config(&topic.configs, layers));
    }
}

fn create_one(logs: &Logs, topic: &Topic, index: i32, config: &TopicConfig) -> Result<(), LogError> {
    let state = usize::try_from(index).ok().and_then(|index| topic.partitions.get(index));
    let leader_epoch = state.map_or(0, |state| state.leader_epoch);
    Logs::create(logs, &topic.name, topic.id, index, leader_epoch, config).map(|_| ())
}

/// Takes back partitions that the catalog never came to know.
pub(super) fn unmake(host: &(impl PartitionHost + ?Sized), topic: &Topic, made: Range<i32>) {
    if let Err(error) = host.remove(topic, made) {
        tracing::error!(%error, topic = &*topic.name, "partitions that nobody knows stay on the disk");
    }
}
