//! Partitions in the catalog. Almost all are *settled*: this node is their leader and only replica, in its only
//! folder, and two numbers say the rest. What a Kafka cluster left differently is kept in full until it is settled.

use super::{Image, Local, Topic};
use protocol_glue::records::metadata::{Partition, PartitionChange};
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// What is known about a partition; a single node is its leader and only replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionState {
    pub leader_epoch: i32,
    pub partition_epoch: i32,
}

/// Partitions that are not settled, by topic id and index.
pub(crate) type Unsettled = BTreeMap<(Uuid, i32), Partition>;

/// Stands where a partition's record has not been seen yet: snapshots need not be in order.
const UNSEEN: PartitionState = PartitionState { leader_epoch: -1, partition_epoch: -1 };

/// How far ahead of its neighbours a partition's record may come. A bound on what a damaged record can allocate.
const MAX_GAP: usize = 100_000;

/// In a change record: the leader is as before.
const LEADER_UNCHANGED: i32 = -2;

impl Local {
    /// The record of a partition that is wholly ours.
    pub(in crate::catalog) fn settled(
        &self,
        topic_id: Uuid,
        index: i32,
        state: &PartitionState,
    ) -> Partition {
        Partition {
            partition_id: index,
            topic_id,
            replicas: vec![self.node_id],
            isr: vec![self.node_id],
            leader: self.node_id,
            leader_epoch: state.leader_epoch,
            partition_epoch: state.partition_epoch,
            directories: vec![self.directory_id],
            ..Partition::default()
        }
    }

    /// The change that makes us the leader again, and so raises the leader epoch by one.
    pub(in crate::catalog) fn take_over(&self, topic_id: Uuid, index: i32) -> PartitionChange {
        PartitionChange { partition_id: index, topic_id, leader: self.node_id, ..PartitionChange::default() }
    }

    /// The change that makes a partition wholly ours, whatever it was.
    fn settle(&self, partition: &Partition) -> PartitionChange {
        let cleared = |list: &Option<Vec<i32>>| list.as_ref().map(|_| Vec::new());
        PartitionChange {
            isr: Some(vec![self.node_id]),
            removing_replicas: Some(Vec::new()),
            adding_replicas: Some(Vec::new()),
            leader_recovery_state: 0,
            directories: Some(vec![self.directory_id]),
            eligible_leader_replicas: cleared(&partition.eligible_leader_replicas),
            last_known_elr: cleared(&partition.last_known_elr),
            ..self.take_over(partition.topic_id, partition.partition_id)
        }
    }

    fn is_settled(&self, partition: &Partition) -> bool {
        let none = |list: &Option<Vec<i32>>| list.as_ref().is_none_or(Vec::is_empty);
        partition.replicas == [self.node_id]
            && partition.isr == [self.node_id]
            && partition.leader == self.node_id
            && partition.leader_recovery_state == 0
            && partition.removing_replicas.is_empty()
            && partition.adding_replicas.is_empty()
            && partition.directories == [self.directory_id]
            && none(&partition.eligible_leader_replicas)
            && none(&partition.last_known_elr)
    }
}

impl Image {
    pub(super) fn apply_partition(&mut self, partition: &Partition) -> Result<(), String> {
        let index =
            usize::try_from(partition.partition_id).map_err(|_| "a partition has a negative index")?;
        self.change_topic(partition.topic_id, |topic| {
            if index > topic.partitions.len() + MAX_GAP {
                return Err(format!("partition {index} of topic {} is far from its neighbours", topic.name));
            }
            if index >= topic.partitions.len() {
                topic.partitions.resize(index + 1, UNSEEN);
            }
            topic.partitions[index] = PartitionState {
                leader_epoch: partition.leader_epoch,
                partition_epoch: partition.partition_epoch,
            };
            Ok(())
        })?;
        self.note_settled(partition.clone());
        Ok(())
    }

    pub(super) fn apply_partition_change(&mut self, change: &PartitionChange) -> Result<(), String> {
        let key = (change.topic_id, change.partition_id);
        let state = self
            .topics_by_id
            .get(&change.topic_id)
            .and_then(|topic| topic.partitions.get(usize::try_from(change.partition_id).ok()?))
            .ok_or_else(|| format!("partition {} of topic {} changes but does not exist", key.1, key.0))?;
        let mut partition =
            self.unsettled.get(&key).cloned().unwrap_or_else(|| self.local.settled(key.0, key.1, state));
        merge(&mut partition, change);
        self.apply_partition(&partition)
    }

