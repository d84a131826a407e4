//! Bytes to Kafka messages and back.
//!
//! - [`records`]: the records that a broker keeps in its internal topics, each declared once.
//! - [`DecodeError`]: why bytes were refused.
//!
//! Nothing in here knows a socket, a file or a policy.

mod decode_error;
pub mod records;

pub use decode_error::DecodeError;
