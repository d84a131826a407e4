//! Heartbeat (key 12), versions 0–4. A member of a classic group says that it is alive.
//!
//! - Code 27 tells it to join again; it counts as alive nevertheless.
//! - v1 throttle time; v3 instance id (KIP-345); v4 flexible.

use kafka_protocol::messages::{HeartbeatRequest, HeartbeatResponse};
use protocol_glue::ErrorCode;

use crate::coordinator::{GroupCoordinator, group::Identity};

/// Handles a request.
pub async fn handle(
    _version: i16,
    request: HeartbeatRequest,
    groups: &GroupCoordinator,
) -> HeartbeatResponse {
    let identity =
        Identity { member_id: &request.member_id, instance_id: request.group_instance_id.as_deref() };
    match groups.heartbeat(&request.group_id, request.generation_id, identity) {
        Ok(()) => HeartbeatResponse::default(),
        Err(error) => HeartbeatResponse::default().with_error_code(ErrorCode::from(error).code()),
    }
}
