//! Bytes that stand in a response for others of the same length, which are sent from elsewhere.
//!
//! The protocol crate encodes bytes that it is handed. A stand-in has the right length and costs no memory, since nobody
//! looks at it: it comes out of the encoder as a segment of its own, to be replaced by whoever sends the frame.

use bytes::Bytes;
use std::sync::OnceLock;

/// The longest stand-in there is.
pub const MAX_BYTES: usize = 64 << 20;

/// Zeros that the system gives without giving memory, as long as nobody reads them.
static BLANK: OnceLock<Bytes> = OnceLock::new();

/// A stand-in of 1 to [`MAX_BYTES`] bytes; `None` for other lengths.
pub fn stand_in(len: usize) -> Option<Bytes> {
    let blank = BLANK.get_or_init(|| vec![0; MAX_BYTES].into());
    (1..=MAX_BYTES).contains(&len).then(|| blank.slice(..len))
}

/// Is this a stand-in, and not bytes to send?
pub fn is_stand_in(bytes: &Bytes) -> bool {
    !bytes.is_empty() && BLANK.get().is_some_and(|blank| blank.as_ptr() == bytes.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_the_length_asked_for_and_are_recognised() {
        for len in [1, 5000, MAX_BYTES] {
            let stand_in = stand_in(len).expect("a legal length");
            assert_eq!(stand_in.len(), len);
            assert!(is_stand_in(&stand_in));
        }
        assert!(stand_in(0).is_none() && stand_in(MAX_BYTES + 1).is_none());
        assert!(!is_stand_in(&Bytes::new()) && !is_stand_in(&Bytes::from(vec![0; 10])));
    }
}
