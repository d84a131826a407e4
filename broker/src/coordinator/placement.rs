//! Which partition of an internal topic is responsible for a key.

/// The partition out of `partition_count` for a group or transactional id: the absolute value of Java's string hash,
/// modulo. Kafka's own choice; clients' tools and data directories that move between brokers depend on it.
///
/// # Panics
/// If `partition_count` is not positive.
pub fn partition_for(key: &str, partition_count: i32) -> i32 {
    assert!(partition_count > 0, "a topic has at least one partition");
    // The one value without a positive counterpart counts as 0.
    java_string_hash(key).checked_abs().unwrap_or(0) % partition_count
}

/// `String.hashCode` of Java: 31·h + unit over the UTF-16 units, wrapping.
pub(super) fn java_string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_live_where_kafka_puts_them() {
        assert_eq!(java_string_hash("my-group"), -1_906_497_762);
        assert_eq!(partition_for("my-group", 50), 12);
        assert_eq!(partition_for("test", 50), 48);
        assert_eq!(partition_for("console-consumer-1", 50), 24);
        assert_eq!(partition_for("", 50), 0);
    }

    #[test]
    fn characters_outside_the_basic_plane_count_as_two_units() {
        assert_eq!(java_string_hash("😀"), 0xD83D * 31 + 0xDE00);
    }

    /// The text is known to hash to the smallest 32-bit number, whose absolute value does not exist.
    #[test]
    fn smallest_hash_goes_to_partition_zero() {
        assert_eq!(java_string_hash("polygenelubricants"), i32::MIN);
        assert_eq!(partition_for("polygenelubricants", 50), 0);
    }
}
