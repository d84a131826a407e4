//! What every decoder of this crate shares: bounds, variable-length integers, tagged fields.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::DecodeError;

/// Kafka 4.4 refuses more elements in one array.
pub(crate) const MAX_ELEMENTS: usize = 1_000_000;
/// Kafka 4.4 refuses more tagged fields in one message.
pub(crate) const MAX_TAGGED_FIELDS: u32 = 10_000;

/// Whether `count` bytes are there.
pub(crate) fn need(input: &Bytes, count: usize) -> Result<(), DecodeError> {
    match count.checked_sub(input.len()) {
        None | Some(0) => Ok(()),
        Some(missing) => Err(DecodeError::Truncated { missing }),
    }
}

/// Appends an unsigned LEB128 integer.
pub(crate) fn put_varint(mut value: u32, out: &mut BytesMut) {
    while value >= 0x80 {
        out.put_u8(value as u8 | 0x80);
        value >>= 7;
    }
    out.put_u8(value as u8);
}

/// Takes an unsigned LEB128 integer of at most five bytes.
pub(crate) fn take_varint(input: &mut Bytes) -> Result<u32, DecodeError> {
    let mut value = 0u32;
    for shift in (0..35).step_by(7) {
        need(input, 1)?;
        let byte = input.get_u8();
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DecodeError::VarintTooLong)
}

/// Appends the tagged fields of a flexible message, which Kafka wants in ascending order.
pub(crate) fn put_tagged(mut fields: Vec<(u32, BytesMut)>, out: &mut BytesMut) {
    fields.sort_by_key(|(tag, _)| *tag);
    put_varint(fields.len() as u32, out);
    for (tag, content) in fields {
        put_varint(tag, out);
        put_varint(content.len() as u32, out);
        out.put_slice(&content);
    }
}

/// Takes the tagged fields of a flexible message and shows each to `visit`, which skips those it does not know.
pub(crate) fn take_tagged(
    input: &mut Bytes,
    mut visit: impl FnMut(u32, Bytes) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let count = take_varint(input)?;
    if count > MAX_TAGGED_FIELDS {
        return Err(DecodeError::CountTooLarge { count: count.into(), remaining: input.len() });
    }
    for _ in 0..count {
        let tag = take_varint(input)?;
        let length = take_varint(input)? as usize;
        need(input, length)?;
        visit(tag, input.split_to(length))?;
    }
    Ok(())
}