    /// What has to be written so that every partition is ours to serve. The error names one that never can be.
    pub(in crate::catalog) fn settling_changes(&self) -> Result<Vec<PartitionChange>, String> {
        let node_id = self.local.node_id;
        self.unsettled
            .values()
            .map(|partition| {
                if partition.replicas == [node_id] {
                    return Ok(self.local.settle(partition));
                }
                let topic = self.topics_by_id.get(&partition.topic_id).map_or("?", |topic| &topic.name);
                Err(format!(
                    "partition {} of topic {topic} is kept by brokers {:?}, and this release is a cluster of one",
                    partition.partition_id, partition.replicas
                ))
            })
            .collect()
    }

    pub(in crate::catalog) fn is_unsettled(&self, topic_id: Uuid, index: i32) -> bool {
        self.unsettled.contains_key(&(topic_id, index))
    }

    /// Every partition below the highest must have been seen once all records were applied.
    pub(in crate::catalog) fn check_complete(&self) -> Result<(), String> {
        for topic in self.topics.values() {
            if let Some(index) = topic.partitions.iter().position(|state| *state == UNSEEN) {
                return Err(format!("partition {index} of topic {} is missing", topic.name));
            }
        }
        Ok(())
    }

    pub(super) fn forget_partitions(&mut self, topic_id: Uuid) {
        self.unsettled.retain(|(id, _), _| *id != topic_id);
    }

    /// Kafka forgets eligible replicas when that feature changes; `topic` empty means all.
    pub(super) fn clear_eligible_replicas(&mut self, topic: &str) {
        let id = self.topics.get(topic).map(|topic| topic.id);
        let chosen = |key: &(Uuid, i32)| topic.is_empty() || Some(key.0) == id;
        let partitions: Vec<_> = self
            .unsettled
            .iter()
            .filter(|(key, _)| chosen(key))
            .map(|(_, partition)| partition.clone())
            .collect();
        for mut partition in partitions {
            partition.eligible_leader_replicas = None;
            partition.last_known_elr = None;
            self.note_settled(partition);
        }
    }

    /// Changes a topic in both maps; clones it only when somebody still looks at an older image.
    pub(super) fn change_topic(
        &mut self,
        id: Uuid,
        change: impl FnOnce(&mut Topic) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut topic =
            self.topics_by_id.remove(&id).ok_or_else(|| format!("topic {id} changes but does not exist"))?;
        self.topics.remove(&topic.name);
        let outcome = change(Arc::make_mut(&mut topic));
        self.topics.insert(Arc::clone(&topic.name), Arc::clone(&topic));
        self.topics_by_id.insert(id, topic);
        outcome
    }

    fn note_settled(&mut self, partition: Partition) {
        let key = (partition.topic_id, partition.partition_id);
        if self.local.is_settled(&partition) {
            self.unsettled.remove(&key);
        } else {
            self.unsettled.insert(key, partition);
        }
    }
}

/// As Kafka merges: naming a leader raises the leader epoch even if it is the same one.
fn merge(partition: &mut Partition, change: &PartitionChange) {
    let set = |to: &mut Vec<i32>, from: &Option<Vec<i32>>| {
        if let Some(from) = from {
            from.clone_into(to);
        }
    };
    set(&mut partition.isr, &change.isr);
    set(&mut partition.replicas, &change.replicas);
    set(&mut partition.removing_replicas, &change.removing_replicas);
    set(&mut partition.adding_replicas, &change.adding_replicas);
    if change.leader != LEADER_UNCHANGED {
        partition.leader = change.leader;
        partition.leader_epoch += 1;
    }
    if change.leader_recovery_state >= 0 {
        partition.leader_recovery_state = change.leader_recovery_state;
    }
    if let Some(directories) = &change.directories {
        partition.directories.clone_from(directories);
    }
    if change.eligible_leader_replicas.is_some() {
        partition.eligible_leader_replicas.clone_from(&change.eligible_leader_replicas);
    }
    if change.last_known_elr.is_some() {
        partition.last_known_elr.clone_from(&change.last_known_elr);
    }
    partition.partition_epoch += 1;
}
