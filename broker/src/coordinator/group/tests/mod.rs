//! Sessions with the state machine: who asks what, and who hears what when. Time stands still until it is advanced.

mod administration;
mod failures;
mod joining;
mod leaving;
mod offsets;
mod replay;
mod static_members;
mod syncing;

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use uuid::Uuid;

use super::*;
use crate::coordinator::{AppendFailure, Now};

/// A wall clock far from the ticks, so that a mix-up shows.
const START: Now = Now { wall_ms: 1_700_000_000_000, tick_ms: 0 };

/// A shard with its log, and the replies so far.
struct Session {
    groups: Groups,
    now: Now,
    log: Vec<(Bytes, Option<Bytes>)>,
    /// What the next append answers.
    failure: Option<AppendFailure>,
    replies: HashMap<Token, Reply>,
    tokens: u64,
}

impl Session {
    fn new() -> Self {
        Self::with(GroupSettings::default())
    }

    fn with(settings: GroupSettings) -> Self {
        Self {
            groups: Groups::new(Arc::new(settings)),
            now: START,
            log: Vec::new(),
            failure: None,
            replies: HashMap::new(),
            tokens: 0,
        }
    }

    /// Asks to join; the token is where the reply will be.
    fn join(&mut self, request: &JoinRequest) -> Token {
        let token = self.token();
        let step = self.groups.join(self.now, request, Uuid::from_u128(token.0.into()), token);
        self.follow(step);
        self.pass_time();
        token
    }

    /// Joins and must hear at once.
    fn joins(&mut self, request: &JoinRequest) -> JoinReply {
        let token = self.join(request);
        self.heard_join(token).expect("the join is answered at once")
    }

    /// Joins as a new dynamic member does, in two steps; the token of the second.
    fn enters(&mut self, request: &JoinRequest) -> (Arc<str>, Token) {
        let refusal = self.joins(request).expect_err("a new member gets its id first");
        assert_eq!(refusal.error, GroupError::MemberIdRequired);
        let token = self.join(&JoinRequest { member_id: refusal.member_id.to_string(), ..request.clone() });
        (refusal.member_id, token)
    }

    fn sync(&mut self, request: &SyncRequest) -> Token {
        let token = self.token();
        let step = self.groups.sync(request, token);
        self.follow(step);
        self.pass_time();
        token
    }

    fn syncs(&mut self, request: &SyncRequest) -> SyncReply {
        let token = self.sync(request);
        self.heard_sync(token).expect("the sync is answered at once")
    }

    fn heartbeat(&mut self, group: &str, generation: i32, member: &str) -> Result<(), GroupError> {
        self.groups.heartbeat(self.now, group, generation, Identity { member_id: member, instance_id: None })
    }

    fn leave(&mut self, group: &str, leaving: &[Leaving]) -> Vec<Result<(), GroupError>> {
        let (outcomes, step) = self.groups.leave(self.now, group, leaving);
        self.follow(step);
        self.pass_time();
        outcomes
    }

    fn commit(&mut self, request: &CommitRequest) -> Result<Vec<Result<(), GroupError>>, GroupError> {
        let decision = self.groups.commit(self.now, request)?;
        let outcomes = decision.answer.into_iter().flat_map(|(_, partitions)| partitions);
        let outcomes = outcomes.map(|(_, outcome)| outcome).collect();
        self.write(decision.records)?;
        Ok(outcomes)
    }

    /// Appends and applies.
    fn write(&mut self, records: Vec<Record>) -> Result<(), GroupError> {
        for record in &records {
            self.append(record)?;
        }
        for record in records {
            self.groups.apply(self.now, record);
        }
        Ok(())
    }

    /// Lets time pass; every deadline is handled when it comes.
    fn advance(&mut self, ms: i64) {
        let end = self.now.tick_ms + ms;
        while let Some(next) = self.groups.next_deadline_ms().filter(|&next| next <= end) {
            self.set_tick(next);
            self.pass_time();
        }
        self.set_tick(end);
    }

    fn heard_join(&self, token: Token) -> Option<JoinReply> {
        self.replies.get(&token).map(|reply| match reply {
            Reply::Join(reply) => reply.clone(),
            Reply::Sync(_) => panic!("a join was answered with a sync"),
        })
    }

    fn heard_sync(&self, token: Token) -> Option<SyncReply> {
        self.replies.get(&token).map(|reply| match reply {
            Reply::Sync(reply) => reply.clone(),
            Reply::Join(_) => panic!("a sync was answered with a join"),
        })
    }

    fn generation_of(&self, token: Token) -> Joined {
        self.heard_join(token).expect("the join is answered").expect("the join is accepted")
    }

