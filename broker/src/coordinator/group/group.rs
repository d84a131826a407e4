//! A classic group: its members, its generation, its state. Behaviour §"state machine" of Kafka's classic protocol
//! (KIP-62, KIP-345, KIP-394); the decisions about it are in the files named after the requests.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    GroupError, Identity, Joined, JoinedMember,
    member::{Member, Protocol},
    step::Token,
    subscription::subscribed_topics,
};
use crate::coordinator::{Now, placement::java_string_hash};

/// The protocol type of consumers; only their metadata is ever looked into.
pub(super) const CONSUMER_PROTOCOL_TYPE: &str = "consumer";

/// Where a group is between two generations. A group that does not exist is "Dead" to clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No members.
    Empty,
    /// Members are awaited.
    PreparingRebalance,
    /// The leader's assignment is awaited.
    CompletingRebalance,
    /// Everybody has an assignment.
    Stable,
}

impl State {
    /// The state's name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::PreparingRebalance => "PreparingRebalance",
            Self::CompletingRebalance => "CompletingRebalance",
            Self::Stable => "Stable",
        }
    }
}

/// A classic group without its offsets.
#[derive(Clone, Debug)]
pub struct Group {
    pub(super) id: Arc<str>,
    pub(super) state: State,
    pub(super) previous_state: State,
    /// Milliseconds since 1970; unknown for groups from old records.
    pub(super) state_since_ms: Option<i64>,
    pub(super) generation: i32,
    pub(super) protocol_type: Option<Arc<str>>,
    pub(super) protocol: Option<Arc<str>>,
    pub(super) leader: Option<Arc<str>>,
    pub(super) members: BTreeMap<Arc<str>, Member>,
    /// Ids that were given out and have not been joined with.
    pub(super) pending: BTreeSet<Arc<str>>,
    /// Members of this generation that have not asked for their assignment.
    pub(super) unsynced: BTreeSet<Arc<str>>,
    /// Member ids by instance id.
    pub(super) static_members: HashMap<Arc<str>, Arc<str>>,
    /// While the first members are awaited: how much longer that may be extended.
    pub(super) initial_delay_left_ms: Option<i32>,
    /// Somebody came while the first members are awaited.
    pub(super) joined_meanwhile: bool,
    /// What the members of this generation subscribe, if it can be told.
    subscribed: Option<BTreeSet<Arc<str>>>,
    /// How many members know a protocol.
    supporters: HashMap<Arc<str>, usize>,
    parked_joins: usize,
}

impl Group {
    pub(super) fn new(id: Arc<str>, now: Now) -> Self {
        Self {
            id,
            state: State::Empty,
            previous_state: State::Empty,
            state_since_ms: Some(now.wall_ms),
            generation: 0,
            protocol_type: None,
            protocol: None,
            leader: None,
            members: BTreeMap::new(),
            pending: BTreeSet::new(),
            unsynced: BTreeSet::new(),
            static_members: HashMap::new(),
            initial_delay_left_ms: None,
            joined_meanwhile: false,
            subscribed: None,
            supporters: HashMap::new(),
            parked_joins: 0,
        }
    }

    // --- questions

    pub(super) fn is_leader(&self, member_id: &str) -> bool {
        self.leader.as_deref() == Some(member_id)
    }

