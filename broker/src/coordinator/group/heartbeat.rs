//! Heartbeats, and what happens when they stop.

use std::sync::Arc;

use super::{GroupError, Groups, Identity, State, Step, Then, timers::TimerKey};
use crate::coordinator::{AppendFailure, Now};

impl Groups {
    /// A member says that it is alive.
    pub fn heartbeat(
        &mut self,
        now: Now,
        group_id: &str,
        generation: i32,
        identity: Identity<'_>,
    ) -> Result<(), GroupError> {
        if group_id.is_empty() {
            return Err(GroupError::InvalidGroupId);
        }
        let group = self.groups.get(group_id).ok_or(GroupError::UnknownMember)?;
        group.check_member(identity)?;
        if generation != group.generation {
            return Err(GroupError::IllegalGeneration);
        }
        let state = group.state;
        self.touch(now, group_id, identity.member_id);
        match state {
            State::PreparingRebalance => Err(GroupError::RebalanceInProgress),
            State::Empty | State::CompletingRebalance | State::Stable => Ok(()),
        }
    }

    /// Restarts the session of a member of a group.
    pub(super) fn touch(&mut self, now: Now, group_id: &str, member_id: &str) {
        let Some(group) = self.groups.get(group_id) else { return };
        let Some(member) = group.members.get(member_id) else { return };
        let deadline_ms = now.tick_ms.saturating_add(member.session_timeout_ms.into());
        self.timers.set(TimerKey::Session(group.id.clone(), member.id.clone()), deadline_ms);
    }

    /// Handles one deadline that has come, if there is one. To be called until it returns `None`.
    pub fn on_time(&mut self, now: Now) -> Option<Step> {
        Some(match self.timers.pop_due(now.tick_ms)? {
            TimerKey::Join(group_id) => self.on_join_deadline(now, &group_id),
            TimerKey::Sync(group_id) => self.on_sync_deadline(now, &group_id),
            TimerKey::Session(group_id, member_id) => self.on_session_end(now, &group_id, &member_id),
        })
    }

    /// A member that went silent has left; an id that was given out and never used is void.
    fn on_session_end(&mut self, now: Now, group_id: &Arc<str>, member_id: &Arc<str>) -> Step {
        let mut step = Step::default();
        let Some(mut group) = self.groups.remove(group_id) else { return step };
        if group.pending.remove(member_id) {
            return self.complete_if_all_joined(now, group, step);
        }
        let is_gone = group.members.get(member_id).is_some_and(|member| !member.is_held());
        if !is_gone {
            self.put(group);
            return step;
        }
        tracing::debug!(group = ?group_id, member = ?member_id, "session ended");
        if let Some(member) = group.remove(member_id) {
            self.dismiss(&mut step, &member);
        }
        self.rebalance_or_complete(now, group, "a session ended", step)
    }

    /// Goes on after the record of a step was appended or not.
    pub fn settle(&mut self, now: Now, then: Then, outcome: Result<(), AppendFailure>) -> Step {
        if outcome.is_ok() {
            self.unwritten.clear();
        }
        let failure = outcome.err().map(GroupError::from);
        match then {
            Then::Created { group_id, asked_by, replies } => {
                self.settle_created(&group_id, asked_by, replies, failure)
            }
            Then::Emptied => Step::default(),
            Then::Assigned { group_id, generation, assignments } => {
                self.settle_assigned(now, &group_id, generation, &assignments, failure)
            }
            Then::Replaced { group, old_member_id, new_member_id, asked_by, replies } => {
                let waiting = (asked_by, replies);
                self.settle_replaced(now, *group, &old_member_id, &new_member_id, waiting, failure)
            }
        }
    }
}