    fn state(&self, group: &str) -> Option<State> {
        self.groups.describe(group).map(|description| description.state)
    }

    /// What a restart would know.
    fn restarted(&self) -> Groups {
        let mut groups = Groups::new(self.groups.settings.clone());
        for (key, value) in &self.log {
            let record = Record::decode(key, value.as_deref()).expect("our own record");
            groups.apply(self.now, record.expect("of a known kind"));
        }
        groups
    }

    fn token(&mut self) -> Token {
        self.tokens += 1;
        Token(self.tokens)
    }

    fn set_tick(&mut self, tick_ms: i64) {
        self.now = Now { wall_ms: START.wall_ms + tick_ms, tick_ms };
    }

    fn pass_time(&mut self) {
        while let Some(step) = self.groups.on_time(self.now) {
            self.follow(step);
        }
    }

    fn follow(&mut self, mut step: Step) {
        loop {
            for (token, reply) in step.replies {
                let earlier = self.replies.insert(token, reply);
                assert!(earlier.is_none(), "{token:?} is answered twice");
            }
            let Some(append) = step.append else { return };
            let outcome = self.append(&append.record);
            step = self.groups.settle(self.now, append.then, outcome);
        }
    }

    fn append(&mut self, record: &Record) -> Result<(), AppendFailure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => {
                self.log.push(record.encode());
                Ok(())
            }
        }
    }
}

// --- what is asked, by default in group "g" by a consumer that knows "range"

fn consumer() -> JoinRequest {
    JoinRequest {
        group_id: "g".into(),
        client_id: "client".into(),
        client_host: "/127.0.0.1".into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 20_000,
        protocol_type: "consumer".into(),
        protocols: vec![("range".into(), Bytes::from_static(b"\x01"))],
        requires_known_member_id: true,
        can_skip_assignment: true,
        ..JoinRequest::default()
    }
}

/// A client too old to be given an id first.
fn old_consumer() -> JoinRequest {
    JoinRequest { requires_known_member_id: false, can_skip_assignment: false, ..consumer() }
}

fn known(member: &str) -> JoinRequest {
    JoinRequest { member_id: member.into(), ..consumer() }
}

fn sync(generation: i32, member: &str, assignments: &[(&str, &'static [u8])]) -> SyncRequest {
    let assignments = assignments.iter().map(|(id, bytes)| ((*id).into(), Bytes::from_static(bytes)));
    SyncRequest {
        group_id: "g".into(),
        generation,
        member_id: member.into(),
        protocol_type: Some("consumer".into()),
        protocol: Some("range".into()),
        assignments: assignments.collect(),
        ..SyncRequest::default()
    }
}

fn leaving(member: &str) -> Leaving {
    Leaving { member_id: member.into(), instance_id: None }
}

fn offset(partition: i32, offset: i64) -> OffsetToCommit {
    OffsetToCommit { partition, offset, leader_epoch: -1, metadata: String::new() }
}

fn commit(generation: i32, member: &str, offsets: Vec<OffsetToCommit>) -> CommitRequest {
    CommitRequest {
        group_id: "g".into(),
        generation,
        member_id: member.into(),
        instance_id: None,
        retention_ms: None,
        knows_group_not_found: true,
        topics: vec![TopicToCommit { topic: "t".into(), topic_id: Uuid::from_u128(7), offsets }],
    }
}

/// A stable group of one; its member and generation.
fn stable(session: &mut Session, request: &JoinRequest) -> (Arc<str>, i32) {
    let (member, token) = session.enters(request);
    let generation = session.generation_of(token).generation;
    let synced = session.syncs(&SyncRequest {
        group_id: request.group_id.clone(),
        protocol_type: Some(request.protocol_type.clone()),
        ..sync(generation, &member, &[(&member, b"all")])
    });
    assert!(synced.is_ok(), "{synced:?}");
    (member, generation)
}

/// A stable group of two: leader, follower, generation.
fn stable_pair(session: &mut Session) -> (Arc<str>, Arc<str>, i32) {
    let (leader, _) = stable(session, &consumer());
    let (follower, waiting) = session.enters(&consumer());
    let generation = session.joins(&known(&leader)).expect("the leader joins again").generation;
    assert_eq!(session.generation_of(waiting).generation, generation);
    let follower_sync = session.sync(&sync(generation, &follower, &[]));
    let leader_sync = session.syncs(&sync(generation, &leader, &[(&leader, b"L"), (&follower, b"F")]));
    assert_eq!(leader_sync.expect("synced").assignment, "L");
    assert_eq!(session.heard_sync(follower_sync).expect("answered").expect("synced").assignment, "F");
    (leader, follower, generation)
}
