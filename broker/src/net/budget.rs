//! The bound on request bytes in flight in the whole broker (D12): over it, connections stop reading.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits are counted in KiB, so that a budget of terabytes still fits a semaphore.
const UNIT_BYTES: usize = 1024;

/// Used when `queued.max.request.bytes` is off: enough for a largest legal frame and a crowd of usual ones.
const DEFAULT_BYTES: usize = 128 << 20;

/// How long a connection waits for room before it is closed: whoever holds a part of a frame and never sends
/// the rest must not block the others for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shared allowance of bytes.
#[derive(Clone, Debug)]
pub struct Budget {
    units: Arc<Semaphore>,
    total: usize,
    waiting: Arc<AtomicUsize>,
}

/// Bytes taken from a [`Budget`]; dropping it gives them back.
#[derive(Debug, Default)]
pub struct Share {
    permit: Option<OwnedSemaphorePermit>,
}

impl Budget {
    /// `bytes` ≤ 0 means the default.
    pub fn new(bytes: i64, largest_frame: usize) -> Self {
        let bytes = if bytes > 0 { bytes as usize } else { DEFAULT_BYTES };
        // A budget below one frame would refuse that frame for ever.
        let total = bytes.max(largest_frame).div_ceil(UNIT_BYTES).min(Semaphore::MAX_PERMITS);
        Budget { units: Arc::new(Semaphore::new(total)), total, waiting: Arc::default() }
    }

    /// Does anybody wait for room?
    pub fn is_short(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Makes `share` cover at least `bytes`, waiting for room; `false` when none came in time.
    pub async fn grow(&self, share: &mut Share, bytes: usize) -> bool {
        let wanted = bytes.div_ceil(UNIT_BYTES).min(self.total);
        let held = share.permit.as_ref().map_or(0, |p| p.num_permits());
        if wanted <= held {
            return true;
        }
        let more = self.units.clone().acquire_many_owned((wanted - held) as u32);
        let _waiting = Waiting::new(&self.waiting);
        match tokio::time::timeout(PATIENCE, more).await {
            Ok(Ok(permit)) => {
                match &mut share.permit {
                    Some(held) => held.merge(permit),
                    None => share.permit = Some(permit),
                }
                true
            }
            Ok(Err(_closed)) => false,
            Err(_elapsed) => false,
        }
    }
}

/// Somebody who waits for room.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn over_the_budget_a_share_waits_until_another_is_given_back() {
        let budget = Budget::new(10 * 1024, 1024);
        let (mut first, mut second) = (Share::default(), Share::default());
        assert!(budget.grow(&mut first, 8 * 1024).await);
        assert!(!budget.grow(&mut second, 4 * 1024).await, "there are only 2 KiB left");
        drop(first);
        assert!(budget.grow(&mut second, 4 * 1024).await);
    }

    #[tokio::test]
    async fn a_budget_is_never_smaller_than_one_frame() {
        let budget = Budget::new(1, 100 * 1024);
        assert!(budget.grow(&mut Share::default(), 100 * 1024).await);
    }
}
