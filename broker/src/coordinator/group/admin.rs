//! What administrators ask: descriptions, lists, deletion.

use std::sync::Arc;

use super::{
    Decision, Description, GroupError, Groups, Listing, MemberDescription, Record, State, group::Group,
};

impl Groups {
    /// A group and its members; `None` if it does not exist.
    pub fn describe(&self, group_id: &str) -> Option<Description> {
        self.groups.get(group_id).filter(|group| !self.unwritten.contains(&group.id)).map(describe)
    }

    /// Every group of the shard, in no order.
    pub fn list(&self) -> impl Iterator<Item = Listing> {
        let shown = self.groups.values().filter(|group| !self.unwritten.contains(&group.id));
        shown.map(|group| Listing {
            group_id: group.id.clone(),
            state: group.state,
            protocol_type: group.protocol_type.clone().unwrap_or_default(),
        })
    }

    /// Decides about the deletion of a group with all its offsets.
    pub fn delete_group(&self, group_id: &str) -> Result<Decision<()>, GroupError> {
        let group = self.groups.get(group_id).ok_or(GroupError::GroupNotFound)?;
        if group.state != State::Empty {
            return Err(GroupError::NonEmptyGroup);
        }
        let mut records = Vec::new();
        for (topic, of_topic) in self.offsets.get(group_id).into_iter().flatten() {
            records.extend(of_topic.keys().map(|&partition| Record::no_offset(&group.id, topic, partition)));
        }
        records.push(Record::no_group(&group.id));
        Ok(Decision { records, answer: () })
    }
}

fn describe(group: &Group) -> Description {
    let chosen = group.protocol.as_ref().filter(|_| group.state == State::Stable);
    let members = group.members.values().map(|member| MemberDescription {
        member_id: member.id.clone(),
        instance_id: member.instance_id.clone(),
        client_id: member.client_id.clone(),
        client_host: member.client_host.clone(),
        metadata: chosen.map(|protocol| member.metadata(protocol)).unwrap_or_default(),
        assignment: member.assignment.clone(),
    });
    Description {
        state: group.state,
        protocol_type: group.protocol_type.clone().unwrap_or_default(),
        protocol: chosen.map(Arc::clone).unwrap_or_default(),
        members: members.collect(),
    }
}
