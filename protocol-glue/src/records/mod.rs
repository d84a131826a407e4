//! Kafka's internal records: what a broker writes into its own topics.
//!
//! Each message is declared once (in the form that `declare.rs` explains) with the version range of each field; encoding and decoding
//! follow from the declaration. The field lists are facts of Kafka's published schemas. These records are long-lived
//! state, so decoded values own their bytes and never pin the buffer they were read from.
//!
//! Not here: requests and responses (the kafka-protocol crate has them), and what the records mean.

#[macro_use]
mod declare;

pub mod control;
pub mod metadata;
pub mod offsets;
pub mod transactions;
mod wire;

use std::ops::RangeInclusive;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::DecodeError;
use crate::wire::need;
pub use wire::{Field, Wire};

/// A message with versions of its own, as opposed to a part of one.
pub trait Message: Field {
    /// Its name in error messages.
    const NAME: &'static str;
    /// The versions that can be written and read.
    const VERSIONS: RangeInclusive<i16>;
    /// The first version in the flexible format (KIP-482); `None` when there is none.
    const FLEXIBLE_FROM: Option<i16>;

    /// Appends the message in the format of `version`.
    ///
    /// # Panics
    /// If `version` is not one of [`Self::VERSIONS`], if a field that `version` cannot carry, and that may not be left
    /// out, is set, or if text is longer than the 32,767 bytes that a non-flexible version has room for. All three are
    /// mistakes of the caller: what a client sends fits, but what is put together from it may not.
    fn encode(&self, version: i16, out: &mut BytesMut) {
        assert!(Self::VERSIONS.contains(&version), "{} has no version {version}", Self::NAME);
        self.put(Self::wire(version), out);
    }

    /// Reads the message in the format of `version` from the front of `input`; what follows it stays there.
    fn decode(version: i16, input: &mut Bytes) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { what: Self::NAME, version: version.into() });
        }
        Self::take(Self::wire(version), input)
    }

    #[doc(hidden)]
    fn wire(version: i16) -> Wire {
        Wire { version, flexible: Self::FLEXIBLE_FROM.is_some_and(|first| version >= first) }
    }
}

/// Reads the value of a record of a coordinator's topic: a 16-bit version and the fields. The key says which type it
/// has. Bytes after the last field are ignored, as Kafka ignores them.
pub fn read_value<M: Message>(value: &[u8]) -> Result<M, DecodeError> {
    let (version, mut body) = split_version(value)?;
    M::decode(version, &mut body)
}

/// Writes the value of a record of a coordinator's topic in the format of `version`, with the version before it.
///
/// # Panics
/// As [`Message::encode`] does.
pub fn write_value<M: Message>(value: &M, version: i16) -> Bytes {
    let mut out = BytesMut::new();
    out.put_i16(version);
    value.encode(version, &mut out);
    out.freeze()
}

fn split_version(bytes: &[u8]) -> Result<(i16, Bytes), DecodeError> {
    let mut body = Bytes::copy_from_slice(bytes);
    need(&body, 2)?;
    let version = body.get_i16();
    Ok((version, body))
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
