//! DescribeCluster (key 60), versions 0–2.
//!
//! - One broker, which is also the controller that clients are to talk to; it is never fenced.
//! - v1: endpoint type. We are asked on a broker's listener: 2 (controllers) is 114, anything else unknown 115.
//! - v2: fenced brokers may be asked for; there are none.
//! - Not here: authorization.

use super::this_broker::{ThisBroker, authorized_operations};
use kafka_protocol::{
    ResponseError,
    messages::{
        BrokerId, DescribeClusterRequest, DescribeClusterResponse,
        describe_cluster_response::DescribeClusterBroker,
    },
    protocol::StrBytes,
};

const BROKERS: i8 = 1;
const CONTROLLERS: i8 = 2;

pub async fn handle(
    _version: i16,
    request: DescribeClusterRequest,
    broker: &ThisBroker,
) -> DescribeClusterResponse {
    match request.endpoint_type {
        BROKERS => describe(&request, broker),
        CONTROLLERS => refuse(
            ResponseError::MismatchedEndpointType,
            "This is a broker's address; it does not tell about controllers.",
        ),
        other => {
            refuse(ResponseError::UnsupportedEndpointType, &format!("There is no endpoint type {other}."))
        }
    }
}

fn describe(request: &DescribeClusterRequest, broker: &ThisBroker) -> DescribeClusterResponse {
    let entry = DescribeClusterBroker::default()
        .with_broker_id(BrokerId(broker.node_id))
        .with_host(text(&broker.host))
        .with_port(broker.port.into())
        .with_rack(broker.rack.as_deref().map(text));
    let operations = if request.include_cluster_authorized_operations {
        authorized_operations::CLUSTER
    } else {
        authorized_operations::NOT_REQUESTED
    };
    DescribeClusterResponse::default()
        .with_error_message(None)
        .with_cluster_id(text(&broker.cluster_id))
        .with_controller_id(BrokerId(broker.node_id))
        .with_brokers(vec![entry])
        .with_cluster_authorized_operations(operations)
}

fn refuse(error: ResponseError, message: &str) -> DescribeClusterResponse {
    DescribeClusterResponse::default()
        .with_error_code(error.code())
        .with_error_message(Some(text(message)))
        .with_controller_id(BrokerId(-1))
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

#[cfg(test)]
mod tests;
