//! Why bytes were refused. Every refusal is the sender's fault; nothing in here is an I/O error or a bug of ours.

use thiserror::Error;

/// What was wrong with bytes that should have been a Kafka message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The message ends before the field does.
    #[error("the message ends {missing} bytes too early")]
    Truncated { missing: usize },
    /// A count or length that no honest message of this size can hold, or that is over the fixed limit.
    #[error("a count or length of {count} does not fit in {remaining} remaining bytes")]
    CountTooLarge { count: u64, remaining: usize },
    /// A variable-length integer of more than five bytes.
    #[error("a variable-length integer is longer than five bytes")]
    VarintTooLong,
    /// Null where the schema allows none.
    #[error("null in a field that cannot be null")]
    UnexpectedNull,
    /// Text that is not UTF-8, where it must be.
    #[error("text is not valid UTF-8")]
    InvalidUtf8,
    /// A version that the schema does not define.
    #[error("version {version} of {what} is not known")]
    UnsupportedVersion { what: &'static str, version: i32 },
    /// A record type, control type or API key that nobody defines.
    #[error("{what} {key} is not known")]
    UnknownKey { what: &'static str, key: i64 },
    /// Bytes left over after the last field of a message that must end there.
    #[error("{count} bytes follow the last field")]
    TrailingBytes { count: usize },
    /// Decoding the message would take more memory than a message of its size may.
    #[error("decoding would take about {estimate_bytes} bytes, {budget_bytes} are allowed")]
    TooCostly { estimate_bytes: usize, budget_bytes: usize },
    /// The codec refused what the preflight let pass.
    #[error("the body does not decode: {0}")]
    Codec(String),
}
