//! Time as coordinators see it: one clock for what is written down, one for what is waited for.

use crate::wall_clock::now_ms;

/// The moment at which something is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds since 1970; goes into records and may jump.
    pub wall_ms: i64,
    /// Milliseconds since some fixed moment; never goes back. Sessions are measured with it, so that a corrected
    /// system clock expires nobody.
    pub tick_ms: i64,
}

/// Where a runtime takes the time from.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Now;
}

/// The machine's clock. Its ticks are tokio's, which a test can pause.
#[derive(Debug)]
pub struct SystemClock {
    start: tokio::time::Instant,
}

impl SystemClock {
    /// A clock whose ticks start now.
    pub fn new() -> Self {
        Self { start: tokio::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Now {
        Now {
            wall_ms: now_ms(),
            tick_ms: i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX),
        }
    }
}