    pub(super) fn is_consumer_type(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER_PROTOCOL_TYPE)
    }

    /// Checks that a request comes from who it says.
    pub(super) fn check_member(&self, identity: Identity<'_>) -> Result<(), GroupError> {
        if let Some(instance_id) = identity.instance_id {
            match self.static_members.get(instance_id) {
                None => return Err(GroupError::UnknownMember),
                Some(current) if **current != *identity.member_id => return Err(GroupError::FencedInstance),
                Some(_) => {}
            }
        }
        if self.members.contains_key(identity.member_id) { Ok(()) } else { Err(GroupError::UnknownMember) }
    }

    /// Whether a member that knows these protocols can be in the group.
    pub(super) fn supports<'a>(
        &self,
        protocol_type: &str,
        mut protocols: impl Iterator<Item = &'a str>,
    ) -> bool {
        if self.state == State::Empty {
            return !protocol_type.is_empty() && protocols.next().is_some();
        }
        self.protocol_type.as_deref() == Some(protocol_type)
            && protocols.any(|protocol| {
                self.supporters.get(protocol).copied().unwrap_or_default() == self.members.len()
            })
    }

    /// How many joins wait for others.
    pub(super) fn parked_joins(&self) -> usize {
        self.parked_joins
    }

    pub(super) fn everybody_joined(&self) -> bool {
        self.parked_joins == self.members.len() && self.pending.is_empty()
    }

    /// The longest time that a member asks the others to wait for it.
    pub(super) fn rebalance_timeout_ms(&self) -> i32 {
        self.members.values().map(|member| member.rebalance_timeout_ms).max().unwrap_or_default().max(0)
    }

    /// Whether offsets of the topic are in use. Of consumers whose subscription is not known, any may be.
    pub(super) fn is_subscribed_to(&self, topic: &str) -> bool {
        match &self.subscribed {
            Some(topics) => topics.contains(topic),
            None => self.is_consumer_type(),
        }
    }

    pub(super) fn knows_subscriptions(&self) -> bool {
        self.subscribed.is_some()
    }

    /// The protocol that most members prefer among those that all know.
    pub(super) fn select_protocol(&self) -> Option<Arc<str>> {
        let is_common =
            |protocol: &&Protocol| self.supporters.get(&protocol.name) == Some(&self.members.len());
        let mut votes: BTreeMap<(u32, &Arc<str>), usize> = BTreeMap::new();
        for member in self.members.values() {
            if let Some(choice) = member.protocols.iter().find(is_common) {
                *votes.entry((java_hash_bucket(&choice.name), &choice.name)).or_default() += 1;
            }
        }
        let most = votes.values().copied().max()?;
        votes.into_iter().find(|(_, count)| *count == most).map(|((_, name), _)| Arc::clone(name))
    }

    /// What a member is told about the present generation; the leader is told of everybody.
    pub(super) fn joined(&self, member_id: &str) -> Joined {
        let members = if self.is_leader(member_id) { self.joined_members() } else { Vec::new() };
        Joined {
            generation: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            leader: self.leader.clone().unwrap_or_default(),
            skip_assignment: false,
            member_id: member_id.into(),
            members,
        }
    }

    fn joined_members(&self) -> Vec<JoinedMember> {
        let protocol = self.protocol.as_deref().unwrap_or_default();
        self.members
            .values()
            .map(|member| JoinedMember {
                member_id: member.id.clone(),
                instance_id: member.instance_id.clone(),
                metadata: member.metadata(protocol),
            })
            .collect()
    }

    // --- changes

    pub(super) fn enter(&mut self, state: State, now: Now) {
        self.previous_state = self.state;
        self.state = state;
        self.state_since_ms = Some(now.wall_ms);
    }

    /// Takes in a member whose protocols fit.
    pub(super) fn add(&mut self, member: Member, protocol_type: &str) {
        if self.members.is_empty() {
            self.protocol_type = Some(protocol_type.into());
        }
        if self.leader.is_none() {
            self.leader = Some(member.id.clone());
        }
        if let Some(instance_id) = &member.instance_id {
            self.static_members.insert(instance_id.clone(), member.id.clone());
        }
        self.pending.remove(&member.id);
        self.parked_joins += usize::from(member.parked_join.is_some());
        self.count_supporters(&member.protocols, true);
        self.members.insert(member.id.clone(), member);
    }

    /// Drops a member, or an id that was given out.
    pub(super) fn remove(&mut self, member_id: &str) -> Option<Member> {
        self.pending.remove(member_id);
        self.unsynced.remove(member_id);
        let member = self.members.remove(member_id)?;
        self.count_supporters(&member.protocols, false);
        self.parked_joins -= usize::from(member.parked_join.is_some());
        if let Some(instance_id) = &member.instance_id {
            self.static_members.remove(instance_id);
        }
        if self.is_leader(member_id) {
            self.leader = self.members.keys().next().cloned();
        }
        Some(member)
    }

    /// Lets a member say something new.
    pub(super) fn update(
        &mut self,
        member_id: &str,
        protocols: Vec<Protocol>,
        rebalance_timeout_ms: i32,
        session_timeout_ms: i32,
    ) {
        let Some(member) = self.members.get_mut(member_id) else { return };
        member.rebalance_timeout_ms = rebalance_timeout_ms;
        member.session_timeout_ms = session_timeout_ms;
        let old = std::mem::replace(&mut member.protocols, protocols.clone());
        self.count_supporters(&old, false);
        self.count_supporters(&protocols, true);
    }

    /// Gives a static member a new id. What waited under the old one comes back in the first place.
    pub(super) fn replace(&mut self, old_id: &str, new_id: &Arc<str>) -> Option<Member> {
        let old = self.members.remove(old_id)?;
        self.parked_joins -= usize::from(old.parked_join.is_some());
        if self.is_leader(old_id) {
            self.leader = Some(new_id.clone());
        }
        if self.unsynced.remove(old_id) {
            self.unsynced.insert(new_id.clone());
        }
        if let Some(instance_id) = &old.instance_id {
            self.static_members.insert(instance_id.clone(), new_id.clone());
        }
        let new = Member { id: new_id.clone(), parked_join: None, parked_sync: None, ..old.clone() };
        self.members.insert(new_id.clone(), new);
        Some(old)
    }

    /// Lets a join wait; the one that waited before, for the same member, is returned.
    pub(super) fn park_join(&mut self, member_id: &str, token: Token) -> Option<Token> {
        let old = self.members.get_mut(member_id)?.parked_join.replace(token);
        self.parked_joins += usize::from(old.is_none());
        old
    }

    /// Ends the wait of a join.
    pub(super) fn take_join(&mut self, member_id: &str) -> Option<Token> {
        let token = self.members.get_mut(member_id)?.parked_join.take();
        self.parked_joins -= usize::from(token.is_some());
        token
    }

    /// Makes sure that the leader is somebody who joined; `false` if nobody did.
    pub(super) fn elect_leader(&mut self) -> bool {
        let has_joined = |member: &&Member| member.parked_join.is_some();
        let current = self.leader.as_ref().and_then(|leader| self.members.get(leader));
        if current.as_ref().is_some_and(has_joined) {
            return true;
        }
        match self.members.values().find(has_joined) {
            Some(member) => {
                self.leader = Some(member.id.clone());
                true
            }
            None => false,
        }
    }

    /// Begins the next generation with the members that are there.
    pub(super) fn begin_generation(&mut self, now: Now) {
        self.generation = self.generation.wrapping_add(1);
        self.unsynced.clear();
        if self.members.is_empty() {
            self.protocol = None;
            self.enter(State::Empty, now);
        } else {
            self.protocol = self.select_protocol();
            self.enter(State::CompletingRebalance, now);
        }
        self.learn_subscriptions();
    }

    /// Remembers what the members subscribe, as far as it can be told.
    pub(super) fn learn_subscriptions(&mut self) {
        self.subscribed = match &self.protocol {
            _ if !self.is_consumer_type() => None,
            _ if self.members.is_empty() => Some(BTreeSet::new()),
            None => None,
            Some(protocol) => self
                .members
                .values()
                .map(|member| subscribed_topics(&member.metadata(protocol)))
                .try_fold(BTreeSet::new(), |mut all, topics| {
                    all.extend(topics?);
                    Some(all)
                }),
        };
    }

    fn count_supporters(&mut self, protocols: &[Protocol], more: bool) {
        // A name that a member repeats counts once.
        for name in protocols.iter().map(|protocol| &protocol.name).collect::<BTreeSet<_>>() {
            let count = self.supporters.entry(name.clone()).or_default();
            if more {
                *count += 1;
            } else {
                *count -= 1;
                if *count == 0 {
                    self.supporters.remove(name);
                }
            }
        }
    }
}

/// Where a small `HashMap` of Java keeps the text. With as many votes for two protocols Kafka takes the one that
/// comes first there; so do we.
fn java_hash_bucket(text: &str) -> u32 {
    let hash = java_string_hash(text).cast_unsigned();
    (hash ^ (hash >> 16)) & 15
}
