//! From one generation to the next: gathering the members, and telling them.

use std::sync::Arc;

use super::{
    GroupError, Groups, State, Step, Then, group::Group, join::refusal, member::Member, records::Record,
    step::Append, timers::TimerKey,
};
use crate::coordinator::Now;

impl Groups {
    /// Begins a rebalance, or goes on with the one that has begun.
    pub(super) fn rebalance_or_complete(&mut self, now: Now, group: Group, why: &str, step: Step) -> Step {
        match group.state {
            State::PreparingRebalance => self.complete_if_all_joined(now, group, step),
            State::Empty | State::CompletingRebalance | State::Stable => {
                self.prepare_rebalance(now, group, why, step)
            }
        }
    }

    /// Ends the present generation and waits for members.
    pub(super) fn prepare_rebalance(
        &mut self,
        now: Now,
        mut group: Group,
        why: &str,
        mut step: Step,
    ) -> Step {
        if group.state == State::CompletingRebalance {
            self.fail_syncs(now, &mut group, GroupError::RebalanceInProgress, &mut step);
        }
        self.timers.cancel(&TimerKey::Sync(group.id.clone()));
        let is_initial = group.state == State::Empty;
        group.enter(State::PreparingRebalance, now);
        tracing::info!(
            group = ?group.id, generation = group.generation, members = group.members.len(),
            reason = why, "group rebalances",
        );
        if is_initial {
            let delay_ms = self.settings.initial_rebalance_delay_ms;
            group.initial_delay_left_ms = Some(group.rebalance_timeout_ms().saturating_sub(delay_ms).max(0));
            group.joined_meanwhile = false;
            self.set_timer(now, TimerKey::Join(group.id.clone()), delay_ms);
        } else if group.everybody_joined() {
            return self.complete_join(now, group, step);
        } else {
            self.set_timer(now, TimerKey::Join(group.id.clone()), group.rebalance_timeout_ms());
        }
        self.put(group);
        step
    }

    /// Goes on when nobody is awaited any more, unless the first members are given time to gather.
    pub(super) fn complete_if_all_joined(&mut self, now: Now, group: Group, step: Step) -> Step {
        if group.state == State::PreparingRebalance
            && group.previous_state != State::Empty
            && group.everybody_joined()
        {
            return self.complete_join(now, group, step);
        }
        self.put(group);
        step
    }

    /// The time to gather is over: the first members get more if others came meanwhile, within their time-out.
    pub(super) fn on_join_deadline(&mut self, now: Now, group_id: &Arc<str>) -> Step {
        let Some(mut group) = self.groups.remove(group_id) else { return Step::default() };
        let left_ms = group.initial_delay_left_ms.take().unwrap_or_default();
        if group.joined_meanwhile && left_ms > 0 {
            let delay_ms = self.settings.initial_rebalance_delay_ms.min(left_ms);
            group.joined_meanwhile = false;
            group.initial_delay_left_ms = Some(left_ms - delay_ms);
            self.set_timer(now, TimerKey::Join(group_id.clone()), delay_ms);
            self.put(group);
            return Step::default();
        }
        self.complete_join(now, group, Step::default())
    }

    /// Makes the next generation of those who joined. Static members that did not are kept while their session lives.
    fn complete_join(&mut self, now: Now, mut group: Group, mut step: Step) -> Step {
        self.timers.cancel(&TimerKey::Join(group.id.clone()));
        group.initial_delay_left_ms = None;
        let absent: Vec<_> = group
            .members
            .values()
            .filter(|member| member.parked_join.is_none() && member.instance_id.is_none())
            .map(|member| member.id.clone())
            .collect();
        for member_id in absent {
            group.remove(&member_id);
            self.cancel_session(&group.id, &member_id);
        }
        if !group.elect_leader() && !group.members.is_empty() {
            self.set_timer(now, TimerKey::Join(group.id.clone()), group.rebalance_timeout_ms());
            self.put(group);
            return step;
        }
        group.begin_generation(now);
        if group.state == State::Empty {
            tracing::info!(group = ?group.id, generation = group.generation, "group emptied");
            let record = Record::group(&group, |member| member.assignment.clone());
            step.append = Some(Append { record, then: Then::Emptied });
        } else {
            self.announce_generation(now, &mut group, &mut step);
        }
        self.put(group);
        step
    }

