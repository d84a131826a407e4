//! Which names a topic may have.

/// The topic that keeps groups and committed offsets.
pub const OFFSETS: &str = "__consumer_offsets";

/// The topics that the broker itself keeps; clients see them marked as internal.
const INTERNAL: [&str; 3] = [OFFSETS, "__transaction_state", "__share_group_state"];

/// The topic that the metadata log goes by; never a topic that clients can create or see.
pub const CLUSTER_METADATA: &str = "__cluster_metadata";

/// Longest legal name: folder names are limited, and the partition number comes after it.
const MAX_LEN: usize = 249;

pub fn is_internal(name: &str) -> bool {
    INTERNAL.contains(&name)
}

/// The error says what is wrong, in words for a client.
pub fn check(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("A topic name must not be empty.".to_owned());
    }
    if name == "." || name == ".." {
        return Err(format!("Topic name '{name}' is not allowed."));
    }
    if name.len() > MAX_LEN {
        return Err(format!("A topic name may have {MAX_LEN} characters, this one has {}.", name.len()));
    }
    if !name.bytes().all(is_legal) {
        return Err(format!(
            "Topic name '{}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'.",
            name.escape_default()
        ));
    }
    Ok(())
}

/// Could these be mistaken for each other? Kafka's metric names replace dots by underscores, so it refuses the
/// second of two names that differ only there. A name collides with itself.
pub fn collide(one: &str, other: &str) -> bool {
    let unify = |byte: u8| if byte == b'.' { b'_' } else { byte };
    one.len() == other.len() && one.bytes().map(unify).eq(other.bytes().map(unify))
}

/// Has the name a character that can collide at all?
pub fn can_collide(name: &str) -> bool {
    name.contains(['.', '_'])
}

fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// META-06
    #[test]
    fn names_are_checked_as_kafka_does() {
        for good in ["a", "A.b_c-d", &"x".repeat(249), "...", "__foo", "-"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", ".", "..", &"x".repeat(250), "a b", "é", "a/b", "a:b", "a\0b"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    /// Kafka's tools are scripted against these.
    #[test]
    fn refusals_are_worded_as_kafka_words_them() {
        assert_eq!(check(".."), Err("Topic name '..' is not allowed.".to_owned()));
        let message = check("bad name").expect_err("a blank is not legal");
        assert!(
            message.contains("contains one or more characters other than ASCII alphanumerics"),
            "{message}"
        );
    }

    /// META-07
    #[test]
    fn dots_and_underscores_collide() {
        assert!(collide("a.b", "a_b"));
        assert!(collide("a_b_c", "a.b.c"));
        assert!(collide("a.b_c", "a_b.c"));
        assert!(!collide("a-b", "a_b"));
        assert!(!collide("a.b", "a_bc"));
    }
}
