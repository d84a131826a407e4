//! Stock clients and raw frames against a Daybook started in the test.
//!
//! [`Daybook`] is the real binary as a child process on a free port with an empty folder. [`Connection`] speaks
//! to it in frames, [`batch`] makes record batches (good and bad), [`stored`] reads them back: none of them
//! shares code with the broker. [`verbs`] are the requests that most tests need, in one line each.
//! Nothing in here knows the inside of the broker.

pub mod batch;
pub mod connection;
pub mod daybook;
pub mod stored;
pub mod tools;
pub mod verbs;
pub mod wait;

pub use connection::Connection;
pub use daybook::Daybook;
pub use wait::eventually;

/// A string as the messages of the `kafka-protocol` crate want it.
pub fn text(value: &str) -> kafka_protocol::protocol::StrBytes {
    kafka_protocol::protocol::StrBytes::from_string(value.to_owned())
}

/// A topic name as the messages of the `kafka-protocol` crate want it.
pub fn topic_name(value: &str) -> kafka_protocol::messages::TopicName {
    kafka_protocol::messages::TopicName(text(value))
}

/// A group id as the messages of the `kafka-protocol` crate want it.
pub fn group_id(value: &str) -> kafka_protocol::messages::GroupId {
    kafka_protocol::messages::GroupId(text(value))
}