    fn announce_generation(&mut self, now: Now, group: &mut Group, step: &mut Step) {
        let member_ids: Vec<_> = group.members.keys().cloned().collect();
        for member_id in &member_ids {
            if let Some(token) = group.take_join(member_id) {
                step.reply_join(token, Ok(group.joined(member_id)));
            }
            if let Some(member) = group.members.get_mut(member_id) {
                member.is_new = false;
            }
            self.restart_session(now, group, member_id);
        }
        group.unsynced.extend(member_ids);
        self.set_timer(now, TimerKey::Sync(group.id.clone()), group.rebalance_timeout_ms());
    }

    /// Members that got the generation but never asked for their assignment hold everybody up: they are given up.
    pub(super) fn on_sync_deadline(&mut self, now: Now, group_id: &Arc<str>) -> Step {
        let Some(mut group) = self.groups.remove(group_id) else { return Step::default() };
        let mut step = Step::default();
        if group.unsynced.is_empty() || !matches!(group.state, State::CompletingRebalance | State::Stable) {
            self.put(group);
            return step;
        }
        for member_id in std::mem::take(&mut group.unsynced) {
            if let Some(member) = group.remove(&member_id) {
                self.dismiss(&mut step, &member);
            }
            self.cancel_session(group_id, &member_id);
        }
        self.prepare_rebalance(now, group, "members did not ask for their assignment", step)
    }

    /// Tells whoever waits for the leader's assignment that it will not come.
    pub(super) fn fail_syncs(&mut self, now: Now, group: &mut Group, error: GroupError, step: &mut Step) {
        let mut answered = Vec::new();
        for member in group.members.values_mut() {
            member.assignment = bytes::Bytes::new();
            if let Some(token) = member.parked_sync.take() {
                step.reply_sync(token, Err(error));
                answered.push(member.id.clone());
            }
        }
        for member_id in answered {
            self.restart_session(now, group, &member_id);
        }
    }

    /// Tells a member that was removed, should it wait for something.
    pub(super) fn dismiss(&self, step: &mut Step, member: &Member) {
        if let Some(token) = member.parked_join {
            step.reply_join(token, Err(refusal(GroupError::UnknownMember, "")));
        }
        if let Some(token) = member.parked_sync {
            step.reply_sync(token, Err(GroupError::UnknownMember));
        }
    }

    pub(super) fn put(&mut self, group: Group) {
        self.groups.insert(group.id.clone(), group);
    }

    /// Drops a group and what is timed for it. Nobody waits in it.
    pub(super) fn forget(&mut self, group_id: &Arc<str>) -> Option<Group> {
        let group = self.groups.remove(group_id)?;
        self.timers.cancel(&TimerKey::Join(group_id.clone()));
        self.timers.cancel(&TimerKey::Sync(group_id.clone()));
        for member_id in group.pending.iter().chain(group.members.keys()) {
            self.cancel_session(group_id, member_id);
        }
        Some(group)
    }

    pub(super) fn set_timer(&mut self, now: Now, key: TimerKey, delay_ms: i32) {
        self.timers.set(key, now.tick_ms.saturating_add(delay_ms.max(0).into()));
    }

    pub(super) fn restart_session(&mut self, now: Now, group: &Group, member_id: &str) {
        if let Some(member) = group.members.get(member_id) {
            let session = TimerKey::Session(group.id.clone(), member.id.clone());
            self.set_timer(now, session, member.session_timeout_ms);
        }
    }

    pub(super) fn cancel_session(&mut self, group_id: &Arc<str>, member_id: &str) {
        self.timers.cancel(&TimerKey::Session(group_id.clone(), member_id.into()));
    }
}
