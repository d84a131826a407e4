//! DescribeGroups (key 15), versions 0–6. Shows classic groups with their members.
//!
//! - The protocol and the members' metadata are shown of stable groups only; assignments always.
//! - A group that does not exist is "Dead", up to v5 without an error, then with code 69 (KIP-1043).
//! - v1 throttle time; v3 authorized operations; v4 instance id; v5 flexible; v6 error message.

use kafka_protocol::messages::{
    DescribeGroupsRequest, DescribeGroupsResponse, GroupId,
    describe_groups_response::{DescribedGroup, DescribedGroupMember},
};
use protocol_glue::ErrorCode;

use super::text::{optional_text, text};
use crate::coordinator::{
    GroupCoordinator,
    group::{Description, GroupError, MemberDescription},
};

/// Without an authorizer everything that can be done with a group: READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS and
/// ALTER_CONFIGS, as bits.
const ALL_GROUP_OPERATIONS: i32 = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;
const OPERATIONS_NOT_ASKED: i32 = i32::MIN;

/// Most that is described in one answer: a request of a few megabytes can name a large group a million times. Whoever
/// is past it gets code 42.
const MAX_DESCRIBED_BYTES: usize = 64 << 20;

/// Handles a request.
pub async fn handle(
    version: i16,
    request: DescribeGroupsRequest,
    groups: &GroupCoordinator,
) -> DescribeGroupsResponse {
    let wants_operations = version >= 3 && request.include_authorized_operations;
    let mut room = MAX_DESCRIBED_BYTES;
    let answers = request.groups.iter().map(|group_id| {
        let answer = match room {
            0 => DescribedGroup::default().with_error_code(ErrorCode::InvalidRequest.code()),
            _ => describe(version, group_id, groups),
        };
        room = room.saturating_sub(described_bytes(&answer));
        let answer = answer.with_group_id(group_id.clone());
        let shows_operations = wants_operations && answer.error_code == ErrorCode::None.code();
        answer.with_authorized_operations(if shows_operations {
            ALL_GROUP_OPERATIONS
        } else {
            OPERATIONS_NOT_ASKED
        })
    });
    DescribeGroupsResponse::default().with_groups(answers.collect())
}

fn described_bytes(group: &DescribedGroup) -> usize {
    let of_member = |member: &DescribedGroupMember| {
        let texts = member.member_id.len() + member.client_id.len() + member.client_host.len();
        size_of::<DescribedGroupMember>()
            + texts
            + member.member_metadata.len()
            + member.member_assignment.len()
    };
    group.members.iter().map(of_member).sum()
}

fn describe(version: i16, group_id: &GroupId, groups: &GroupCoordinator) -> DescribedGroup {
    match groups.describe(group_id) {
        Ok(Some(description)) => described(description),
        Ok(None) => missing(version, group_id),
        Err(error) => DescribedGroup::default().with_error_code(ErrorCode::from(error).code()),
    }
}

fn described(description: Description) -> DescribedGroup {
    DescribedGroup::default()
        .with_group_state(text(description.state.name()))
        .with_protocol_type(text(&description.protocol_type))
        .with_protocol_data(text(&description.protocol))
        .with_members(description.members.into_iter().map(member).collect())
}

fn member(member: MemberDescription) -> DescribedGroupMember {
    DescribedGroupMember::default()
        .with_member_id(text(&member.member_id))
        .with_group_instance_id(optional_text(member.instance_id.as_deref()))
        .with_client_id(text(&member.client_id))
        .with_client_host(text(&member.client_host))
        .with_member_metadata(member.metadata)
        .with_member_assignment(member.assignment)
}

fn missing(version: i16, group_id: &GroupId) -> DescribedGroup {
    let dead = DescribedGroup::default().with_group_state(text("Dead"));
    if version < 6 {
        return dead;
    }
    dead.with_error_code(ErrorCode::from(GroupError::GroupNotFound).code())
        .with_error_message(Some(text(&format!("Group {} not found.", group_id.as_str()))))
}
