//! STUB: every partition this broker holds.
use crate::{config::TopicConfig, partition::Partition};
use std::sync::Arc;
use storage::log::LogError;
use uuid::Uuid;

pub struct Logs {}

impl Logs {
    pub fn get(&self, _topic: &str, _index: i32) -> Option<Arc<Partition>> {
        unimplemented!()
    }
    pub fn get_by_id(&self, _topic: Uuid, _index: i32) -> Option<Arc<Partition>> {
        unimplemented!()
    }
    /// Makes the folder and opens the (empty or existing) log; the partition can be used when this returns.
    pub fn create(
        &self,
        _topic: &Arc<str>,
        _id: Uuid,
        _index: i32,
        _leader_epoch: i32,
        _config: &TopicConfig,
    ) -> Result<Arc<Partition>, LogError> {
        unimplemented!()
    }
    /// Closes, ends parked fetches, renames the folder for deletion and removes it in the background.
    pub fn remove(&self, _topic: &str, _index: i32) -> Result<(), LogError> {
        unimplemented!()
    }
    /// Applies changed settings to the open logs of a topic.
    pub fn reconfigure(&self, _topic: &str, _config: &TopicConfig) {
        unimplemented!()
    }
    pub fn all(&self) -> Vec<Arc<Partition>> {
        unimplemented!()
    }
}
