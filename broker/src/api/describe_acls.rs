//! DescribeAcls (key 29), versions 1–3.
//!
//! There is no authorizer, so the answer is 54; tools like kafka-ui then hide what they have for ACLs.

use kafka_protocol::{
    ResponseError,
    messages::{DescribeAclsRequest, DescribeAclsResponse},
    protocol::StrBytes,
};

pub async fn handle(_version: i16, _request: DescribeAclsRequest) -> DescribeAclsResponse {
    DescribeAclsResponse::default()
        .with_error_code(ResponseError::SecurityDisabled.code())
        .with_error_message(Some(StrBytes::from_static_str("No Authorizer is configured.")))
}

#[cfg(test)]
mod tests;
