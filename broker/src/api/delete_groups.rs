//! DeleteGroups (key 42), versions 0–2. Deletes groups without members, and what they have committed.
//!
//! - A group with members is code 68, one that does not exist 69. A name given twice is answered once.
//! - v1 throttle time as before; v2 flexible.
//! - Not done: v3 (error messages).

use std::collections::HashSet;

use kafka_protocol::messages::{
    DeleteGroupsRequest, DeleteGroupsResponse, delete_groups_response::DeletableGroupResult,
};
use protocol_glue::ErrorCode;

use crate::coordinator::GroupCoordinator;

/// Handles a request.
pub async fn handle(
    _version: i16,
    request: DeleteGroupsRequest,
    groups: &GroupCoordinator,
) -> DeleteGroupsResponse {
    let mut seen = HashSet::new();
    let mut results = Vec::new();
    for group_id in &request.groups_names {
        if !seen.insert(group_id) {
            continue;
        }
        let outcome = groups.delete_group(group_id).await;
        let code = outcome.err().map_or(ErrorCode::None, ErrorCode::from).code();
        results.push(DeletableGroupResult::default().with_group_id(group_id.clone()).with_error_code(code));
    }
    DeleteGroupsResponse::default().with_results(results)
}
