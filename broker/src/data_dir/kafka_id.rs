//! Kafka's ids as text: 16 bytes in URL-safe base64 without padding, so 22 characters.

use uuid::Uuid;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Length of an id as text.
pub const TEXT_LEN: usize = 22;

/// A new random id whose text does not start with a dash, which command lines take for an option.
///
/// Kafka's reserved ids (the first hundred numbers) cannot come out: they lack a version 4 id's fixed bits.
pub fn random() -> Uuid {
    loop {
        let id = Uuid::new_v4();
        if id.as_bytes()[0] >> 2 != DASH {
            return id;
        }
    }
}

/// Where `-` is in the alphabet.
const DASH: u8 = 62;

/// The id's text.
pub fn encode(id: Uuid) -> String {
    let mut text = String::with_capacity(TEXT_LEN + 2);
    for chunk in id.as_bytes().chunks(3) {
        let mut bits = 0u32;
        for index in 0..3 {
            bits = bits << 8 | u32::from(chunk.get(index).copied().unwrap_or(0));
        }
        for shift in [18, 12, 6, 0] {
            text.push(char::from(ALPHABET[(bits >> shift & 63) as usize]));
        }
    }
    text.truncate(TEXT_LEN);
    text
}

/// The id that this text stands for; `None` when it is not 22 characters of the alphabet.
pub fn decode(text: &str) -> Option<Uuid> {
    if text.len() != TEXT_LEN {
        return None;
    }
    let mut value = 0u128;
    for (index, byte) in text.bytes().enumerate() {
        let digit = ALPHABET.iter().position(|letter| *letter == byte)? as u128;
        // 22 characters carry 132 bits: the last 4 are not part of the id.
        value = if index + 1 == TEXT_LEN { value << 2 | digit >> 4 } else { value << 6 | digit };
    }
    Some(Uuid::from_u128(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kafkas() {
        assert_eq!(encode(Uuid::from_u128(1)), "AAAAAAAAAAAAAAAAAAAAAQ");
        let id = Uuid::parse_str("c4d764d9-e552-4d2c-acc6-9a23e6a88a5c").expect("a uuid");
        assert_eq!(encode(id), "xNdk2eVSTSysxpoj5qiKXA");
        assert_eq!(decode("xNdk2eVSTSysxpoj5qiKXA"), Some(id));
    }

    #[test]
    fn random_ids_round_trip_and_never_start_with_a_dash() {
        for _ in 0..1000 {
            let id = random();
            let text = encode(id);
            assert!(!text.starts_with('-'), "{text}");
            assert_eq!(decode(&text), Some(id));
        }
    }

    #[test]
    fn other_text_is_no_id() {
        for text in [
            "",
            "AAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAé",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
