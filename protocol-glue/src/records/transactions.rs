//! Records of `__transaction_state`: what the transaction coordinator knows of each transactional id.
//!
//! Key and value are laid out as in `__consumer_offsets`; there is one record type, 0, and a null value (not seen here)
//! forgets the id.

use bytes::Bytes;

use super::{Message, split_version};
pub use super::{read_value, write_value};
use crate::DecodeError;

messages! {
    /// Which transactional id a record is about.
    TransactionKey (versions 0..=0) {
        transactional_id: String [0..],
    }

    /// The state of a transactional id. Version 1 came with KIP-890.
    TransactionValue (versions 0..=1, flexible 1) {
        producer_id: i64 [0..],
        /// The producer id of the last completed transaction, or -1.
        previous_producer_id: i64 [1..] tag 0 = -1,
        /// The producer id that the next transaction will have, when the epochs of this one are used up, or -1.
        next_producer_id: i64 [1..] tag 1 = -1,
        producer_epoch: i16 [0..],
        /// The epoch that goes with `next_producer_id`, or -1.
        next_producer_epoch: i16 [1..] tag 3 = -1,
        transaction_timeout_ms: i32 [0..],
        /// 0 empty, 1 ongoing, 2 prepare commit, 3 prepare abort, 4 complete commit, 5 complete abort, 6 dead,
        /// 7 prepare epoch fence.
        transaction_status: i8 [0..],
        transaction_partitions: Option<Vec<TransactionPartitions>> [0..],
        transaction_last_update_timestamp_ms: i64 [0..],
        transaction_start_timestamp_ms: i64 [0..],
        /// The level of transaction.version that the client works by.
        client_transaction_version: i16 [1..] tag 2,
    }

    /// The partitions of one topic in a transaction.
    TransactionPartitions {
        topic: String [0..],
        partition_ids: Vec<i32> [0..],
    }
}

/// Reads the key of a record.
pub fn read_key(key: &[u8]) -> Result<TransactionKey, DecodeError> {
    let (kind, mut body) = split_version(key)?;
    TransactionKey::decode(kind, &mut body)
}

/// Writes the key of a record.
pub fn write_key(key: &TransactionKey) -> Bytes {
    write_value(key, 0)
}
