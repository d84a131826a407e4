//! Committed offsets: storing, reading, deleting.

use std::{collections::BTreeMap, sync::Arc};

use uuid::Uuid;

use super::{
    CommitRequest, Decision, FetchedOffsets, GroupError, Groups, Identity, OffsetToCommit, PartitionOutcomes,
    State, TopicToCommit, group::Group, join::MAX_TEXT_BYTES, records::Record,
};
use crate::coordinator::Now;

/// The offsets of a group, by topic and partition.
pub(super) type GroupOffsets = BTreeMap<Arc<str>, BTreeMap<i32, CommittedOffset>>;

/// How far a group has come in a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedOffset {
    /// The next offset to read, as the client said it; any number.
    pub offset: i64,
    /// Of the last record read, or -1.
    pub leader_epoch: i32,
    pub metadata: Arc<str>,
    /// When it was committed, in milliseconds since 1970.
    pub commit_ms: i64,
    /// When it ends by the committer's own wish, in milliseconds since 1970.
    pub expire_ms: Option<i64>,
    /// Nil if not known.
    pub topic_id: Uuid,
}

impl Groups {
    /// Decides about a commit. An accepted one is a sign of life from the member.
    pub fn commit(
        &mut self,
        now: Now,
        request: &CommitRequest,
    ) -> Result<Decision<PartitionOutcomes>, GroupError> {
        if request.group_id.len() > MAX_TEXT_BYTES {
            return Err(GroupError::InvalidGroupId);
        }
        let is_new_group = self.check_commit(now, request)?;
        let mut decision = Decision { records: Vec::new(), answer: Vec::new() };
        for topic in &request.topics {
            let outcomes = topic.offsets.iter().map(|offset| {
                let outcome = self.check_metadata(&offset.metadata);
                if outcome.is_ok() {
                    decision.records.push(commit_record(now, request, topic, offset));
                }
                (offset.partition, outcome)
            });
            decision.answer.push((topic.topic.clone(), outcomes.collect()));
        }
        if is_new_group && decision.records.is_empty() {
            // Nothing to write, yet from now on the group is there, as it is in Kafka; a restart forgets it.
            let group = Group::new(request.group_id.as_str().into(), now);
            self.unwritten.insert(group.id.clone());
            self.put(group);
        }
        Ok(decision)
    }

    /// Whether a group comes into being with this commit: one without members or protocol, of somebody who only
    /// stores offsets here.
    fn check_commit(&mut self, now: Now, request: &CommitRequest) -> Result<bool, GroupError> {
        let group_id = request.group_id.as_str();
        let Some(group) = self.groups.get(group_id) else {
            return if request.generation < 0 {
                Ok(true)
            } else if request.knows_group_not_found {
                Err(GroupError::GroupNotFound)
            } else {
                Err(GroupError::IllegalGeneration)
            };
        };
        check_committer(group, request)?;
        if matches!(group.state, State::Stable | State::PreparingRebalance) {
            self.touch(now, group_id, &request.member_id);
        }
        Ok(false)
    }

    fn check_metadata(&self, metadata: &str) -> Result<(), GroupError> {
        let allowed = usize::try_from(self.settings.offset_metadata_max_units).unwrap_or_default();
        // A character is at least as many bytes as units, so short text needs no counting.
        let fits = metadata.len() <= allowed || metadata.encode_utf16().count() <= allowed;
        if fits && metadata.len() <= MAX_TEXT_BYTES {
            Ok(())
        } else {
            Err(GroupError::OffsetMetadataTooLarge)
        }
    }

    /// What is committed: of the partitions asked for, or everything. A group that does not exist has nothing.
    pub fn fetch(&self, group_id: &str, topics: Option<&[(Arc<str>, Vec<i32>)]>) -> FetchedOffsets {
        let offsets = self.offsets.get(group_id);
        let Some(topics) = topics else {
            return offsets
                .into_iter()
                .flatten()
                .map(|(topic, of_topic)| (topic.clone(), all_of(of_topic)))
                .collect();
        };
        let lookup = |topic: &Arc<str>, partition: i32| offsets?.get(topic)?.get(&partition).cloned();
        topics
            .iter()
            .map(|(topic, partitions)| {
                let found = partitions.iter().map(|&partition| (partition, lookup(topic, partition)));
                (topic.clone(), found.collect())
            })
            .collect()
    }

