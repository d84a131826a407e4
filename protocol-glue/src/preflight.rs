//! A look at a request body before the protocol crate decodes it.
//!
//! The crate reserves memory for whatever count the wire claims and is stricter than Kafka in places. The walk over the
//! body holds each count and length against the bytes that are there, and the memory that decoding would take against a
//! budget. Where Kafka reads something that the crate refuses or misreads, the body is rewritten into the plain form of
//! the same message; this is rare, and every other body comes back as it was, not copied. Bytes after the last field
//! stay, and are nobody's concern, as in Kafka.
//!
//! A body that passes decodes, and a body that does not ends the connection. Neither headers nor meaning are looked at.

#[macro_use]
mod shape;
mod rewrite;
mod shapes;
#[cfg(test)]
mod tests;

use bytes::Bytes;

use self::rewrite::Rewrite;
use self::shape::{Field, Kind};
use crate::DecodeError;
use crate::wire::{MAX_ELEMENTS, MAX_TAGGED_FIELDS};

/// Decoding may always take this much, so that small requests are never refused for their form.
const BASE_BUDGET_BYTES: usize = 16 << 20;
/// And this many times the size of the body: an honest element names something, and takes a few times its own bytes.
const BUDGET_PER_BODY_BYTE: usize = 8;
/// A structure's map of unknown tagged fields: its first node, and each field in it.
const UNKNOWN_TAGS_BYTES: usize = 448;
const UNKNOWN_TAG_BYTES: usize = 96;

/// Checks the body of a request and returns what the crate is to decode, nearly always `body` itself.
///
/// An API without a shape, or a version that its shape lacks, is an error: the caller asks only for what it serves.
pub fn check(api_key: i16, version: i16, body: Bytes) -> Result<Bytes, DecodeError> {
    let shape = shapes::shape_of(api_key)
        .ok_or(DecodeError::UnknownKey { what: "request shape for API key", key: api_key.into() })?;
    if !(shape.min..=shape.max).contains(&version) {
        return Err(DecodeError::UnsupportedVersion { what: "request", version: version.into() });
    }
    let mut walk = Walk {
        body: &body,
        at: 0,
        version,
        flexible: shape.flexible_from.is_some_and(|first| version >= first),
        cost_bytes: 0,
        budget_bytes: BASE_BUDGET_BYTES + BUDGET_PER_BODY_BYTE * body.len(),
        rewrite: Rewrite::default(),
    };
    walk.fields(shape.fields)?;
    let rewrite = walk.rewrite;
    Ok(rewrite.apply(body))
}

/// A walk over a body, and what it found so far.
struct Walk<'body> {
    body: &'body [u8],
    at: usize,
    version: i16,
    flexible: bool,
    cost_bytes: usize,
    budget_bytes: usize,
    rewrite: Rewrite,
}

/// How the non-flexible format writes a count.
#[derive(Clone, Copy)]
enum Width {
    Int16,
    Int32,
}

impl<'body> Walk<'body> {
    fn fields(&mut self, fields: &'static [Field]) -> Result<(), DecodeError> {
        for field in fields {
            if field.tag.is_none() && field.versions.contains(self.version) {
                self.field(field)?;
            }
        }
        if self.flexible { self.tagged_fields(fields) } else { Ok(()) }
    }

    fn field(&mut self, field: &'static Field) -> Result<(), DecodeError> {
        self.value(&field.kind, field.null.contains(self.version))
    }

    fn value(&mut self, kind: &'static Kind, nullable: bool) -> Result<(), DecodeError> {
        match kind {
            Kind::Fixed(size) => self.take(*size).map(drop),
            Kind::Text => self.text(nullable),
            Kind::Bytes => match self.count(Width::Int32, nullable)? {
                Some(length) => self.take(length).map(drop),
                None => Ok(()),
            },
            Kind::Array { element, element_bytes } => self.array(element, *element_bytes, nullable),
            Kind::Struct(fields) if nullable => self.nullable_structure(fields),
            Kind::Struct(fields) => self.fields(fields),
        }
    }

    /// One byte says whether the structure is there: to Kafka when it is not negative, to the crate when it is 1.
    fn nullable_structure(&mut self, fields: &'static [Field]) -> Result<(), DecodeError> {
        let start = self.at;
        let presence = i8::from_be_bytes(self.take_chunk()?);
        if presence < 0 {
            return Ok(());
        }
        if presence != 1 {
            self.replace(start, &[1])?;
        }
        self.fields(fields)
    }

    fn text(&mut self, nullable: bool) -> Result<(), DecodeError> {
        let start = self.at;
        let Some(length) = self.count(Width::Int16, nullable)? else { return Ok(()) };
        if length > i16::MAX as usize {
            return Err(DecodeError::CountTooLarge { count: length as u64, remaining: self.remaining() });
        }
        let bytes = self.take(length)?;
        if std::str::from_utf8(bytes).is_ok() {
            return Ok(());
        }
        // Kafka puts the replacement character where bytes are not UTF-8.
        let text = String::from_utf8_lossy(bytes);
        if text.len() > i16::MAX as usize {
            return Err(DecodeError::InvalidUtf8);
        }
        self.replace(start, &[&self.count_bytes(Some(text.len()), Width::Int16), text.as_bytes()].concat())
    }

