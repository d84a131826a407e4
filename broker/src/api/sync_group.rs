//! SyncGroup (key 14), versions 0–5. Hands out the assignment that the leader of a classic group made.
//!
//! - Followers wait for the leader. A member that the leader left out gets empty bytes, and no error.
//! - v1 throttle time; v3 instance id (KIP-345); v4 flexible; v5 protocol type and name, which must then be given and
//!   fit the group's, code 23 (KIP-559).

use kafka_protocol::messages::{SyncGroupRequest, SyncGroupResponse};
use protocol_glue::ErrorCode;

use super::text::optional_text;
use crate::coordinator::{
    GroupCoordinator,
    group::{GroupError, SyncReply, SyncRequest, Synced},
};

/// Handles a request.
pub async fn handle(version: i16, request: SyncGroupRequest, groups: &GroupCoordinator) -> SyncGroupResponse {
    match answer(version, &request, groups).await {
        Ok(synced) => accepted(version, synced),
        Err(error) => SyncGroupResponse::default().with_error_code(ErrorCode::from(error).code()),
    }
}

async fn answer(version: i16, request: &SyncGroupRequest, groups: &GroupCoordinator) -> SyncReply {
    if version >= 5 && (request.protocol_type.is_none() || request.protocol_name.is_none()) {
        return Err(GroupError::InconsistentProtocol);
    }
    groups.sync(&read(request)).await
}

fn read(request: &SyncGroupRequest) -> SyncRequest {
    let assignments = request.assignments.iter();
    SyncRequest {
        group_id: request.group_id.to_string(),
        generation: request.generation_id,
        member_id: request.member_id.to_string(),
        instance_id: request.group_instance_id.as_ref().map(ToString::to_string),
        protocol_type: request.protocol_type.as_ref().map(ToString::to_string),
        protocol: request.protocol_name.as_ref().map(ToString::to_string),
        assignments: assignments.map(|part| (part.member_id.to_string(), part.assignment.clone())).collect(),
    }
}

fn accepted(version: i16, synced: Synced) -> SyncGroupResponse {
    let response = SyncGroupResponse::default().with_assignment(synced.assignment);
    if version < 5 {
        return response;
    }
    response
        .with_protocol_type(optional_text(synced.protocol_type.as_deref()))
        .with_protocol_name(optional_text(synced.protocol.as_deref()))
}
