//! LeaveGroup (key 13), versions 0–5. Members go, or an administrator removes them.
//!
//! - v1 throttle time; v3 several members, each with its own error, and static ones by their instance id alone
//!   (KIP-345); v4 flexible; v5 a reason, ignored.
//! - Up to v2 the error of the one member is the error of the answer.

use kafka_protocol::messages::{LeaveGroupRequest, LeaveGroupResponse, leave_group_response::MemberResponse};
use protocol_glue::ErrorCode;

use super::text::{optional_text, text};
use crate::coordinator::{
    GroupCoordinator,
    group::{GroupError, Leaving},
};

/// Handles a request.
pub async fn handle(
    version: i16,
    request: LeaveGroupRequest,
    groups: &GroupCoordinator,
) -> LeaveGroupResponse {
    let leaving = read(version, &request);
    match groups.leave(&request.group_id, &leaving).await {
        Err(error) => LeaveGroupResponse::default().with_error_code(ErrorCode::from(error).code()),
        Ok(outcomes) if version >= 3 => {
            let members = leaving.iter().zip(outcomes).map(|(leaving, outcome)| member(leaving, outcome));
            LeaveGroupResponse::default().with_members(members.collect())
        }
        Ok(outcomes) => {
            let outcome = outcomes.into_iter().next().unwrap_or(Ok(()));
            LeaveGroupResponse::default().with_error_code(code(outcome))
        }
    }
}

fn read(version: i16, request: &LeaveGroupRequest) -> Vec<Leaving> {
    if version < 3 {
        return vec![Leaving { member_id: request.member_id.to_string(), instance_id: None }];
    }
    let members = request.members.iter().map(|member| Leaving {
        member_id: member.member_id.to_string(),
        instance_id: member.group_instance_id.as_ref().map(ToString::to_string),
    });
    members.collect()
}

fn member(leaving: &Leaving, outcome: Result<(), GroupError>) -> MemberResponse {
    MemberResponse::default()
        .with_member_id(text(&leaving.member_id))
        .with_group_instance_id(optional_text(leaving.instance_id.as_deref()))
        .with_error_code(code(outcome))
}

fn code(outcome: Result<(), GroupError>) -> i16 {
    outcome.err().map_or(ErrorCode::None, ErrorCode::from).code()
}
