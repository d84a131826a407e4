//! Records inside a batch: walking them to check their form, and reading them one by one.
//!
//! Walking never allocates; reading holds one record of a compressed batch in memory at a time.

use crate::batch::{Headers, Record};
use std::io::{self, BufRead, Read};

/// No batch may decompress to more than this in total, whatever its records' limit: about two seconds of work.
const MAX_TOTAL_BYTES: u64 = i32::MAX as u64;

/// Why records could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    Malformed(&'static str),
    /// The codec gave up.
    Undecodable(String),
    /// A record larger than the limit after decompression, or a batch that expands beyond all measure.
    TooMuch,
}

impl Fault {
    pub fn from_io(error: io::Error) -> Self {
        Self::Undecodable(error.to_string())
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(what) => f.write_str(what),
            Self::Undecodable(what) => write!(f, "records cannot be decompressed: {what}"),
            Self::TooMuch => f.write_str("records decompress to more than the limit"),
        }
    }
}

/// What a walk tells about a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    pub timestamp_delta: i64,
    pub offset_delta: i32,
    pub has_key: bool,
}

/// Walks exactly `count` records and nothing after them. Checks each length against the bytes that are there.
pub(crate) fn walk<R: BufRead>(
    reader: &mut R,
    count: i32,
    max_record_bytes: usize,
    mut visit: impl FnMut(i32, Outline) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut budget = Budget { max_record_bytes, total: 0 };
    for index in 0..count {
        let buffer = fill(reader)?;
        let outline = match whole_record(buffer) {
            Some((start, end)) => {
                budget.spend(end - start)?;
                let outline = walk_fields(&mut &buffer[start..end], end - start)?;
                reader.consume(end);
                outline
            }
            // The record continues beyond the reader's buffer (or is not all there).
            None => {
                let len = budget.record_len(reader)?;
                walk_fields(reader, len)?
            }
        };
        visit(index, outline)?;
    }
    expect_end(reader)
}

/// Reads `count` records; `visit` says whether to go on.
pub(crate) fn read_compressed<R: BufRead>(
    reader: &mut R,
    count: i32,
    max_record_bytes: usize,
    context: Context,
    visit: &mut dyn FnMut(Record<'_>) -> bool,
) -> Result<(), Fault> {
    let mut budget = Budget { max_record_bytes, total: 0 };
    let mut body = Vec::new();
    for _ in 0..count {
        let len = budget.record_len(reader)?;
        body.clear();
        // Grows with what really comes, not with what the length claims.
        reader.by_ref().take(len as u64).read_to_end(&mut body).map_err(Fault::from_io)?;
        if body.len() < len {
            return Err(CUT);
        }
        if !visit(parse(&body, context)?) {
            break;
        }
    }
    Ok(())
}

/// Like [`read_compressed`], straight from the bytes of the batch.
pub(crate) fn read_plain<'a>(
    mut bytes: &'a [u8],
    count: i32,
    context: Context,
    visit: &mut dyn FnMut(Record<'a>) -> bool,
) -> Result<(), Fault> {
    for _ in 0..count {
        let (start, end) = whole_record(bytes).ok_or(CUT)?;
        if !visit(parse(&bytes[start..end], context)?) {
            break;
        }
        bytes = &bytes[end..];
    }
    Ok(())
}

/// What the batch header says about all of its records.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    pub base_offset: i64,
    pub base_timestamp: i64,
    /// The time of every record when the log stamped the batch.
    pub log_append_time: Option<i64>,
}

const CUT: Fault = Fault::Malformed("a record is cut");
const VARINT: Fault = Fault::Malformed("a varint does not end");

