use super::*;
use crate::catalog::testing::over_the_wire;

/// SEC-14
#[tokio::test]
async fn there_is_no_authorizer() {
    for version in 1..=3 {
        let response = over_the_wire(&handle(version, DescribeAclsRequest::default()).await, version);
        assert_eq!((response.error_code, response.error_message.is_some()), (54, true));
        assert!(response.resources.is_empty());
    }
}
