//! ListGroups (key 16), versions 0–5. Every group that this node coordinates.
//!
//! - v1 throttle time; v3 flexible; v4 state, and a filter for it (KIP-518); v5 type, and a filter for it (KIP-848).
//! - Filters ignore case; a word that is no state or type matches nothing.

use kafka_protocol::{
    messages::{GroupId, ListGroupsRequest, ListGroupsResponse, list_groups_response::ListedGroup},
    protocol::StrBytes,
};
use protocol_glue::ErrorCode;

use super::text::text;
use crate::coordinator::{GroupCoordinator, group::Listing};

const CLASSIC: &str = "classic";

/// Handles a request.
pub async fn handle(
    version: i16,
    request: ListGroupsRequest,
    groups: &GroupCoordinator,
) -> ListGroupsResponse {
    let listings = match groups.list() {
        Ok(listings) => listings,
        Err(error) => return ListGroupsResponse::default().with_error_code(ErrorCode::from(error).code()),
    };
    let shown = listings.into_iter().filter(|listing| {
        passes(&request.states_filter, listing.state.name()) && passes(&request.types_filter, CLASSIC)
    });
    ListGroupsResponse::default().with_groups(shown.map(|listing| listed(version, &listing)).collect())
}

fn passes(filter: &[StrBytes], value: &str) -> bool {
    filter.is_empty() || filter.iter().any(|wanted| wanted.eq_ignore_ascii_case(value))
}

fn listed(version: i16, listing: &Listing) -> ListedGroup {
    let mut listed = ListedGroup::default()
        .with_group_id(GroupId(text(&listing.group_id)))
        .with_protocol_type(text(&listing.protocol_type));
    if version >= 4 {
        listed = listed.with_group_state(text(listing.state.name()));
    }
    if version >= 5 {
        listed = listed.with_group_type(text(CLASSIC));
    }
    listed
}
