//! The one way to wait for partitions to change: mark the watches, read, and if that is not enough wait and
//! run the same read again. There is no polling and no second code path for requests that had to wait.
//!
//! It knows nothing of requests: a watch is woken, a reader reads.

use parking_lot::Mutex;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// Reads now, and again whenever one of `watches` was woken, until `read` has enough or `deadline` passes;
/// then the last thing read is the result.
///
/// The waiter is registered before the first read, so a change after a read always leads to another one.
pub async fn until<'a, T>(
    watches: impl IntoIterator<Item = &'a Watch>,
    deadline: Instant,
    mut read: impl FnMut() -> Step<T>,
) -> T {
    let waiter = Waiter::register(watches);
    let mut expired = false;
    loop {
        match read() {
            Step::Enough(value) => return value,
            Step::NotYet(value) if expired => return value,
            Step::NotYet(_) => {}
        }
        // The clock is asked as well: a watch that is woken without pause must not outlast the deadline.
        expired = timeout_at(deadline, waiter.woken.notified()).await.is_err() || Instant::now() >= deadline;
    }
}

/// What a read found.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<T> {
    Enough(T),
    /// Worth returning only when the time is over.
    NotYet(T),
}

/// Something whose changes can be waited for. Costs nothing while nobody waits.
#[derive(Debug, Default)]
pub struct Watch {
    /// By waiter; one that goes away takes itself out, so the list is never longer than the waiters there are.
    waiters: Mutex<BTreeMap<u64, Arc<Notify>>>,
}

impl Watch {
    /// Makes everyone who waits here read again.
    pub fn wake(&self) {
        for waiter in self.waiters.lock().values() {
            // Leaves a permit when the waiter is still reading: it will read once more.
            waiter.notify_one();
        }
    }

    /// How many wait here now.
    pub fn waiting(&self) -> usize {
        self.waiters.lock().len()
    }
}

/// One waiting reader, registered with every watch it reads from.
struct Waiter<'a> {
    id: u64,
    woken: Arc<Notify>,
    watches: Vec<&'a Watch>,
}

impl<'a> Waiter<'a> {
    fn register(watches: impl IntoIterator<Item = &'a Watch>) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let woken = Arc::new(Notify::new());
        let watches: Vec<&Watch> = watches.into_iter().collect();
        for watch in &watches {
            watch.waiters.lock().insert(id, woken.clone());
        }
        Self { id, woken, watches }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        for watch in &self.watches {
            watch.waiters.lock().remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicI64, AtomicUsize},
        time::Duration,
    };

    fn in_seconds(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    /// Something that grows, and how often it was read.
    #[derive(Default)]
    struct Counter {
        watch: Watch,
        end: AtomicI64,
        reads: AtomicUsize,
    }

    impl Counter {
        fn grow(&self) {
            self.end.fetch_add(1, Ordering::SeqCst);
            self.watch.wake();
        }

        async fn wait_for(&self, end: i64, deadline: Instant) -> i64 {
            until([&self.watch], deadline, || {
                self.reads.fetch_add(1, Ordering::SeqCst);
                let now = self.end.load(Ordering::SeqCst);
                if now >= end { Step::Enough(now) } else { Step::NotYet(now) }
            })
            .await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_already_is_returned_without_waiting() {
        let counter = Counter::default();
        counter.grow();
        let start = Instant::now();
        assert_eq!(counter.wait_for(1, in_seconds(5)).await, 1);
        assert_eq!((Instant::now(), counter.reads.load(Ordering::SeqCst)), (start, 1));
    }

    /// FETCH-03: woken by the change itself, after one more read and not at the deadline.
    #[tokio::test(start_paused = true)]
    async fn a_change_wakes_the_waiter_for_exactly_one_more_read() {
        let counter = Arc::new(Counter::default());
        let start = Instant::now();
        let waiting = tokio::spawn({
            let counter = counter.clone();
            async move { counter.wait_for(1, in_seconds(5)).await }
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        counter.grow();
        assert_eq!(waiting.await.expect("the waiter finished"), 1);
        assert_eq!(Instant::now() - start, Duration::from_millis(100));
        assert_eq!(counter.reads.load(Ordering::SeqCst), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_returns_the_last_read() {
        let counter = Counter::default();
        let start = Instant::now();
        assert_eq!(counter.wait_for(1, in_seconds(5)).await, 0);
        assert_eq!(Instant::now() - start, Duration::from_secs(5));
        assert_eq!(counter.reads.load(Ordering::SeqCst), 2, "idle waiting costs nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_between_the_read_and_the_wait_is_not_lost() {
        let counter = Counter::default();
        let start = Instant::now();
        let mut first = true;
        let end = until([&counter.watch], in_seconds(5), || {
            let seen = counter.end.load(Ordering::SeqCst);
            if std::mem::take(&mut first) {
                counter.grow();
            }
            if seen > 0 { Step::Enough(seen) } else { Step::NotYet(seen) }
        })
        .await;
        assert_eq!((end, Instant::now()), (1, start));
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_never_rests_cannot_outlast_the_deadline() {
        let watch = Watch::default();
        let reads = until([&watch], Instant::now(), {
            let mut reads = 0;
            let watch = &watch;
            move || {
                reads += 1;
                watch.wake();
                Step::NotYet(reads)
            }
        })
        .await;
        assert_eq!(reads, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn waiters_that_give_up_or_are_dropped_leave_no_trace() {
        let watches = [Watch::default(), Watch::default()];
        for _ in 0..100 {
            until(&watches, Instant::now(), || Step::NotYet(())).await;
            let dropped = until(&watches, in_seconds(5), || Step::NotYet(()));
            tokio::select! { biased; _ = dropped => unreachable!("nothing wakes it"), () = std::future::ready(()) => {} }
        }
        assert_eq!((watches[0].waiting(), watches[1].waiting()), (0, 0));
    }
}
