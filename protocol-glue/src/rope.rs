//! A buffer that encoders write into and that takes large payloads in as they are instead of copying them.
//!
//! The protocol crate's encoders only know how to copy a slice. The writer is told beforehand which payloads will come,
//! in their order, and recognises each by address and length; whatever it does not recognise is copied, so a payload
//! that never comes, or comes late, costs a copy and nothing else.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::buf::UninitSlice;
use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::protocol::buf::ByteBufMut;

/// A payload below this is cheaper to copy than to send as a segment of its own.
pub(crate) const SHARED_FROM_BYTES: usize = 4096;

/// Bytes in several pieces, for a vectored write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rope {
    /// None of them is empty.
    pub segments: Vec<Bytes>,
    /// The sum of their lengths.
    pub len: usize,
}

impl Rope {
    /// All of it in one piece, for tests and small messages: copies unless there is one segment only.
    pub fn to_bytes(&self) -> Bytes {
        match &self.segments[..] {
            [only] => only.clone(),
            several => several.concat().into(),
        }
    }
}

/// Where a [`Rope`] is written.
pub(crate) struct RopeWriter {
    /// What came before `tail`: own pieces and shared ones.
    segments: Vec<Segment>,
    segments_bytes: usize,
    tail: BytesMut,
    expected: VecDeque<Bytes>,
}

enum Segment {
    Own(BytesMut),
    Shared(Bytes),
}

impl RopeWriter {
    /// A writer with room for `capacity` bytes of its own, to which the `payloads` will be written in this order.
    pub(crate) fn new(capacity: usize, payloads: impl IntoIterator<Item = Bytes>) -> Self {
        let expected = payloads.into_iter().filter(|payload| payload.len() >= SHARED_FROM_BYTES).collect();
        Self { segments: Vec::new(), segments_bytes: 0, tail: BytesMut::with_capacity(capacity), expected }
    }

    /// Ends the rope. The first bytes, as many as `prefix` has, were written to be replaced by it.
    pub(crate) fn finish<const N: usize>(mut self, prefix: [u8; N]) -> Rope {
        let len = self.offset();
        self.end_own_piece();
        match self.segments.first_mut() {
            Some(Segment::Own(first)) => first[..N].copy_from_slice(&prefix),
            _ => assert_eq!(N, 0, "a prefix replaces bytes that were written first"),
        }
        let freeze = |segment| match segment {
            Segment::Own(bytes) => bytes.freeze(),
            Segment::Shared(bytes) => bytes,
        };
        Rope { segments: self.segments.into_iter().map(freeze).collect(), len }
    }

    fn end_own_piece(&mut self) {
        if !self.tail.is_empty() {
            self.segments_bytes += self.tail.len();
            self.segments.push(Segment::Own(self.tail.split()));
        }
    }

    /// The payload that `source` is, if it is the next to come.
    fn recognise(&mut self, source: &[u8]) -> Option<Bytes> {
        let next = self.expected.front()?;
        let same = next.len() == source.len() && next.as_ptr() == source.as_ptr();
        if same { self.expected.pop_front() } else { None }
    }
}

// SAFETY: `chunk_mut` and `advance_mut` are those of `tail`, a `BytesMut`, whose own implementation keeps the contract;
// `remaining_mut` promises no more than it does. `put_slice` reads `source` only through safe operations.
#[allow(unsafe_code)]
unsafe impl BufMut for RopeWriter {
    fn remaining_mut(&self) -> usize {
        self.tail.remaining_mut()
    }

    unsafe fn advance_mut(&mut self, count: usize) {
        // SAFETY: the caller initialised `count` bytes of `chunk_mut`, which is the tail's.
        unsafe { self.tail.advance_mut(count) }
    }

    fn chunk_mut(&mut self) -> &mut UninitSlice {
        self.tail.chunk_mut()
    }

    fn put_slice(&mut self, source: &[u8]) {
        match self.recognise(source) {
            Some(payload) => {
                self.end_own_piece();
                self.segments_bytes += payload.len();
                self.segments.push(Segment::Shared(payload));
            }
            None => self.tail.put_slice(source),
        }
    }
}

/// The crate's own addition, for encoders that leave a gap and fill it later. Those of messages do not.
impl ByteBufMut for RopeWriter {
    fn offset(&self) -> usize {
        self.segments_bytes + self.tail.len()
    }

    fn seek(&mut self, offset: usize) {
        let ahead =
            offset.checked_sub(self.segments_bytes).expect("a rope is not shortened into its segments");
        self.tail.resize(ahead, 0);
    }

    fn range(&mut self, range: Range<usize>) -> &mut [u8] {
        let start =
            range.start.checked_sub(self.segments_bytes).expect("a gap is filled before the next payload");
        let end = range.end - self.segments_bytes;
        &mut self.tail[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_becomes_a_segment_and_the_rest_is_copied() {
        let payload = Bytes::from(vec![7; SHARED_FROM_BYTES]);
        let mut writer = RopeWriter::new(16, [payload.clone()]);
        writer.put_i32(0);
        writer.put_slice(b"ab");
        writer.put_slice(&payload);
        writer.put_u8(9);
        assert_eq!(writer.offset(), 4 + 2 + SHARED_FROM_BYTES + 1);
        let rope = writer.finish([1, 2, 3, 4]);
        assert_eq!(rope.segments, [&b"\x01\x02\x03\x04ab"[..], &payload, &[9]]);
        assert_eq!(rope.segments[1].as_ptr(), payload.as_ptr());
        assert_eq!(rope.len, rope.to_bytes().len());
    }

    #[test]
    fn a_payload_out_of_order_is_copied_and_the_order_goes_on() {
        let [first, second, third] = [1, 2, 3].map(|byte| Bytes::from(vec![byte; SHARED_FROM_BYTES]));
        let mut writer = RopeWriter::new(0, [first.clone(), second.clone()]);
        for payload in [&third, &first, &second] {
            writer.put_slice(payload);
        }
        let rope = writer.finish([]);
        assert_eq!(rope.segments, [third, first.clone(), second]);
        assert_eq!(rope.segments[1].as_ptr(), first.as_ptr());
    }

    #[test]
    fn equal_bytes_elsewhere_are_not_the_payload() {
        let payload = Bytes::from(vec![7; SHARED_FROM_BYTES]);
        let copy = payload.to_vec();
        let mut writer = RopeWriter::new(0, [payload]);
        writer.put_slice(&copy);
        writer.put_slice(&copy[1..]);
        let rope = writer.finish([]);
        assert_eq!((rope.segments.len(), rope.len), (1, 2 * SHARED_FROM_BYTES - 1));
    }

    #[test]
    fn a_small_payload_is_copied() {
        let payload = Bytes::from(vec![7; SHARED_FROM_BYTES - 1]);
        let mut writer = RopeWriter::new(0, [payload.clone()]);
        writer.put_slice(&payload);
        assert_ne!(writer.finish([]).segments[0].as_ptr(), payload.as_ptr());
    }

    #[test]
    fn gaps_can_be_filled_before_the_next_payload() {
        let payload = Bytes::from(vec![7; SHARED_FROM_BYTES]);
        let mut writer = RopeWriter::new(0, [payload.clone()]);
        writer.put_slice(&payload);
        let start = writer.offset();
        writer.seek(start + 3);
        writer.range(start + 1..start + 3).copy_from_slice(b"xy");
        assert_eq!(writer.finish([]).segments[1], &b"\0xy"[..]);
    }
}
