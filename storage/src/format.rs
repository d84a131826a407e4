//! Every constant of the on-disk format, shared by writer, reader and recovery.
//!
//! `docs/log-format.md` draws what is named here; a change starts in that document.

/// Positions inside the header of a version 2 record batch, in bytes from its start.
pub(crate) mod at {
    pub const BASE_OFFSET: usize = 0;
    pub const BATCH_LENGTH: usize = 8;
    pub const LEADER_EPOCH: usize = 12;
    pub const MAGIC: usize = 16;
    pub const CRC: usize = 17;
    pub const ATTRIBUTES: usize = 21;
    pub const LAST_OFFSET_DELTA: usize = 23;
    pub const BASE_TIMESTAMP: usize = 27;
    pub const MAX_TIMESTAMP: usize = 35;
    pub const PRODUCER_ID: usize = 43;
    pub const PRODUCER_EPOCH: usize = 51;
    pub const BASE_SEQUENCE: usize = 53;
    pub const RECORD_COUNT: usize = 57;
}

/// Length of a version 2 batch header.
pub const HEADER_LEN: usize = 61;
/// Base offset and batch length: what the batch length does not count.
pub(crate) const LENGTH_PREFIX_LEN: usize = 12;
/// Everything up to and with the magic byte, which all versions of the format share.
pub(crate) const UP_TO_MAGIC_LEN: usize = 17;
/// The smallest batch length that any version of the format can have (a version 0 message).
pub(crate) const SMALLEST_BATCH_LENGTH: i32 = 14;
/// The smallest batch length of version 2: the rest of the header.
pub(crate) const SMALLEST_V2_BATCH_LENGTH: i32 = (HEADER_LEN - LENGTH_PREFIX_LEN) as i32;
pub(crate) const MAGIC_V2: i8 = 2;

/// Bits of a batch's attributes.
pub(crate) mod attribute {
    pub const CODEC_MASK: i16 = 0b111;
    pub const LOG_APPEND_TIME: i16 = 1 << 3;
    pub const TRANSACTIONAL: i16 = 1 << 4;
    pub const CONTROL: i16 = 1 << 5;
}

/// "No timestamp" in a record and in a batch.
pub(crate) const NO_TIMESTAMP: i64 = -1;

/// Digits of a file name: the base offset, padded with zeros.
const NAME_DIGITS: usize = 20;

/// Endings of the files of a segment.
pub(crate) mod suffix {
    pub const LOG: &str = ".log";
    pub const INDEX: &str = ".index";
    pub const TIME_INDEX: &str = ".timeindex";
    pub const TXN_INDEX: &str = ".txnindex";
    pub const SNAPSHOT: &str = ".snapshot";
    /// Waiting for its deletion.
    pub const DELETED: &str = ".deleted";
    /// Being built by compaction.
    pub const CLEANED: &str = ".cleaned";
    /// Complete, about to replace the segments it was made from.
    pub const SWAP: &str = ".swap";
    /// A checkpoint that is not yet in place.
    pub const TEMPORARY: &str = ".tmp";
}

pub(crate) const EPOCH_CHECKPOINT: &str = "leader-epoch-checkpoint";
/// First line of every checkpoint file.
pub(crate) const CHECKPOINT_VERSION: &str = "0";

/// Offset index: relative last offset (i32) and file position (i32).
pub(crate) const OFFSET_ENTRY_LEN: usize = 8;
/// Time index: timestamp (i64) and relative last offset (i32).
pub(crate) const TIME_ENTRY_LEN: usize = 12;

/// Producer snapshot: version i16, CRC u32 of all that follows it, count i32, entries.
pub(crate) const SNAPSHOT_VERSION: i16 = 1;
pub(crate) const SNAPSHOT_CRC_AT: usize = 2;
pub(crate) const SNAPSHOT_CHECKED_FROM: usize = 6;
pub(crate) const SNAPSHOT_HEADER_LEN: usize = 10;
pub(crate) const SNAPSHOT_ENTRY_LEN: usize = 8 + 2 + 4 + 8 + 4 + 8 + 4 + 8;

/// Control record types that end a transaction.
pub(crate) const CONTROL_ABORT: i16 = 0;
pub(crate) const CONTROL_COMMIT: i16 = 1;

/// `00000000000000000042.log` for 42 and `.log`.
pub(crate) fn file_name(offset: i64, suffix: &str) -> String {
    format!("{offset:0width$}{suffix}", width = NAME_DIGITS)
}

/// The offset in a file name, and what follows its digits.
pub(crate) fn parse_name(name: &str) -> Option<(i64, &str)> {
    let (digits, rest) = (name.get(..NAME_DIGITS)?, name.get(NAME_DIGITS..)?);
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

/// CRC-32C (Castagnoli) of several stretches in a row.
pub(crate) fn crc32c(parts: &[&[u8]]) -> u32 {
    if let [only] = parts {
        return crc_fast::crc32_iscsi(only);
    }
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    for part in parts {
        digest.update(part);
    }
    digest.finalize() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_twenty_digits() {
        assert_eq!(file_name(42, suffix::LOG), "00000000000000000042.log");
        assert_eq!(parse_name("00000000000000000042.log"), Some((42, ".log")));
        assert_eq!(parse_name("00000000000000000042.log.deleted"), Some((42, ".log.deleted")));
        for foreign in
            ["leader-epoch-checkpoint", "42.log", "", "0000000000000000004x.log", "99999999999999999999.log"]
        {
            assert_eq!(parse_name(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn crc_is_castagnoli_and_can_be_taken_in_parts() {
        assert_eq!(crc32c(&[b"123456789"]), 0xE306_9283);
        assert_eq!(crc32c(&[b"1234", b"", b"56789"]), 0xE306_9283);
    }
}
