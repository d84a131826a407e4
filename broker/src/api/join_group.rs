//! JoinGroup (key 11), versions 0–9. Becomes a member of a classic group's next generation.
//!
//! - Waits until the group has gathered; an answer with a generation goes to every member at the same time.
//! - v1 rebalance time-out (before: the session time-out); v2 throttle time; v4 a member without id gets one and has
//!   to come back with it, code 79 (KIP-394); v5 static members (KIP-345); v6 flexible; v7 protocol type, and a
//!   protocol that can be null; v8 a reason, ignored; v9 the leader can be told to skip the assignment (KIP-814).
//! - Not done: joining a KIP-848 group as a classic member.

use std::net::IpAddr;

use kafka_protocol::messages::{
    JoinGroupRequest, JoinGroupResponse, join_group_response::JoinGroupResponseMember,
};
use protocol_glue::ErrorCode;

use super::text::{optional_text, text};
use crate::coordinator::{
    GroupCoordinator,
    group::{JoinRefusal, JoinRequest, Joined},
};

const NO_GENERATION: i32 = -1;

/// Handles a request of `client_id` at `client_address`.
pub async fn handle(
    version: i16,
    request: JoinGroupRequest,
    client_id: &str,
    client_address: IpAddr,
    groups: &GroupCoordinator,
) -> JoinGroupResponse {
    let request = read(version, &request, client_id, client_address);
    match groups.join(&request).await {
        Ok(joined) => accepted(version, joined),
        Err(refusal) => refused(version, &refusal),
    }
}

fn read(version: i16, request: &JoinGroupRequest, client_id: &str, client_address: IpAddr) -> JoinRequest {
    let rebalance_timeout_ms =
        if version >= 1 { request.rebalance_timeout_ms } else { request.session_timeout_ms };
    let protocols = request.protocols.iter();
    JoinRequest {
        group_id: request.group_id.to_string(),
        member_id: request.member_id.to_string(),
        instance_id: request.group_instance_id.as_ref().map(ToString::to_string),
        client_id: client_id.to_owned(),
        client_host: host_text(client_address),
        session_timeout_ms: request.session_timeout_ms,
        rebalance_timeout_ms,
        protocol_type: request.protocol_type.to_string(),
        protocols: protocols.map(|protocol| (protocol.name.to_string(), protocol.metadata.clone())).collect(),
        requires_known_member_id: version >= 4,
        can_skip_assignment: version >= 9,
    }
}

fn accepted(version: i16, joined: Joined) -> JoinGroupResponse {
    let members = joined.members.iter().map(|member| {
        JoinGroupResponseMember::default()
            .with_member_id(text(&member.member_id))
            .with_group_instance_id(optional_text(member.instance_id.as_deref()))
            .with_metadata(member.metadata.clone())
    });
    let protocol_type = joined.protocol_type.as_deref().filter(|_| version >= 7);
    JoinGroupResponse::default()
        .with_generation_id(joined.generation)
        .with_protocol_type(optional_text(protocol_type))
        .with_protocol_name(Some(text(joined.protocol.as_deref().unwrap_or_default())))
        .with_leader(text(&joined.leader))
        .with_skip_assignment(joined.skip_assignment)
        .with_member_id(text(&joined.member_id))
        .with_members(members.collect())
}

fn refused(version: i16, refusal: &JoinRefusal) -> JoinGroupResponse {
    JoinGroupResponse::default()
        .with_error_code(ErrorCode::from(refusal.error).code())
        .with_generation_id(NO_GENERATION)
        .with_protocol_name((version < 7).then(|| text("")))
        .with_member_id(text(&refusal.member_id))
}

/// An address as Java's `InetAddress` prints it, which is what tools show and Kafka stores.
fn host_text(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => format!("/{address}"),
        IpAddr::V6(address) => {
            let segments = address.segments().map(|segment| format!("{segment:x}"));
            format!("/{}", segments.join(":"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_written_as_java_writes_them() {
        let host = |address: &str| host_text(address.parse().expect("an address"));
        assert_eq!(host("1.2.3.4"), "/1.2.3.4");
        assert_eq!(host("::1"), "/0:0:0:0:0:0:0:1");
        assert_eq!(host("::ffff:10.0.0.1"), "/10.0.0.1");
    }
}
