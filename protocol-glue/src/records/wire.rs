//! How each type of Kafka's schema language looks on the wire, in both formats, with bounded decoding.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use uuid::Uuid;

use crate::DecodeError;
use crate::wire::{MAX_ELEMENTS, need, put_varint, take_varint};

/// The format that a message is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The version of the outermost message; parts have none of their own.
    pub version: i16,
    /// Whether lengths are compact and tagged fields exist (KIP-482).
    pub flexible: bool,
}

/// A value that knows its own place on the wire.
pub trait Field: Sized {
    /// Appends the value.
    fn put(&self, wire: Wire, out: &mut BytesMut);
    /// Takes the value from the front of `input`.
    fn take(wire: Wire, input: &mut Bytes) -> Result<Self, DecodeError>;
}

/// Memory is not reserved for more elements than this before they have been seen.
const LARGEST_RESERVATION: usize = 1000;

macro_rules! number {
    ($($ty:ty: $put:ident, $get:ident, $size:literal;)+) => {$(
        impl Field for $ty {
            fn put(&self, _: Wire, out: &mut BytesMut) {
                out.$put(*self);
            }
            fn take(_: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
                need(input, $size)?;
                Ok(input.$get())
            }
        }
    )+};
}

number! {
    i8: put_i8, get_i8, 1;
    i16: put_i16, get_i16, 2;
    u16: put_u16, get_u16, 2;
    i32: put_i32, get_i32, 4;
    i64: put_i64, get_i64, 8;
    f64: put_f64, get_f64, 8;
}

impl Field for bool {
    fn put(&self, _: Wire, out: &mut BytesMut) {
        out.put_u8(u8::from(*self));
    }
    fn take(_: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
        need(input, 1)?;
        Ok(input.get_u8() != 0)
    }
}

impl Field for Uuid {
    fn put(&self, _: Wire, out: &mut BytesMut) {
        out.put_slice(self.as_bytes());
    }
    fn take(_: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
        need(input, 16)?;
        Ok(Uuid::from_u128(input.get_u128()))
    }
}

/// A value behind a count or length, and therefore one that can be null.
trait Counted: Sized {
    /// Whether the non-flexible format counts in 16 bits (text) or in 32.
    const SHORT: bool;
    fn count(&self) -> usize;
    fn put_content(&self, wire: Wire, out: &mut BytesMut);
    /// `count` is at most the number of bytes in `input`.
    fn take_content(count: usize, wire: Wire, input: &mut Bytes) -> Result<Self, DecodeError>;
}

fn put_counted<T: Counted>(value: Option<&T>, wire: Wire, out: &mut BytesMut) {
    let count = value.map(T::count);
    if wire.flexible {
        let count = count.map_or(0, |count| count + 1);
        put_varint(u32::try_from(count).expect("a record field is far below 4 GiB"), out);
    } else if T::SHORT {
        let count = count.map_or(-1, |count| i16::try_from(count).expect("text in a record is below 32 KiB"));
        out.put_i16(count);
    } else {
        let count = count.map_or(-1, |count| i32::try_from(count).expect("a record field is below 2 GiB"));
        out.put_i32(count);
    }
    if let Some(value) = value {
        value.put_content(wire, out);
    }
}

fn take_counted<T: Counted>(wire: Wire, input: &mut Bytes) -> Result<Option<T>, DecodeError> {
    let count = if wire.flexible {
        i64::from(take_varint(input)?) - 1
    } else if T::SHORT {
        i16::take(wire, input)?.into()
    } else {
        i32::take(wire, input)?.into()
    };
    let Ok(count) = usize::try_from(count) else { return Ok(None) };
    if count > input.len() {
        return Err(DecodeError::CountTooLarge { count: count as u64, remaining: input.len() });
    }
    T::take_content(count, wire, input).map(Some)
}

impl Counted for String {
    const SHORT: bool = true;
    fn count(&self) -> usize {
        self.len()
    }
    fn put_content(&self, _: Wire, out: &mut BytesMut) {
        out.put_slice(self.as_bytes());
    }
    /// Bytes that are not UTF-8 are replaced, as Kafka does: a strange name must not stop a log from loading.
    fn take_content(count: usize, _: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
        Ok(String::from_utf8_lossy(&input.split_to(count)).into_owned())
    }
}

impl Counted for Bytes {
    const SHORT: bool = false;
    fn count(&self) -> usize {
        self.len()
    }
    fn put_content(&self, _: Wire, out: &mut BytesMut) {
        out.put_slice(self);
    }
    fn take_content(count: usize, _: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
        Ok(Bytes::copy_from_slice(&input.split_to(count)))
    }
}

impl<T: Field> Counted for Vec<T> {
    const SHORT: bool = false;
    fn count(&self) -> usize {
        self.len()
    }
    fn put_content(&self, wire: Wire, out: &mut BytesMut) {
        self.iter().for_each(|element| element.put(wire, out));
    }
    fn take_content(count: usize, wire: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
        if count > MAX_ELEMENTS {
            return Err(DecodeError::CountTooLarge { count: count as u64, remaining: input.len() });
        }
        let mut elements = Vec::with_capacity(count.min(LARGEST_RESERVATION));
        for _ in 0..count {
            elements.push(T::take(wire, input)?);
        }
        Ok(elements)
    }
}

macro_rules! counted_field {
    ($([$($generics:tt)*] $ty:ty;)+) => {$(
        impl<$($generics)*> Field for $ty {
            fn put(&self, wire: Wire, out: &mut BytesMut) {
                put_counted(Some(self), wire, out);
            }
            fn take(wire: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
                take_counted(wire, input)?.ok_or(DecodeError::UnexpectedNull)
            }
        }
        impl<$($generics)*> Field for Option<$ty> {
            fn put(&self, wire: Wire, out: &mut BytesMut) {
                put_counted(self.as_ref(), wire, out);
            }
            fn take(wire: Wire, input: &mut Bytes) -> Result<Self, DecodeError> {
                take_counted(wire, input)
            }
        }
    )+};
}

counted_field! {
    [] String;
    [] Bytes;
    [T: Field] Vec<T>;
}
