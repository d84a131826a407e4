//! JoinGroup: who gets in, and what it sets off.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    GroupError, Groups, Identity, JoinRefusal, JoinRequest, State, Step, Then, Token,
    group::Group,
    member::{Member, own_protocols},
    records::Record,
    step::{Append, Reply},
    timers::TimerKey,
};
use crate::coordinator::Now;

/// How long a member that does not know its id yet may wait for the others. It can neither send heartbeats nor take
/// its join back, so without this bound clients that give up and try again would fill the group.
pub(super) const NEW_MEMBER_JOIN_TIMEOUT_MS: i32 = 5 * 60 * 1000;

/// Ids that may be given out in a group before somebody comes back with one: memory must not grow with every client
/// that never does.
const MAX_PENDING_MEMBERS: usize = 10_000;

/// Ways of assigning that a member may know; clients know one or two.
const MAX_PROTOCOLS: usize = 1000;

/// The longest text that a record can carry, in bytes.
pub(super) const MAX_TEXT_BYTES: usize = i16::MAX as usize;

impl Groups {
    /// Decides about a join. `fresh_id` becomes part of the member's id if it has none; the reply goes to `token`.
    pub fn join(&mut self, now: Now, request: &JoinRequest, fresh_id: Uuid, token: Token) -> Step {
        if let Err(error) = self.check_join(request) {
            return refused(token, error, &request.member_id);
        }
        let (group, is_new) = match self.groups.remove(request.group_id.as_str()) {
            Some(group) => (group, false),
            None if request.member_id.is_empty() => (Group::new(request.group_id.as_str().into(), now), true),
            None => return refused(token, GroupError::UnknownMember, &request.member_id),
        };
        let mut joining = Joining { groups: self, now, request, token };
        let step = joining.decide(group, fresh_id);
        if is_new { self.record_creation(&request.group_id, token, step) } else { step }
    }

    fn check_join(&self, request: &JoinRequest) -> Result<(), GroupError> {
        let allowed = self.settings.min_session_timeout_ms..=self.settings.max_session_timeout_ms;
        if request.group_id.is_empty() {
            return Err(GroupError::InvalidGroupId);
        }
        if !allowed.contains(&request.session_timeout_ms) {
            return Err(GroupError::InvalidSessionTimeout);
        }
        let names = request.protocols.iter().map(|(name, _)| name);
        let mut texts = [&request.group_id, &request.client_id, &request.protocol_type]
            .into_iter()
            .chain(&request.instance_id)
            .chain(names);
        if texts.any(|text| text.len() > MAX_TEXT_BYTES) || request.protocols.len() > MAX_PROTOCOLS {
            return Err(GroupError::InvalidRequest);
        }
        Ok(())
    }

    /// A new group is written down at once, even if the join that created it is refused.
    fn record_creation(&mut self, group_id: &str, token: Token, step: Step) -> Step {
        let Some(group) = self.groups.get(group_id) else { return step };
        let group_id = group.id.clone();
        let record = Record::empty_group(group);
        let replies = step.replies;
        Step {
            replies: Vec::new(),
            append: Some(Append { record, then: Then::Created { group_id, asked_by: token, replies } }),
        }
    }

    /// Goes on after the record of a new group was appended or not.
    pub(super) fn settle_created(
        &mut self,
        group_id: &Arc<str>,
        asked_by: Token,
        replies: Vec<(Token, Reply)>,
        failure: Option<GroupError>,
    ) -> Step {
        let Some(error) = failure else {
            tracing::info!(group = ?group_id, "group created");
            return Step { replies, append: None };
        };
        self.forget(group_id);
        refused(asked_by, error, "")
    }
}

/// A join that is being decided.
struct Joining<'a> {
    groups: &'a mut Groups,
    now: Now,
    request: &'a JoinRequest,
    token: Token,
}

