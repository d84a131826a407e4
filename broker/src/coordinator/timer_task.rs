//! Waking up for the first deadline, also when an earlier one is set meanwhile.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use tokio::sync::Notify;

/// The one sleeper of a coordinator. Most deadlines are moved away before they come (every heartbeat does that), so
/// nobody tells the sleeper of a later one: it wakes up in vain, and looks again.
pub(super) struct Alarm {
    /// Until when it sleeps. The lowest number while it is awake: it will look at the deadlines by itself.
    sleeps_until_ms: AtomicI64,
    earlier: Notify,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { sleeps_until_ms: AtomicI64::new(i64::MIN), earlier: Notify::new() }
    }
}

impl Alarm {
    /// A deadline was set, and can be seen by the function that was given to [`Alarm::wait`].
    pub fn watch(&self, deadline_ms: i64) {
        if deadline_ms < self.sleeps_until_ms.load(Ordering::SeqCst) {
            self.earlier.notify_one();
        }
    }

    /// Waits until the earliest deadline may have come.
    pub async fn wait(&self, earliest_ms: impl Fn() -> i64, tick_ms: impl Fn() -> i64) {
        // Whoever sets a deadline from here on wakes us; whoever set one before is seen.
        self.sleeps_until_ms.store(i64::MAX, Ordering::SeqCst);
        let until_ms = earliest_ms();
        self.sleeps_until_ms.store(until_ms, Ordering::SeqCst);
        let delay_ms = u64::try_from(until_ms.saturating_sub(tick_ms())).unwrap_or_default();
        // Either end is fine: the caller looks at the deadlines.
        let _ = tokio::time::timeout(Duration::from_millis(delay_ms), self.earlier.notified()).await;
        self.sleeps_until_ms.store(i64::MIN, Ordering::SeqCst);
    }
}
