//! Bytes to Kafka messages and back.
//!
//! - [`frame`]: the length that stands before every message.
//! - [`header`]: what stands before the body of a request.
//! - [`preflight`]: a look at a body before the protocol crate decodes it.
//! - [`versions`]: every API key, what can be decoded of it, and which header it has.
//! - [`error`]: the error codes.
//! - [`records`]: the records that a broker keeps in its internal topics, each declared once.
//! - [`DecodeError`]: why bytes were refused.
//!
//! Nothing in here knows a socket, a file or a policy.

mod decode_error;
pub mod error;
pub mod frame;
pub mod header;
pub mod preflight;
pub mod records;
pub mod versions;
mod wire;

pub use decode_error::DecodeError;
pub use error::ErrorCode;
