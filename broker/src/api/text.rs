//! Text of our own in the form that the messages want it.

use kafka_protocol::protocol::StrBytes;

/// A copy of `value` for a message.
pub(super) fn text(value: &str) -> StrBytes {
    StrBytes::from_string(value.to_owned())
}

/// A copy of a text that may be absent, for a message.
pub(super) fn optional_text(value: Option<&str>) -> Option<StrBytes> {
    value.map(text)
}
