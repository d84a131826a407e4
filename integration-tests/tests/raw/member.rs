//! A group member by hand: joins, syncs and beats exactly when a test says so.

use bytes::Bytes;
use integration_tests::{Connection, Daybook, group_id, text};
use kafka_protocol::messages::{
    join_group_request::JoinGroupRequestProtocol, leave_group_request::MemberIdentity,
    sync_group_request::SyncGroupRequestAssignment, *,
};

/// Versions used when a test has no reason for others.
const JOIN: i16 = 9;
const SYNC: i16 = 5;
const HEARTBEAT: i16 = 4;
const LEAVE: i16 = 5;

pub struct Member {
    pub connection: Connection,
    pub group: String,
    pub id: String,
    pub instance: Option<String>,
    pub generation: i32,
    pub session_timeout_ms: i32,
    pub rebalance_timeout_ms: i32,
    /// Protocol names with their metadata, best first.
    pub protocols: Vec<(String, Bytes)>,
}

impl Member {
    pub fn new(daybook: &Daybook, group: &str) -> Member {
        Member {
            connection: daybook.connect(),
            group: group.to_owned(),
            id: String::new(),
            instance: None,
            generation: -1,
            session_timeout_ms: 30_000,
            rebalance_timeout_ms: 30_000,
            protocols: vec![("range".to_owned(), Bytes::from_static(b"metadata"))],
        }
    }

    /// A member that gets its id and joins an empty group as its only member and leader.
    pub fn joined(daybook: &Daybook, group: &str) -> Member {
        let mut member = Member::new(daybook, group);
        member.join();
        member
    }

    /// A member of a group that is Stable with it as the only member.
    pub fn stable(daybook: &Daybook, group: &str) -> Member {
        let mut member = Member::joined(daybook, group);
        let own = member.id.clone();
        let answer = member.sync(&[(&own, "mine")]);
        assert_eq!(answer.error_code, 0, "SyncGroup");
        member
    }

    pub fn with_instance(mut self, instance: &str) -> Member {
        self.instance = Some(instance.to_owned());
        self
    }

    pub fn join_request(&self) -> JoinGroupRequest {
        let protocols = self
            .protocols
            .iter()
            .map(|(name, metadata)| {
                JoinGroupRequestProtocol::default().with_name(text(name)).with_metadata(metadata.clone())
            })
            .collect();
        JoinGroupRequest::default()
            .with_group_id(group_id(&self.group))
            .with_session_timeout_ms(self.session_timeout_ms)
            .with_rebalance_timeout_ms(self.rebalance_timeout_ms)
            .with_member_id(text(&self.id))
            .with_group_instance_id(self.instance.as_deref().map(text))
            .with_protocol_type(text("consumer"))
            .with_protocols(protocols)
    }

    /// Joins and waits for the generation; any error is a panic.
    pub fn join(&mut self) -> JoinGroupResponse {
        self.send_join();
        self.finish_join()
    }

    /// Sends the join (fetching a member id first when there is none) without waiting for the generation.
    pub fn send_join(&mut self) {
        if self.id.is_empty() && self.instance.is_none() {
            let answer = self.connection.ask(JOIN, &self.join_request());
            assert_eq!(answer.error_code, 79, "a member id is required");
            self.id = answer.member_id.to_string();
        }
        let request = self.join_request();
        self.connection.send(JOIN, &request);
    }

    pub fn finish_join(&mut self) -> JoinGroupResponse {
        let (_, answer) = self.connection.answer::<JoinGroupRequest>(JOIN);
        assert_eq!(answer.error_code, 0, "JoinGroup");
        self.id = answer.member_id.to_string();
        self.generation = answer.generation_id;
        answer
    }

    pub fn sync_request(&self, assignments: &[(&str, &str)]) -> SyncGroupRequest {
        let assignments = assignments
            .iter()
            .map(|(member, assignment)| {
                SyncGroupRequestAssignment::default()
                    .with_member_id(text(member))
                    .with_assignment(Bytes::from(assignment.as_bytes().to_vec()))
            })
            .collect();
        SyncGroupRequest::default()
            .with_group_id(group_id(&self.group))
            .with_generation_id(self.generation)
            .with_member_id(text(&self.id))
            .with_group_instance_id(self.instance.as_deref().map(text))
            .with_protocol_type(Some(text("consumer")))
            .with_protocol_name(Some(text(&self.protocols[0].0)))
            .with_assignments(assignments)
    }

    pub fn sync(&mut self, assignments: &[(&str, &str)]) -> SyncGroupResponse {
        let request = self.sync_request(assignments);
        self.connection.ask(SYNC, &request)
    }

    pub fn send_sync(&mut self, assignments: &[(&str, &str)]) {
        let request = self.sync_request(assignments);
        self.connection.send(SYNC, &request);
    }

    pub fn finish_sync(&mut self) -> SyncGroupResponse {
        self.connection.answer::<SyncGroupRequest>(SYNC).1
    }

    /// The heartbeat's error code.
    pub fn heartbeat(&mut self) -> i16 {
        let request = HeartbeatRequest::default()
            .with_group_id(group_id(&self.group))
            .with_generation_id(self.generation)
            .with_member_id(text(&self.id))
            .with_group_instance_id(self.instance.as_deref().map(text));
        self.connection.ask(HEARTBEAT, &request).error_code
    }

    /// Leaves; (error code of the whole, error code of the member).
    pub fn leave(&mut self) -> (i16, i16) {
        let identity = MemberIdentity::default()
            .with_member_id(text(&self.id))
            .with_group_instance_id(self.instance.as_deref().map(text));
        let request =
            LeaveGroupRequest::default().with_group_id(group_id(&self.group)).with_members(vec![identity]);
        let answer = self.connection.ask(LEAVE, &request);
        (answer.error_code, answer.members.first().map_or(0, |member| member.error_code))
    }
}

/// Joins all at once and waits for one generation of all; returns who leads.
pub fn join_together(members: &mut [&mut Member]) -> usize {
    for member in members.iter_mut() {
        member.send_join();
    }
    let mut leader = None;
    for (index, member) in members.iter_mut().enumerate() {
        let answer = member.finish_join();
        if answer.leader == answer.member_id {
            leader = Some(index);
        }
    }
    let generation = members[0].generation;
    assert!(members.iter().all(|member| member.generation == generation), "one generation");
    leader.expect("a leader")
}