fn parse(mut body: &[u8], context: Context) -> Result<Record<'_>, Fault> {
    let body = &mut body;
    take(body, 1)?;
    let timestamp_delta = varlong(body)?;
    let offset_delta = varint(body)?;
    let key = nullable(body)?;
    let value = nullable(body)?;
    let header_count = varint(body)?;
    if header_count < 0 {
        return Err(Fault::Malformed("negative header count"));
    }
    Ok(Record {
        offset: context.base_offset.wrapping_add(i64::from(offset_delta)),
        timestamp: context.log_append_time.unwrap_or(context.base_timestamp.wrapping_add(timestamp_delta)),
        key,
        value,
        headers: Headers { count: header_count, bytes: body },
    })
}

/// One header at the start of `bytes`; `None` when it is not whole.
pub(crate) fn header<'a>(bytes: &mut &'a [u8]) -> Option<(&'a [u8], Option<&'a [u8]>)> {
    let key = nullable(bytes).ok()??;
    Some((key, nullable(bytes).ok()?))
}

fn nullable<'a>(bytes: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Fault> {
    match usize::try_from(varint(bytes)?) {
        Ok(len) => take(bytes, len).map(Some),
        // Any negative length reads as null, as in Kafka.
        Err(_) => Ok(None),
    }
}

fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], Fault> {
    let (taken, rest) = bytes.split_at_checked(len).ok_or(CUT)?;
    *bytes = rest;
    Ok(taken)
}

fn varint(bytes: &mut &[u8]) -> Result<i32, Fault> {
    let (value, len) = peek_varint(bytes).ok_or(VARINT)?;
    *bytes = &bytes[len..];
    Ok(value)
}

fn varlong(bytes: &mut &[u8]) -> Result<i64, Fault> {
    let (value, len) = peek_unsigned(bytes, 10).ok_or(VARINT)?;
    *bytes = &bytes[len..];
    Ok(unzigzag(value))
}

/// The record at the start of `buffer`: where its fields start and end, if all of it is there.
fn whole_record(buffer: &[u8]) -> Option<(usize, usize)> {
    let (len, start) = peek_varint(buffer)?;
    let end = start.checked_add(usize::try_from(len).ok()?)?;
    (end <= buffer.len()).then_some((start, end))
}

/// The fields of one record of `len` bytes.
fn walk_fields<R: BufRead>(reader: &mut R, len: usize) -> Result<Outline, Fault> {
    let mut fields = Fields { reader, left: len };
    fields.skip(1)?;
    let timestamp_delta = fields.unsigned(10).map(unzigzag)?;
    let offset_delta = fields.varint()?;
    let has_key = fields.skip_nullable()?;
    fields.skip_nullable()?;
    let header_count = fields.varint()?;
    if header_count < 0 {
        return Err(Fault::Malformed("negative header count"));
    }
    for _ in 0..header_count {
        if !fields.skip_nullable()? {
            return Err(Fault::Malformed("null header key"));
        }
        fields.skip_nullable()?;
    }
    match fields.left {
        0 => Ok(Outline { timestamp_delta, offset_delta, has_key }),
        _ => Err(Fault::Malformed("bytes after the last field of a record")),
    }
}

/// A reader that knows how many bytes of its record are left.
struct Fields<'a, R> {
    reader: &'a mut R,
    left: usize,
}

