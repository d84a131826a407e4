//! SyncGroup: the leader brings the assignment, everybody gets a part.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use super::{
    GroupError, Groups, Identity, State, Step, SyncRequest, Synced, Then, Token, group::Group,
    member::Member, records::Record, step::Append, timers::TimerKey,
};
use crate::coordinator::Now;

impl Groups {
    /// Decides about a sync; the reply goes to `token`, maybe only once the leader's sync is in.
    pub fn sync(&mut self, request: &SyncRequest, token: Token) -> Step {
        let mut step = Step::default();
        if request.group_id.is_empty() {
            step.reply_sync(token, Err(GroupError::InvalidGroupId));
            return step;
        }
        let Some(mut group) = self.groups.remove(request.group_id.as_str()) else {
            step.reply_sync(token, Err(GroupError::UnknownMember));
            return step;
        };
        match check_sync(&group, request) {
            Err(error) => step.reply_sync(token, Err(error)),
            Ok(()) => {
                self.note_synced(&mut group, &request.member_id);
                if group.state == State::Stable {
                    let synced =
                        group.members.get(request.member_id.as_str()).map(|member| synced(&group, member));
                    step.reply_sync(token, synced.ok_or(GroupError::UnknownMember));
                } else {
                    park_sync(&mut group, request, token, &mut step);
                }
            }
        }
        self.put(group);
        step
    }

    fn note_synced(&mut self, group: &mut Group, member_id: &str) {
        group.unsynced.remove(member_id);
        if group.unsynced.is_empty() {
            self.timers.cancel(&TimerKey::Sync(group.id.clone()));
        }
    }

    /// Goes on after the assignment was written down or not.
    pub(super) fn settle_assigned(
        &mut self,
        now: Now,
        group_id: &Arc<str>,
        generation: i32,
        assignments: &HashMap<Arc<str>, Bytes>,
        failure: Option<GroupError>,
    ) -> Step {
        let mut step = Step::default();
        let Some(mut group) = self.groups.remove(group_id) else { return step };
        if group.state != State::CompletingRebalance || group.generation != generation {
            self.put(group);
            return step;
        }
        if let Some(error) = failure {
            self.fail_syncs(now, &mut group, error, &mut step);
            return self.prepare_rebalance(now, group, "the assignment could not be written", step);
        }
        for member in group.members.values_mut() {
            member.assignment = assignments.get(&member.id).cloned().unwrap_or_default();
        }
        group.enter(State::Stable, now);
        self.answer_syncs(now, &mut group, &mut step);
        self.put(group);
        step
    }

    fn answer_syncs(&mut self, now: Now, group: &mut Group, step: &mut Step) {
        let member_ids: Vec<_> = group.members.keys().cloned().collect();
        for member_id in member_ids {
            let Some(member) = group.members.get_mut(&member_id) else { continue };
            if let Some(token) = member.parked_sync.take() {
                let synced = synced(group, &group.members[&member_id]);
                step.reply_sync(token, Ok(synced));
                self.restart_session(now, group, &member_id);
            }
        }
    }
}

fn check_sync(group: &Group, request: &SyncRequest) -> Result<(), GroupError> {
    let identity = Identity { member_id: &request.member_id, instance_id: request.instance_id.as_deref() };
    group.check_member(identity)?;
    if request.generation != group.generation {
        return Err(GroupError::IllegalGeneration);
    }
    let differs = |given: &Option<String>, own: &Option<Arc<str>>| match (given, own) {
        (Some(given), Some(own)) => **given != **own,
        _ => false,
    };
    if differs(&request.protocol_type, &group.protocol_type) || differs(&request.protocol, &group.protocol) {
        return Err(GroupError::InconsistentProtocol);
    }
    match group.state {
        State::Empty => Err(GroupError::UnknownMember),
        State::PreparingRebalance => Err(GroupError::RebalanceInProgress),
        State::CompletingRebalance | State::Stable => Ok(()),
    }
}

/// Lets a sync wait. The leader's ends the wait, once its assignment is written down.
fn park_sync(group: &mut Group, request: &SyncRequest, token: Token, step: &mut Step) {
    let Some(member) = group.members.get_mut(request.member_id.as_str()) else { return };
    if let Some(forgotten) = member.parked_sync.replace(token) {
        // The member asked again, most likely over a new connection.
        step.reply_sync(forgotten, Err(GroupError::RebalanceInProgress));
    }
    if !group.is_leader(&request.member_id) {
        return;
    }
    let mut given: HashMap<&str, &Bytes> =
        request.assignments.iter().map(|(member_id, assignment)| (member_id.as_str(), assignment)).collect();
    let assignments: HashMap<Arc<str>, Bytes> = group
        .members
        .keys()
        .filter_map(|id| given.remove(&**id).map(|bytes| (id.clone(), Bytes::copy_from_slice(bytes))))
        .collect();
    let record = Record::group(group, |member| assignments.get(&member.id).cloned().unwrap_or_default());
    let then = Then::Assigned { group_id: group.id.clone(), generation: group.generation, assignments };
    step.append = Some(Append { record, then });
}

fn synced(group: &Group, member: &Member) -> Synced {
    Synced {
        protocol_type: group.protocol_type.clone(),
        protocol: group.protocol.clone(),
        assignment: member.assignment.clone(),
    }
}