impl Joining<'_> {
    fn decide(&mut self, mut group: Group, fresh_id: Uuid) -> Step {
        let mut step = Step::default();
        let known_as = self.request.member_id.as_str();
        if !self.has_room(&group) {
            if let Some(member) = group.remove(known_as) {
                self.groups.cancel_session(&group.id, known_as);
                self.groups.dismiss(&mut step, &member);
            }
            self.refuse(&mut step, GroupError::GroupFull, "");
        } else if !group.supports(
            &self.request.protocol_type,
            self.request.protocols.iter().map(|(name, _)| name.as_str()),
        ) {
            self.refuse(&mut step, GroupError::InconsistentProtocol, known_as);
        } else if known_as.is_empty() {
            return self.newcomer(group, fresh_id);
        } else {
            return self.returning(group);
        }
        self.groups.put(group);
        step
    }

    /// While a rebalance is prepared the places go to those who come first, so that a group over its limit can
    /// shrink; otherwise to those who have one.
    fn has_room(&self, group: &Group) -> bool {
        let max_size = usize::try_from(self.groups.settings.max_size).unwrap_or_default();
        let member = group.members.get(self.request.member_id.as_str());
        match group.state {
            State::Empty => true,
            State::PreparingRebalance => {
                member.is_some_and(|member| member.parked_join.is_some()) || group.parked_joins() < max_size
            }
            State::CompletingRebalance | State::Stable => member.is_some() || group.members.len() < max_size,
        }
    }

    /// A member without an id.
    fn newcomer(&mut self, mut group: Group, fresh_id: Uuid) -> Step {
        let instance_id = self.request.instance_id.as_deref();
        let member_id = new_member_id(instance_id.unwrap_or(&self.request.client_id), fresh_id);
        if let Some(old_id) =
            instance_id.and_then(|instance_id| group.static_members.get(instance_id)).cloned()
        {
            return self.replace_static(group, &old_id, &member_id);
        }
        if instance_id.is_some() || !self.request.requires_known_member_id {
            return self.add(group, member_id);
        }
        let mut step = Step::default();
        if group.pending.len() >= MAX_PENDING_MEMBERS {
            self.refuse(&mut step, GroupError::GroupFull, "");
        } else {
            group.pending.insert(member_id.clone());
            let session = TimerKey::Session(group.id.clone(), member_id.clone());
            self.groups.set_timer(self.now, session, self.request.session_timeout_ms);
            self.refuse(&mut step, GroupError::MemberIdRequired, &member_id);
        }
        self.groups.put(group);
        step
    }

    /// A member with an id.
    fn returning(&mut self, group: Group) -> Step {
        let member_id = self.request.member_id.as_str();
        let instance_id = self.request.instance_id.as_deref();
        // Ids of static members are never given out in advance.
        if instance_id.is_none() && group.pending.contains(member_id) {
            return self.add(group, member_id.into());
        }
        let mut step = Step::default();
        if let Err(error) = group.check_member(Identity { member_id, instance_id }) {
            self.refuse(&mut step, error, member_id);
            self.groups.put(group);
            return step;
        }
        let is_unchanged =
            group.members.get(member_id).is_some_and(|member| member.matches(&self.request.protocols));
        let keeps_generation = match group.state {
            // The first answer may have been lost.
            State::CompletingRebalance => is_unchanged,
            // A leader that joins again asks for a rebalance.
            State::Stable => is_unchanged && !group.is_leader(member_id),
            State::PreparingRebalance | State::Empty => false,
        };
        if !keeps_generation {
            return self.update(group);
        }
        step.reply_join(self.token, Ok(group.joined(member_id)));
        self.groups.put(group);
        step
    }

    fn add(&mut self, mut group: Group, member_id: Arc<str>) -> Step {
        let request = self.request;
        if group.state == State::PreparingRebalance && group.previous_state == State::Empty {
            group.joined_meanwhile = true;
        }
        let member = Member {
            id: member_id.clone(),
            instance_id: request.instance_id.as_deref().map(Arc::from),
            client_id: request.client_id.as_str().into(),
            client_host: request.client_host.as_str().into(),
            rebalance_timeout_ms: request.rebalance_timeout_ms,
            session_timeout_ms: request.session_timeout_ms,
            protocols: own_protocols(&request.protocols),
            assignment: bytes::Bytes::new(),
            is_new: true,
            parked_join: Some(self.token),
            parked_sync: None,
        };
        group.add(member, &request.protocol_type);
        let session = TimerKey::Session(group.id.clone(), member_id);
        self.groups.set_timer(self.now, session, NEW_MEMBER_JOIN_TIMEOUT_MS);
        self.groups.rebalance_or_complete(self.now, group, "a member joined", Step::default())
    }

    fn update(&mut self, mut group: Group) -> Step {
        let request = self.request;
        let mut step = Step::default();
        group.update(
            &request.member_id,
            own_protocols(&request.protocols),
            request.rebalance_timeout_ms,
            request.session_timeout_ms,
        );
        if let Some(forgotten) = group.park_join(&request.member_id, self.token) {
            // The member asked again, most likely over a new connection.
            step.reply_join(forgotten, Err(refusal(GroupError::RebalanceInProgress, &request.member_id)));
        }
        self.groups.rebalance_or_complete(self.now, group, "a member joined again", step)
    }

    /// A static member came back under a new id (KIP-345). As long as the group's protocol stays, nobody else notices.
    fn replace_static(&mut self, group: Group, old_id: &str, member_id: &Arc<str>) -> Step {
        let request = self.request;
        let mut step = Step::default();
        let mut changed = group.clone();
        let Some(old) = changed.replace(old_id, member_id) else {
            unreachable!("the index of static members names members");
        };
        fence(&mut step, &old);
        changed.update(
            member_id,
            own_protocols(&request.protocols),
            request.rebalance_timeout_ms,
            request.session_timeout_ms,
        );
        if changed.state == State::Stable && changed.select_protocol() == changed.protocol {
            self.groups.put(group);
            return self.record_replacement(changed, old_id, member_id, step);
        }
        self.groups.cancel_session(&changed.id, old_id);
        changed.park_join(member_id, self.token);
        self.groups.restart_session(self.now, &changed, member_id);
        self.groups.rebalance_or_complete(self.now, changed, "a static member came back", step)
    }

    fn record_replacement(
        &self,
        mut changed: Group,
        old_id: &str,
        member_id: &Arc<str>,
        mut step: Step,
    ) -> Step {
        changed.learn_subscriptions();
        let mut joined = changed.joined(member_id);
        if self.request.can_skip_assignment {
            joined.skip_assignment = changed.is_leader(member_id);
        } else {
            // Clients that cannot skip the assignment must not take themselves for the leader.
            joined.members.clear();
            if changed.is_leader(member_id) {
                joined.leader = old_id.into();
            }
        }
        step.reply_join(self.token, Ok(joined));
        let record = Record::group(&changed, |member| member.assignment.clone());
        let then = Then::Replaced {
            group: Box::new(changed),
            old_member_id: old_id.into(),
            new_member_id: member_id.clone(),
            asked_by: self.token,
            replies: step.replies,
        };
        Step { replies: Vec::new(), append: Some(Append { record, then }) }
    }

    fn refuse(&self, step: &mut Step, error: GroupError, member_id: &str) {
        step.reply_join(self.token, Err(refusal(error, member_id)));
    }
}