impl<R: BufRead> Fields<'_, R> {
    fn skip(&mut self, mut len: usize) -> Result<(), Fault> {
        self.left = self.left.checked_sub(len).ok_or(CUT)?;
        while len > 0 {
            let step = fill(self.reader)?.len().min(len);
            if step == 0 {
                return Err(CUT);
            }
            self.reader.consume(step);
            len -= step;
        }
        Ok(())
    }

    /// Was there something, be it empty?
    fn skip_nullable(&mut self) -> Result<bool, Fault> {
        match usize::try_from(self.varint()?) {
            Ok(len) => self.skip(len).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    fn varint(&mut self) -> Result<i32, Fault> {
        let value = self.unsigned(5)?;
        Ok(unzigzag(u64::from(value as u32)) as i32)
    }

    fn unsigned(&mut self, max_len: usize) -> Result<u64, Fault> {
        let (value, len) = read_unsigned(self.reader, max_len)?;
        self.left = self.left.checked_sub(len).ok_or(CUT)?;
        Ok(value)
    }
}

/// How much a batch may still expand.
struct Budget {
    max_record_bytes: usize,
    total: u64,
}

impl Budget {
    fn record_len<R: BufRead>(&mut self, reader: &mut R) -> Result<usize, Fault> {
        let (value, _) = read_unsigned(reader, 5)?;
        let len = unzigzag(u64::from(value as u32)) as i32;
        let len = usize::try_from(len).map_err(|_| Fault::Malformed("negative record length"))?;
        self.spend(len)?;
        Ok(len)
    }

    fn spend(&mut self, len: usize) -> Result<(), Fault> {
        self.total += len as u64;
        match len > self.max_record_bytes || self.total > MAX_TOTAL_BYTES {
            true => Err(Fault::TooMuch),
            false => Ok(()),
        }
    }
}

fn fill<R: BufRead>(reader: &mut R) -> Result<&[u8], Fault> {
    reader.fill_buf().map_err(Fault::from_io)
}

fn expect_end<R: BufRead>(reader: &mut R) -> Result<(), Fault> {
    match fill(reader)?.is_empty() {
        true => Ok(()),
        false => Err(Fault::Malformed("bytes after the last record")),
    }
}

fn read_unsigned<R: BufRead>(reader: &mut R, max_len: usize) -> Result<(u64, usize), Fault> {
    let buffer = fill(reader)?;
    if let Some((value, len)) = peek_unsigned(buffer, max_len) {
        reader.consume(len);
        return Ok((value, len));
    }
    // Rare: the number straddles two buffers, never ends, or is cut.
    let mut value = 0;
    for len in 1..=max_len {
        let byte = *fill(reader)?.first().ok_or(CUT)?;
        reader.consume(1);
        value |= u64::from(byte & 0x7f) << (7 * (len - 1));
        if byte & 0x80 == 0 {
            return Ok((value, len));
        }
    }
    Err(VARINT)
}

fn peek_varint(bytes: &[u8]) -> Option<(i32, usize)> {
    let (value, len) = peek_unsigned(bytes, 5)?;
    Some((unzigzag(u64::from(value as u32)) as i32, len))
}

fn peek_unsigned(bytes: &[u8], max_len: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().take(max_len).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    None
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Appends a zig-zag varint.
pub(crate) fn put_varint(out: &mut Vec<u8>, value: i64) {
    let mut value = ((value << 1) ^ (value >> 63)) as u64;
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_at_their_edges() {
        for value in
            [0, -1, 1, 63, 64, -64, -65, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN]
        {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            assert_eq!(varlong(&mut &bytes[..]).expect("whole"), value);
            if let Ok(small) = i32::try_from(value) {
                assert_eq!(varint(&mut &bytes[..]).expect("whole"), small);
            }
        }
    }

    #[test]
    fn a_record_that_straddles_the_readers_buffer_is_walked_like_any_other() {
        let mut bytes = Vec::new();
        for _ in 0..3 {
            bytes.extend(crate::builder::encode_record(7, 300, Some(b"key"), Some(&[1; 300])));
        }
        for capacity in 1..40 {
            let mut seen = Vec::new();
            let mut reader = io::BufReader::with_capacity(capacity, &bytes[..]);
            walk(&mut reader, 3, 1000, |index, outline| {
                seen.push((index, outline.offset_delta, outline.timestamp_delta, outline.has_key));
                Ok(())
            })
            .expect("well formed");
            assert_eq!(seen, [(0, 7, 300, true), (1, 7, 300, true), (2, 7, 300, true)]);
        }
    }

    #[test]
    fn a_record_over_the_limit_is_refused_before_it_is_read() {
        let bytes = crate::builder::encode_record(0, 0, None, Some(&[0; 100]));
        assert!(matches!(walk(&mut &bytes[..], 1, 99, |_, _| Ok(())), Err(Fault::TooMuch)));
        walk(&mut &bytes[..], 1, 200, |_, _| Ok(())).expect("below the limit");
    }
}