    fn array(
        &mut self,
        element: &'static Kind,
        element_bytes: usize,
        nullable: bool,
    ) -> Result<(), DecodeError> {
        let Some(count) = self.count(Width::Int32, nullable)? else { return Ok(()) };
        let least_bytes = count.saturating_mul(element.min_bytes(self.version, self.flexible));
        if count > MAX_ELEMENTS || least_bytes > self.remaining() {
            return Err(DecodeError::CountTooLarge { count: count as u64, remaining: self.remaining() });
        }
        self.spend(count * element_bytes)?;
        if let Kind::Fixed(size) = element {
            return self.take(count * size).map(drop);
        }
        for _ in 0..count {
            self.value(element, false)?;
        }
        Ok(())
    }

    fn tagged_fields(&mut self, fields: &'static [Field]) -> Result<(), DecodeError> {
        let count = self.varint()?;
        if count > MAX_TAGGED_FIELDS {
            return Err(DecodeError::CountTooLarge { count: count.into(), remaining: self.remaining() });
        }
        let mut unknown = 0;
        for _ in 0..count {
            let tag = self.varint()?;
            let size = self.varint()? as usize;
            match fields.iter().find(|field| field.tag == Some(tag)) {
                // The size is not looked at, by Kafka no more than by the crate.
                Some(field) if field.versions.contains(self.version) => self.field(field)?,
                Some(_) => {
                    return Err(DecodeError::UnknownKey { what: "in this version, tag", key: tag.into() });
                }
                None => {
                    self.take(size)?;
                    unknown += 1;
                }
            }
        }
        match unknown {
            0 => Ok(()),
            unknown => self.spend(UNKNOWN_TAGS_BYTES + unknown * UNKNOWN_TAG_BYTES),
        }
    }

    /// A count or length; `None` is null. Whether so much is there is not looked at here.
    fn count(&mut self, width: Width, nullable: bool) -> Result<Option<usize>, DecodeError> {
        let start = self.at;
        let (count, plain_null) = if self.flexible {
            let raw = self.varint()?;
            // As in Java, where the sum is signed: some huge numbers come out negative.
            ((raw as i32).wrapping_sub(1), raw == 0)
        } else {
            let count = match width {
                Width::Int16 => i16::from_be_bytes(self.take_chunk()?).into(),
                Width::Int32 => i32::from_be_bytes(self.take_chunk()?),
            };
            (count, count == -1)
        };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Some(count));
        }
        if !nullable {
            return Err(DecodeError::UnexpectedNull);
        }
        if !plain_null {
            self.replace(start, &self.count_bytes(None, width))?;
        }
        Ok(None)
    }

    fn count_bytes(&self, count: Option<usize>, width: Width) -> Vec<u8> {
        match (self.flexible, width) {
            (true, _) => varint_bytes(count.map_or(0, |count| count as u32 + 1)),
            (false, Width::Int16) => count.map_or(-1, |count| count as i16).to_be_bytes().to_vec(),
            (false, Width::Int32) => count.map_or(-1, |count| count as i32).to_be_bytes().to_vec(),
        }
    }

    fn varint(&mut self) -> Result<u32, DecodeError> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let [byte] = self.take_chunk()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DecodeError::VarintTooLong)
    }

    fn remaining(&self) -> usize {
        self.body.len() - self.at
    }

    fn take(&mut self, count: usize) -> Result<&'body [u8], DecodeError> {
        let rest = &self.body[self.at..];
        let taken =
            rest.get(..count).ok_or(DecodeError::Truncated { missing: count - rest.len().min(count) })?;
        self.at += count;
        Ok(taken)
    }

    fn take_chunk<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        Ok(self.take(N)?.try_into().expect("so many bytes were taken"))
    }

    /// Has the bytes from `start` to here replaced.
    fn replace(&mut self, start: usize, with: &[u8]) -> Result<(), DecodeError> {
        self.spend(Rewrite::COST_BYTES + with.len())?;
        self.rewrite.replace(start..self.at, with);
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), DecodeError> {
        self.cost_bytes = self.cost_bytes.saturating_add(bytes);
        if self.cost_bytes > self.budget_bytes {
            let (estimate_bytes, budget_bytes) = (self.cost_bytes, self.budget_bytes);
            return Err(DecodeError::TooCostly { estimate_bytes, budget_bytes });
        }
        Ok(())
    }
}

fn varint_bytes(value: u32) -> Vec<u8> {
    let mut bytes = bytes::BytesMut::new();
    crate::wire::put_varint(value, &mut bytes);
    bytes.to_vec()
}
