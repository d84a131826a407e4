//! Validation of a client's batch, within a total budget for decompression: many bombs at once must neither
//! make the broker grow nor keep its threads from other connections.
//!
//! `storage` decompresses as a stream, so what a batch needs is its codec's working memory; what it may cost is
//! time, which only its codec's worst ratio bounds.

use super::shape::Codec;
use bytes::Bytes;
use std::sync::Arc;
use storage::batch::{Rejected, Rules, TargetCodec, ValidBatch, validate};
use tokio::sync::Semaphore;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// A semaphore counts to less than bytes may need.
const BYTES_PER_PERMIT: usize = KIB;
/// A runtime thread may walk so much, about a millisecond; more goes to a blocking thread.
const INLINE_BYTES: usize = 2 * MIB;
/// Compressing is slower than walking by this much.
const COMPRESSION_COST: usize = 64;

/// Bytes that all decompression together may use.
#[derive(Clone)]
pub struct DecompressionBudget {
    permits: Arc<Semaphore>,
    total: u32,
}

impl DecompressionBudget {
    pub fn new(total_bytes: usize) -> Self {
        let total = u32::try_from(total_bytes / BYTES_PER_PERMIT).unwrap_or(u32::MAX).max(1);
        Self { permits: Arc::new(Semaphore::new(total as usize)), total }
    }

    /// Checks a batch against the rules of its log, outside any lock. Waits while the budget is used up.
    pub(super) async fn validate(
        &self,
        records: Bytes,
        rules: Rules,
        codec: Codec,
    ) -> Result<ValidBatch, Rejected> {
        // Not compressed: no working memory, no waiting.
        let room = working_bytes(codec, records.len()).div_ceil(BYTES_PER_PERMIT);
        let room = u32::try_from(room).unwrap_or(u32::MAX).min(self.total);
        let _room = self.permits.acquire_many(room).await.expect("the semaphore is never closed");
        if work(codec, records.len(), rules.target) <= INLINE_BYTES {
            return validate(records, &rules);
        }
        tokio::task::spawn_blocking(move || validate(records, &rules))
            .await
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

/// Memory that a decompressing stream holds.
fn working_bytes(codec: Codec, len: usize) -> usize {
    match codec {
        Codec::None | Codec::Unknown => 0,
        Codec::Gzip => 128 * KIB,
        // A block is decompressed whole.
        Codec::Snappy => len.saturating_mul(worst_ratio(codec)),
        // Two blocks of the largest size.
        Codec::Lz4 => 8 * MIB,
        // The window that stock clients' levels ask for, and some.
        Codec::Zstd => 16 * MIB,
    }
}

/// Bytes to walk at worst; compressing again counts for more.
fn work(codec: Codec, len: usize, target: TargetCodec) -> usize {
    let walked = len.saturating_mul(worst_ratio(codec));
    match target {
        TargetCodec::Producer => walked,
        TargetCodec::Fixed { .. } => walked.saturating_mul(COMPRESSION_COST),
    }
}

/// How many bytes one byte can become.
fn worst_ratio(codec: Codec) -> usize {
    match codec {
        Codec::None | Codec::Unknown => 1,
        Codec::Snappy => 22,
        Codec::Lz4 => 255,
        Codec::Gzip => 1032,
        Codec::Zstd => 40_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bombs_wait_for_each_other_and_plain_batches_for_nobody() {
        let budget = DecompressionBudget::new(MIB);
        for codec in [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
            assert!(working_bytes(codec, 100 * KIB) > 0, "{codec:?}");
        }
        assert_eq!(working_bytes(Codec::None, 100 * MIB), 0);
        assert_eq!(budget.total as usize, budget.permits.available_permits());
    }

    #[test]
    fn what_may_take_long_leaves_the_runtime_threads() {
        let inline = |codec, len, target| work(codec, len, target) <= INLINE_BYTES;
        let gzip = TargetCodec::Fixed { codec: storage::batch::Codec::Gzip, level: None };
        assert!(inline(Codec::None, MIB, TargetCodec::Producer));
        assert!(inline(Codec::Lz4, 4 * KIB, TargetCodec::Producer));
        assert!(inline(Codec::Snappy, 64 * KIB, TargetCodec::Producer));
        assert!(!inline(Codec::Zstd, KIB, TargetCodec::Producer), "this can become 40 MB");
        assert!(!inline(Codec::None, MIB, gzip));
    }
}
