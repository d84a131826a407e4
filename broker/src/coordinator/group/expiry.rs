//! What ends by itself: offsets nobody needs any more, groups without offsets, offsets of deleted topics (KIP-211).

use std::collections::BTreeSet;

use super::{CommittedOffset, Groups, Record, State, group::Group};
use crate::coordinator::Now;

impl Groups {
    /// Tombstones for every offset whose time is over, and for every empty group that has none left.
    pub fn expired(&self, now: Now) -> Vec<Record> {
        self.groups.values().flat_map(|group| self.expired_in(group, now)).collect()
    }

    /// Tombstones for every offset of these topics.
    pub fn offsets_of_topics(&self, topics: &BTreeSet<&str>) -> Vec<Record> {
        let mut records = Vec::new();
        for (group_id, of_group) in &self.offsets {
            for (topic, of_topic) in of_group.iter().filter(|(topic, _)| topics.contains(&***topic)) {
                records
                    .extend(of_topic.keys().map(|&partition| Record::no_offset(group_id, topic, partition)));
            }
        }
        records
    }

    fn expired_in(&self, group: &Group, now: Now) -> Vec<Record> {
        let mut records = Vec::new();
        let mut is_bare = true;
        for (topic, of_topic) in self.offsets.get(&group.id).into_iter().flatten() {
            for (&partition, offset) in of_topic {
                if self.is_expired(group, topic, offset, now) {
                    records.push(Record::no_offset(&group.id, topic, partition));
                } else {
                    is_bare = false;
                }
            }
        }
        if is_bare && group.state == State::Empty {
            records.push(Record::no_group(&group.id));
        }
        records
    }

    fn is_expired(&self, group: &Group, topic: &str, offset: &CommittedOffset, now: Now) -> bool {
        let Some(counts_from_ms) = counts_from_ms(group, offset) else { return false };
        if group.is_subscribed_to(topic) {
            return false;
        }
        match offset.expire_ms {
            Some(expire_ms) => now.wall_ms >= expire_ms,
            None => now.wall_ms.saturating_sub(counts_from_ms) >= self.settings.offsets_retention_ms,
        }
    }
}

/// From when on an offset is kept for the retention time; `None`: as long as the group is as it is.
fn counts_from_ms(group: &Group, offset: &CommittedOffset) -> Option<i64> {
    match group.state {
        // Offsets without a group of members.
        _ if group.protocol_type.is_none() => Some(offset.commit_ms),
        // A group that had members: from when the last one went.
        State::Empty => Some(group.state_since_ms.unwrap_or(offset.commit_ms)),
        // Consumers that dropped a topic.
        State::Stable if group.is_consumer_type() && group.knows_subscriptions() => Some(offset.commit_ms),
        _ => None,
    }
}
