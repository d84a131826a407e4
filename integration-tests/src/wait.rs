//! The one place where a test waits for something that no answer announces (retention, a process that ends).

use std::{
    thread,
    time::{Duration, Instant},
};

/// How often a condition is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Asks until `condition` holds; panics with `what` when `within` has passed.
pub fn eventually(what: &str, within: Duration, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within {within:?}");
        thread::sleep(LOOK_AGAIN);
    }
}
