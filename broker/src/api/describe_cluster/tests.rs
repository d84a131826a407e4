use super::*;
use crate::{api::this_broker::tests::this_broker, catalog::testing::over_the_wire};

async fn ask(version: i16, request: DescribeClusterRequest) -> DescribeClusterResponse {
    over_the_wire(&handle(version, request, &this_broker()).await, version)
}

/// META-13
#[tokio::test]
async fn the_broker_is_described() {
    for version in 0..=2 {
        let asked = DescribeClusterRequest::default().with_include_cluster_authorized_operations(true);
        let response = ask(version, asked).await;
        assert_eq!((response.error_code, &response.error_message), (0, &None));
        assert_eq!((&*response.cluster_id, response.controller_id.0), ("flt0PYs4SR2gOGjX6lgW5w", 1));
        let [broker] = &response.brokers[..] else { panic!("one broker") };
        assert_eq!(
            (broker.broker_id.0, &*broker.host, broker.port, broker.is_fenced),
            (1, "example", 19092, false)
        );
        assert_eq!(response.cluster_authorized_operations, 8096);
        let unasked = ask(version, DescribeClusterRequest::default()).await;
        assert_eq!(unasked.cluster_authorized_operations, i32::MIN);
    }
}

#[tokio::test]
async fn only_brokers_are_described_here() {
    for version in 1..=2 {
        for (endpoint_type, error) in [(2, 114), (9, 115), (0, 115), (-1, 115)] {
            let response =
                ask(version, DescribeClusterRequest::default().with_endpoint_type(endpoint_type)).await;
            assert_eq!((response.error_code, response.error_message.is_some()), (error, true));
            assert_eq!((&*response.cluster_id, response.controller_id.0), ("", -1));
            assert!(response.brokers.is_empty());
            assert_eq!((response.endpoint_type, response.cluster_authorized_operations), (1, i32::MIN));
        }
    }
}
