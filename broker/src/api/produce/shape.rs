//! The first look at what a client sent for a partition: is it one batch at all?
//!
//! Kafka looks before the log does, and answers differently: no log start offset, and a message only when the
//! first header cannot be believed. Everything else about a batch is `storage`'s to check.

use super::append::Failure;
use protocol_glue::ErrorCode;

/// What the header of the one batch says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub codec: Codec,
    pub transactional: bool,
}

/// The codec that the header claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
    Unknown,
}

impl Codec {
    fn of(attributes: u8) -> Self {
        match attributes & CODEC_MASK {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Snappy,
            3 => Self::Lz4,
            4 => Self::Zstd,
            _ => Self::Unknown,
        }
    }
}

/// Base offset and length.
const BEFORE_LENGTH_ENDS: usize = 12;
/// … and leader epoch (or crc) and magic.
const UP_TO_MAGIC: usize = 17;
/// No batch or message of any format is shorter; what claims to be was never one.
const SHORTEST: i32 = 14;
const CODEC_MASK: u8 = 0x07;
const TRANSACTIONAL_BIT: u8 = 0x10;

/// One batch of the present format; a tail too short to be another one does no harm.
pub(super) fn check(records: &[u8], zstd_allowed: bool) -> Result<Shape, Failure> {
    check_frame(records)?;
    let Next::Batch { len, magic } = next(records) else {
        return Err(Failure::code(ErrorCode::InvalidRecord));
    };
    if magic != 2 {
        return Err(Failure::code(ErrorCode::InvalidRecord));
    }
    // Byte 22 is the low byte of the attributes; a batch that is too short for them is not intact.
    let Some(&attributes) = records[..len].get(22) else {
        return Err(Failure::code(ErrorCode::CorruptMessage));
    };
    let codec = Codec::of(attributes);
    if !zstd_allowed && codec == Codec::Zstd {
        return Err(Failure::code(ErrorCode::UnsupportedCompressionType));
    }
    match next(&records[len..]) {
        Next::End => Ok(Shape { codec, transactional: attributes & TRANSACTIONAL_BIT != 0 }),
        Next::Batch { .. } => Err(Failure::code(ErrorCode::InvalidRecord)),
        Next::Impossible(_) => Err(Failure::code(ErrorCode::CorruptMessage)),
    }
}

/// A first header that can be believed. Looked at before anything else about the partition: Kafka finds these
/// when it reads the request.
pub(super) fn check_frame(records: &[u8]) -> Result<(), Failure> {
    match next(records) {
        Next::Impossible(what) => Err(Failure::code(ErrorCode::CorruptMessage).with_message(what)),
        _ => Ok(()),
    }
}

/// Does the first batch belong to a transaction? A cut batch does not count, nor does one of an older format.
pub(super) fn is_transactional(records: &[u8]) -> Result<bool, Failure> {
    check_frame(records)?;
    let Next::Batch { len, magic: 2 } = next(records) else { return Ok(false) };
    Ok(records[..len].get(22).is_some_and(|attributes| attributes & TRANSACTIONAL_BIT != 0))
}

