//! The length that stands before every message, in both directions.
//!
//! Pure rules over bytes; reading them from somewhere is the connection's matter.

use bytes::{Buf, Bytes, BytesMut};
use thiserror::Error;

/// Size of the length that stands before every message.
pub const LENGTH_BYTES: usize = 4;

/// A length that ends the connection, without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    #[error("the frame length {0} is negative")]
    Negative(i32),
    #[error("the frame length {length_bytes} is over the limit of {max_bytes}")]
    TooLarge { length_bytes: usize, max_bytes: usize },
}

/// The size in bytes of the message after `prefix`. Zero is a size like any other here: such a message has no header
/// and fails there, but unfinished SASL (SaslHandshake v0) may send empty tokens.
pub fn length(prefix: [u8; LENGTH_BYTES], max_bytes: usize) -> Result<usize, FrameError> {
    let length = i32::from_be_bytes(prefix);
    let length_bytes = usize::try_from(length).map_err(|_| FrameError::Negative(length))?;
    if length_bytes > max_bytes {
        return Err(FrameError::TooLarge { length_bytes, max_bytes });
    }
    Ok(length_bytes)
}

/// Takes the first message, without its length, off the front of `received`, or `None` while it is not all there.
/// Copies nothing, and reserves nothing: how much to read at once is the reader's decision, so that nobody holds memory
/// for bytes that were only announced.
pub fn take(received: &mut BytesMut, max_bytes: usize) -> Result<Option<Bytes>, FrameError> {
    let Some(prefix) = received.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length_bytes = length(*prefix, max_bytes)?;
    if received.len() - LENGTH_BYTES < length_bytes {
        return Ok(None);
    }
    received.advance(LENGTH_BYTES);
    Ok(Some(received.split_to(length_bytes).freeze()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 104_857_600;

    #[test]
    fn a_length_up_to_the_limit_is_taken() {
        assert_eq!(length([0, 0, 0, 0], MAX), Ok(0));
        assert_eq!(length([0, 0, 1, 2], MAX), Ok(258));
        assert_eq!(length(104_857_600i32.to_be_bytes(), MAX), Ok(MAX));
    }

    /// WIRE-04, WIRE-05
    #[test]
    fn a_length_that_is_negative_or_over_the_limit_is_refused() {
        assert_eq!(length([255; 4], MAX), Err(FrameError::Negative(-1)));
        assert_eq!(length([0x80, 0, 0, 0], MAX), Err(FrameError::Negative(i32::MIN)));
        let refused = |length_bytes| Err(FrameError::TooLarge { length_bytes, max_bytes: MAX });
        assert_eq!(length(104_857_601i32.to_be_bytes(), MAX), refused(MAX + 1));
        assert_eq!(length(*b"GET ", MAX), refused(0x4745_5420));
    }

    #[test]
    fn messages_come_out_whole_however_the_bytes_arrive() {
        let sent = [0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 9];
        let mut received = BytesMut::new();
        let mut messages = Vec::new();
        for byte in sent {
            received.extend_from_slice(&[byte]);
            while let Some(message) = take(&mut received, MAX).expect("honest lengths") {
                messages.push(message.to_vec());
            }
        }
        assert_eq!(messages, [vec![1, 2, 3], vec![], vec![9]]);
        assert!(received.is_empty());
    }

    /// WIRE-04
    #[test]
    fn an_announced_length_reserves_no_memory() {
        let mut received = BytesMut::from(&104_857_600i32.to_be_bytes()[..]);
        assert_eq!(take(&mut received, MAX), Ok(None));
        assert!(received.capacity() < 1000);
    }
}
