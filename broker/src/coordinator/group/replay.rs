//! Applying records: live, those of a [`super::Decision`]; at start, everything that was ever written.

use std::sync::Arc;

use protocol_glue::records::offsets::{GroupMember, GroupMetadataValue};

use super::{
    Groups, Record, State, Step,
    group::Group,
    member::{Member, Protocol},
};
use crate::coordinator::Now;

impl Groups {
    /// Makes a record true.
    pub fn apply(&mut self, now: Now, record: Record) {
        self.unwritten.clear();
        match record {
            Record::Group { group_id, value: None } => {
                self.forget(&group_id);
            }
            Record::Group { group_id, value: Some(value) } => {
                self.forget(&group_id);
                self.put(restored(group_id, value, now));
            }
            Record::Offset { group_id, topic, partition, offset } => {
                if offset.is_some() && !self.groups.contains_key(&group_id) {
                    self.put(Group::new(group_id.clone(), now));
                }
                self.set_offset(&group_id, &topic, partition, offset);
            }
        }
    }

    /// Begins to serve what was replayed: every session starts afresh, and groups that are larger than allowed
    /// (since the setting changed) have to shrink.
    pub fn begin(&mut self, now: Now) -> Vec<Step> {
        let max_size = usize::try_from(self.settings.max_size).unwrap_or_default();
        let with_members: Vec<Arc<str>> = self
            .groups
            .values()
            .filter(|group| !group.members.is_empty())
            .map(|group| group.id.clone())
            .collect();
        let mut steps = Vec::new();
        for group_id in with_members {
            let Some(group) = self.groups.remove(&group_id) else { continue };
            for member_id in group.members.keys() {
                self.restart_session(now, &group, member_id);
            }
            if group.members.len() > max_size {
                steps.push(self.prepare_rebalance(
                    now,
                    group,
                    "the group is larger than allowed",
                    Step::default(),
                ));
            } else {
                self.put(group);
            }
        }
        steps
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

fn restored(group_id: Arc<str>, value: GroupMetadataValue, now: Now) -> Group {
    let mut group = Group::new(group_id, now);
    let protocol: Arc<str> = value.protocol.as_deref().unwrap_or_default().into();
    for member in value.members {
        group.add(restored_member(member, &protocol), &value.protocol_type);
    }
    group.state = if group.members.is_empty() { State::Empty } else { State::Stable };
    group.previous_state = group.state;
    group.state_since_ms = (value.current_state_timestamp != -1).then_some(value.current_state_timestamp);
    group.generation = value.generation;
    group.protocol_type = Some(value.protocol_type).filter(|name| !name.is_empty()).map(Arc::from);
    group.protocol = value.protocol.map(Arc::from);
    group.leader = value.leader.map(Arc::from);
    group.learn_subscriptions();
    group
}

fn restored_member(member: GroupMember, protocol: &Arc<str>) -> Member {
    let rebalance_timeout_ms =
        if member.rebalance_timeout == -1 { member.session_timeout } else { member.rebalance_timeout };
    Member {
        id: member.member_id.into(),
        instance_id: member.group_instance_id.map(Arc::from),
        client_id: member.client_id.into(),
        client_host: member.client_host.into(),
        rebalance_timeout_ms,
        session_timeout_ms: member.session_timeout,
        protocols: vec![Protocol { name: protocol.clone(), metadata: member.subscription }],
        assignment: member.assignment,
        is_new: false,
        parked_join: None,
        parked_sync: None,
    }
}
