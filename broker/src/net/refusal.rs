//! One log line per refusal: who, what, why, and what to change.

use std::net::SocketAddr;

/// Logs that the connection of `peer` was closed or not taken, and why.
pub(super) fn log(peer: SocketAddr, listener: &str, why: &str) {
    tracing::warn!(client = %peer, listener, "connection closed: {why}");
}

/// What the first bytes of something that is no Kafka frame look like, with advice; `None` for plain garbage.
pub(super) fn looks_like(start: &[u8]) -> Option<&'static str> {
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

    /// WIRE-05
    #[test]
    fn http_and_tls_are_recognised() {
        assert!(looks_like(b"GET / HTTP/1.1").expect("HTTP").contains("HTTP"));
        assert!(looks_like(&[0x16, 3, 1, 2]).expect("TLS").contains("TLS"));
        assert_eq!(looks_like(&[0xff; 4]), None);
    }
}
