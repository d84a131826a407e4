//! Replacements of parts of a body, collected on the way and made in one copy.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

/// What is to be replaced in a body.
#[derive(Debug, Default)]
pub(super) struct Rewrite {
    /// In the order of the body.
    replacements: Vec<Replacement>,
    inserted: Vec<u8>,
}

#[derive(Debug)]
struct Replacement {
    removed: Range<usize>,
    inserted: Range<usize>,
}

impl Rewrite {
    /// What remembering a replacement takes at most, beside the bytes of it: vectors double.
    pub(super) const COST_BYTES: usize = 2 * size_of::<Replacement>();

    /// Has `removed` replaced, which lies behind everything that was replaced before.
    pub(super) fn replace(&mut self, removed: Range<usize>, with: &[u8]) {
        debug_assert!(self.replacements.last().is_none_or(|last| last.removed.end <= removed.start));
        let start = self.inserted.len();
        self.inserted.extend_from_slice(with);
        self.replacements.push(Replacement { removed, inserted: start..self.inserted.len() });
    }

    /// The body with everything replaced; the very same one if nothing is.
    pub(super) fn apply(self, body: Bytes) -> Bytes {
        if self.replacements.is_empty() {
            return body;
        }
        let mut rewritten = BytesMut::with_capacity(body.len() + self.inserted.len());
        let mut at = 0;
        for Replacement { removed, inserted } in self.replacements {
            rewritten.extend_from_slice(&body[at..removed.start]);
            rewritten.extend_from_slice(&self.inserted[inserted]);
            at = removed.end;
        }
        rewritten.extend_from_slice(&body[at..]);
        rewritten.freeze()
    }
}
