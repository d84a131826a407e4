//! Records of an answer that are read when the socket takes them.

use crate::net::{Piece, Stored};
use bytes::Bytes;
use protocol_glue::{
    codec::Rope,
    stand_in::{self, is_stand_in, stand_in},
};
use std::{collections::VecDeque, sync::Arc};
use storage::{disk::Wait, log::Slice};

/// The slices that stand-ins stand for, in the order of the answer.
#[derive(Default)]
pub struct StoredRecords(VecDeque<Slice>);

impl StoredRecords {
    /// Is there a stand-in for so much?
    pub(super) fn can_hold(slice: &Slice) -> bool {
        slice.byte_len() <= stand_in::MAX_BYTES
    }

    /// Takes the slice and gives what stands for it in the response.
    pub(super) fn push(&mut self, slice: Slice) -> Bytes {
        let stand_in = stand_in(slice.byte_len()).expect("only slices that can be held are kept");
        self.0.push_back(slice);
        stand_in
    }

    /// The encoded answer with the slices in their places.
    pub fn put_into(mut self, rope: Rope) -> Vec<Piece> {
        let piece = |segment: Bytes| match is_stand_in(&segment) {
            true => Piece::Stored(Arc::new(self.next(segment.len()))),
            false => Piece::Bytes(segment),
        };
        rope.segments.into_iter().map(piece).collect()
    }

    fn next(&mut self, len: usize) -> Slice {
        let slice = self.0.pop_front().expect("every stand-in stands for a slice");
        assert_eq!(slice.byte_len(), len, "stand-ins come out of the encoder as they went in");
        slice
    }

    /// Reads them all into the response, for tests.
    #[cfg(test)]
    pub(crate) fn read_into(mut self, response: &mut kafka_protocol::messages::FetchResponse) {
        let partitions = response.responses.iter_mut().flat_map(|topic| &mut topic.partitions);
        for records in partitions.filter_map(|partition| partition.records.as_mut()) {
            if is_stand_in(records) {
                *records = self.next(records.len()).read().expect("reads");
            }
        }
    }
}

impl Stored for Slice {
    fn byte_len(&self) -> usize {
        Slice::byte_len(self)
    }

    fn read(&self, at: usize, into: &mut [u8], may_wait: bool) -> Result<bool, String> {
        let wait = if may_wait { Wait::Block } else { Wait::Never };
        self.read_part(at, into, wait)
            .map_err(|error| format!("reading failed in the middle of an answer: {error}"))
    }
}