    /// Decides about the deletion of offsets. One that is not there is deleted already.
    pub fn delete_offsets(
        &self,
        group_id: &str,
        topics: &[(Arc<str>, Vec<i32>)],
    ) -> Result<Decision<PartitionOutcomes>, GroupError> {
        if group_id.is_empty() {
            return Err(GroupError::InvalidGroupId);
        }
        let group = self.groups.get(group_id).ok_or(GroupError::GroupNotFound)?;
        if group.state != State::Empty && !group.is_consumer_type() {
            return Err(GroupError::NonEmptyGroup);
        }
        let mut decision = Decision { records: Vec::new(), answer: Vec::new() };
        for (topic, partitions) in topics {
            let outcome =
                if group.is_subscribed_to(topic) { Err(GroupError::SubscribedToTopic) } else { Ok(()) };
            if outcome.is_ok() {
                let of_topic = self.offsets.get(group_id).and_then(|offsets| offsets.get(topic));
                let there =
                    partitions.iter().filter(|at| of_topic.is_some_and(|found| found.contains_key(at)));
                decision.records.extend(there.map(|&at| Record::no_offset(&group.id, topic, at)));
            }
            let outcomes = partitions.iter().map(|&partition| (partition, outcome)).collect();
            decision.answer.push((topic.clone(), outcomes));
        }
        Ok(decision)
    }

    pub(super) fn set_offset(
        &mut self,
        group_id: &Arc<str>,
        topic: &Arc<str>,
        partition: i32,
        offset: Option<CommittedOffset>,
    ) {
        if let Some(offset) = offset {
            let of_group = self.offsets.entry(group_id.clone()).or_default();
            of_group.entry(topic.clone()).or_default().insert(partition, offset);
            return;
        }
        let Some(of_group) = self.offsets.get_mut(group_id) else { return };
        if let Some(of_topic) = of_group.get_mut(topic) {
            of_topic.remove(&partition);
            if of_topic.is_empty() {
                of_group.remove(topic);
            }
        }
        if of_group.is_empty() {
            self.offsets.remove(group_id);
        }
    }
}

fn all_of(of_topic: &BTreeMap<i32, CommittedOffset>) -> Vec<(i32, Option<CommittedOffset>)> {
    of_topic.iter().map(|(&partition, offset)| (partition, Some(offset.clone()))).collect()
}

fn check_committer(group: &Group, request: &CommitRequest) -> Result<(), GroupError> {
    let is_empty = group.state == State::Empty;
    if request.generation < 0 && is_empty {
        return Ok(());
    }
    let instance_id = request.instance_id.as_deref();
    if request.generation >= 0 || !request.member_id.is_empty() || instance_id.is_some() {
        group.check_member(Identity { member_id: &request.member_id, instance_id })?;
        if request.generation != group.generation {
            return Err(GroupError::IllegalGeneration);
        }
    } else {
        // Outsiders must not move the offsets of members.
        return Err(GroupError::UnknownMember);
    }
    // A member that is about to learn its new assignment cannot know what it may commit. In the time before that,
    // it can: clients commit when partitions are taken from them.
    if group.state == State::CompletingRebalance {
        return Err(GroupError::RebalanceInProgress);
    }
    Ok(())
}

fn commit_record(
    now: Now,
    request: &CommitRequest,
    topic: &TopicToCommit,
    offset: &OffsetToCommit,
) -> Record {
    let expire_ms = request.retention_ms.map(|retention_ms| now.wall_ms.saturating_add(retention_ms));
    // The format with an expiry has no room for the other two.
    let (leader_epoch, topic_id) = match expire_ms {
        Some(_) => (-1, Uuid::nil()),
        None => (offset.leader_epoch, topic.topic_id),
    };
    Record::Offset {
        group_id: request.group_id.as_str().into(),
        topic: topic.topic.clone(),
        partition: offset.partition,
        offset: Some(CommittedOffset {
            offset: offset.offset,
            leader_epoch,
            metadata: offset.metadata.as_str().into(),
            commit_ms: now.wall_ms,
            expire_ms,
            topic_id,
        }),
    }
}
