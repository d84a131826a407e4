//! Text of our own in the form that the messages want it.

use kafka_protocol::protocol::StrBytes;

/// A copy of `value` for a message.
pub(super) fn text(value: &str) -> StrBytes {
    StrBytes::from_string(value.to_owned())
}

/// Most bytes of a message for the person at the client.
const MAX_MESSAGE_BYTES: usize = 1000;

/// A message, cut when what it quotes is long: a name of 32 KiB in it would not fit the older encodings.
pub(super) fn message(mut value: String) -> StrBytes {
    if value.len() > MAX_MESSAGE_BYTES {
        value.truncate(value.floor_char_boundary(MAX_MESSAGE_BYTES));
        value.push('…');
    }
    StrBytes::from_string(value)
}

/// A copy of a text that may be absent, for a message.
pub(super) fn optional_text(value: Option<&str>) -> Option<StrBytes> {
    value.map(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_between_characters() {
        assert_eq!(message("é".into()).as_str(), "é");
        let cut = message("xé".repeat(20_000));
        assert!(cut.len() < 1010 && cut.ends_with('…'), "{} bytes", cut.len());
    }
}