enum Next {
    /// Nothing, or a cut batch.
    End,
    Batch {
        len: usize,
        magic: u8,
    },
    Impossible(&'static str),
}

fn next(records: &[u8]) -> Next {
    let Some(length) = records.get(8..BEFORE_LENGTH_ENDS) else { return Next::End };
    let length = i32::from_be_bytes(length.try_into().expect("a range of four bytes"));
    if !(SHORTEST..=i32::MAX - BEFORE_LENGTH_ENDS as i32).contains(&length) {
        return Next::Impossible("the length in the batch header is impossible");
    }
    let Some(&magic) = records.get(UP_TO_MAGIC - 1) else { return Next::End };
    if magic > 2 {
        return Next::Impossible("the magic in the batch header is unknown");
    }
    let len = BEFORE_LENGTH_ENDS + length as usize;
    if records.len() < len { Next::End } else { Next::Batch { len, magic } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(length: i32, magic: u8, attributes: u8, actual: usize) -> Vec<u8> {
        let mut bytes = vec![0; actual];
        let mut set = |at: usize, value: &[u8]| {
            for (byte, value) in bytes.iter_mut().skip(at).zip(value) {
                *byte = *value;
            }
        };
        set(8, &length.to_be_bytes());
        set(16, &[magic]);
        set(22, &[attributes]);
        bytes
    }

    /// PROD-06, and the first rows of Kafka's recorded answers to malformed batches.
    #[test]
    fn only_one_whole_batch_of_the_present_format_passes() {
        let good = batch(49, 2, 0, 61);
        let join = |parts: &[&[u8]]| parts.concat();
        type Case = (&'static str, Vec<u8>, Result<(), (i16, bool)>);
        let table: [Case; 14] = [
            ("empty", vec![], Err((87, false))),
            ("one byte", vec![0], Err((87, false))),
            ("cut by one", good[..60].to_vec(), Err((87, false))),
            ("length too big by one", batch(50, 2, 0, 61), Err((87, false))),
            ("plus one byte", join(&[&good, &[0]]), Ok(())),
            ("plus 61 zero bytes", join(&[&good, &[0; 61]]), Err((2, false))),
            ("two", join(&[&good, &good]), Err((87, false))),
            ("magic 0", batch(49, 0, 0, 61), Err((87, false))),
            ("magic 3", batch(49, 3, 0, 61), Err((2, true))),
            ("magic -1", batch(49, 255, 0, 61), Err((2, true))),
            ("length 0", batch(0, 2, 0, 61), Err((2, true))),
            ("length -1", batch(-1, 2, 0, 61), Err((2, true))),
            ("length max", batch(i32::MAX, 2, 0, 61), Err((2, true))),
            ("too short for attributes, tail alike", batch(10 + 4, 2, 0, 26), Ok(())),
        ];
        for (case, bytes, expected) in table {
            let got = check(&bytes, true).map(|_| ()).map_err(|e| (e.code.code(), e.message.is_some()));
            assert_eq!(got, expected, "{case}");
        }
    }

    #[test]
    fn only_the_first_whole_batch_tells_whether_a_request_is_transactional() {
        let (plain, transactional) = (batch(49, 2, 0, 61), batch(49, 2, 16, 61));
        let table = [
            ("nothing", vec![], Ok(false)),
            ("plain", plain.clone(), Ok(false)),
            ("transactional", transactional.clone(), Ok(true)),
            ("cut by one", transactional[..60].to_vec(), Ok(false)),
            ("first of two", [&transactional[..], &plain].concat(), Ok(true)),
            ("second of two", [&plain[..], &transactional].concat(), Ok(false)),
            ("of the format before", batch(49, 1, 16, 61), Ok(false)),
            ("length 0", batch(0, 2, 16, 61), Err(2)),
            ("magic 3", batch(49, 3, 16, 61), Err(2)),
        ];
        for (case, bytes, expected) in table {
            assert_eq!(is_transactional(&bytes).map_err(|failure| failure.code.code()), expected, "{case}");
        }
    }

    #[test]
    fn zstd_needs_a_version_that_knows_it() {
        assert_eq!(check(&batch(49, 2, 4, 61), false).map_err(|failure| failure.code.code()), Err(76));
        let shape = check(&batch(49, 2, 4 | 16, 61), true).expect("allowed");
        assert_eq!(shape, Shape { codec: Codec::Zstd, transactional: true });
    }

    #[test]
    fn no_input_makes_it_panic() {
        for len in 0..80 {
            for fill in [0, 1, 2, 14, 0x7f, 0xff] {
                _ = check(&vec![fill; len], true);
                _ = is_transactional(&vec![fill; len]);
                _ = check(&batch(len as i32 - 12, 2, fill, len), true);
            }
        }
    }
}