impl Groups {
    /// Goes on after the new id of a static member was written down or not.
    pub(super) fn settle_replaced(
        &mut self,
        now: Now,
        changed: Group,
        old_id: &str,
        new_id: &Arc<str>,
        waiting: (Token, Vec<(Token, Reply)>),
        failure: Option<GroupError>,
    ) -> Step {
        let (asked_by, replies) = waiting;
        if let Some(error) = failure {
            if let Some(group) = self.groups.get(&changed.id).cloned() {
                self.restart_session(now, &group, old_id);
            }
            return refused(asked_by, error, "");
        }
        self.cancel_session(&changed.id, old_id);
        self.restart_session(now, &changed, new_id);
        self.put(changed);
        Step { replies, append: None }
    }
}

/// Whoever waits under the old id of a static member learns that somebody else has taken its place.
fn fence(step: &mut Step, old: &Member) {
    if let Some(token) = old.parked_join {
        step.reply_join(token, Err(refusal(GroupError::FencedInstance, &old.id)));
    }
    if let Some(token) = old.parked_sync {
        step.reply_sync(token, Err(GroupError::FencedInstance));
    }
}

pub(super) fn refusal(error: GroupError, member_id: &str) -> JoinRefusal {
    JoinRefusal { error, member_id: member_id.into() }
}

fn refused(token: Token, error: GroupError, member_id: &str) -> Step {
    let mut step = Step::default();
    step.reply_join(token, Err(refusal(error, member_id)));
    step
}

/// `<prefix>-<uuid>`. The prefix only helps people to recognise the client, so a long one is cut: ids are kept by the
/// thousand, and a record must be able to carry them.
fn new_member_id(prefix: &str, fresh_id: Uuid) -> Arc<str> {
    const MAX_PREFIX_BYTES: usize = 255;
    let prefix = &prefix[..prefix.floor_char_boundary(MAX_PREFIX_BYTES)];
    format!("{prefix}-{}", fresh_id.hyphenated()).into()
}
