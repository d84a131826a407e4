//! Placing partitions by hand: what a client may ask for when it names the brokers itself.

use super::refusal::Refusal;
use kafka_protocol::ResponseError::InvalidReplicaAssignment;

/// Checks the brokers that a client wants for one partition. This node is the only broker there is.
pub(super) fn check(brokers: &[i32], node_id: i32) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::new(InvalidReplicaAssignment, message));
    match brokers {
        [] => refuse("The assignment of a partition names no broker.".to_owned()),
        [only] if *only == node_id => Ok(()),
        _ if brokers.iter().filter(|broker| **broker == node_id).count() > 1 => {
            refuse(format!("The assignment of a partition names broker {node_id} more than once."))
        }
        _ => refuse(format!(
            "The assignment {brokers:?} names brokers that are not there; broker {node_id} is."
        )),
    }
}
