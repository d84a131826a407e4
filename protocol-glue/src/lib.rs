//! Bytes to Kafka messages and back.
//!
//! - [`frame`]: the length that stands before every message.
//! - [`header`]: what stands before the body of a request.
//! - [`preflight`]: a look at a body before the protocol crate decodes it.
//! - [`codec`]: bodies to messages of the protocol crate, and messages to frames whose records are not copied.
//! - [`versions`]: every API key, what can be decoded of it, and which header it has.
//! - [`error`]: the error codes.
//! - [`records`]: the records that a broker keeps in its internal topics, each declared once.
//! - [`DecodeError`]: why bytes were refused.
//!
//! A request goes through them in this order:
//!
//! ```text
//! frame::take → RequestHeader::take → preflight::check → codec::decode_body → … → codec::encode_response
//! ```
//!
//! Nothing in here knows a socket, a file or a policy.

pub mod codec;
mod decode_error;
pub mod error;
pub mod frame;
pub mod header;
pub mod preflight;
pub mod records;
mod rope;
pub mod stand_in;
pub mod versions;
mod wire;

pub use decode_error::DecodeError;
pub use error::ErrorCode;
