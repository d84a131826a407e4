//! One log line per refusal: who, what, why, and what to change. A flood of refusals is thinned out.

use parking_lot::Mutex;
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

/// Lines a second before the rest is only counted.
const LINES_PER_SECOND: u32 = 10;

/// Writes refusals, at most [`LINES_PER_SECOND`], so that a client cannot fill the disk with log lines.
#[derive(Debug)]
pub struct RefusalLog {
    window: Mutex<Window>,
}

#[derive(Debug)]
struct Window {
    since: Instant,
    written: u32,
    left_out: u64,
}

impl Default for RefusalLog {
    fn default() -> Self {
        RefusalLog { window: Mutex::new(Window { since: Instant::now(), written: 0, left_out: 0 }) }
    }
}

impl RefusalLog {
    /// Logs that the connection of `peer` was closed or not taken, and why.
    pub fn write(&self, peer: SocketAddr, listener: &str, why: &str) {
        if let Some(left_out) = self.admit(Instant::now()) {
            if left_out > 0 {
                tracing::warn!("{left_out} further refusals were not logged");
            }
            tracing::warn!(client = %peer, listener, "connection closed: {why}");
        }
    }

    /// How many lines were left out since the last one, or `None` when this one is left out too.
    fn admit(&self, now: Instant) -> Option<u64> {
        let mut window = self.window.lock();
        if now.duration_since(window.since) >= Duration::from_secs(1) {
            window.since = now;
            window.written = 0;
        }
        if window.written < LINES_PER_SECOND {
            window.written += 1;
            Some(std::mem::take(&mut window.left_out))
        } else {
            window.left_out += 1;
            None
        }
    }
}

/// What the first bytes of something that is no Kafka frame look like, with advice; `None` for plain garbage.
pub fn looks_like(start: &[u8]) -> Option<&'static str> {
    const HTTP: [&[u8]; 7] = [b"GET ", b"POST", b"HEAD", b"PUT ", b"DELE", b"OPTI", b"CONN"];
    if HTTP.iter().any(|verb| start.starts_with(verb)) {
        Some(
            "this looks like HTTP; point the browser or health check at another port, this one speaks the Kafka protocol",
        )
    } else if start.starts_with(&[0x16, 0x03]) {
        Some(
            "this looks like a TLS hello; this listener is PLAINTEXT, so set security.protocol=PLAINTEXT in the client",
        )
    } else if start.starts_with(b"SSH-") {
        Some("this looks like SSH")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refusals_is_thinned_out_and_counted() {
        let log = RefusalLog::default();
        let start = Instant::now();
        let written = (0..1000).filter(|_| log.admit(start).is_some()).count();
        assert_eq!(written, LINES_PER_SECOND as usize);
        assert_eq!(log.admit(start + Duration::from_secs(2)), Some(990));
    }

    /// WIRE-05
    #[test]
    fn http_and_tls_are_recognised() {
        assert!(looks_like(b"GET / HTTP/1.1").expect("HTTP").contains("HTTP"));
        assert!(looks_like(&[0x16, 3, 1, 2]).expect("TLS").contains("TLS"));
        assert_eq!(looks_like(&[0xff; 4]), None);
    }
}
