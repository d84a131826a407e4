//! How this broker presents itself to one connection.

/// What answers say about this broker. The address is that of the listener the request came in on, never another's
/// (KIP-103): a client inside a container network and one outside each get an address that they can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThisBroker {
    pub node_id: i32,
    pub cluster_id: String,
    pub rack: Option<String>,
    pub host: String,
    pub port: u16,
}

/// Operations that a client may do, as a sum of 1 << code: without an authorizer all that make sense (KIP-430).
pub mod authorized_operations {
    /// READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS.
    pub const TOPIC: i32 = 0b1101_1111_1000;
    /// CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE.
    pub const CLUSTER: i32 = 0b1_1111_1010_0000;
    /// The client did not ask.
    pub const NOT_REQUESTED: i32 = i32::MIN;
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn this_broker() -> ThisBroker {
        ThisBroker {
            node_id: 1,
            cluster_id: "flt0PYs4SR2gOGjX6lgW5w".to_owned(),
            rack: Some("r1".to_owned()),
            host: "example".to_owned(),
            port: 19092,
        }
    }

    /// The sums that Apache Kafka answers.
    #[test]
    fn operations_are_kafkas() {
        assert_eq!((authorized_operations::TOPIC, authorized_operations::CLUSTER), (3576, 8096));
    }
}
