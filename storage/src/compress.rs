//! The codecs of record batches: streaming decompression that never trusts a size it reads, and compression.
//!
//! Framing follows the Java client: gzip and zstd plain, LZ4 frames with independent blocks, snappy in the
//! block framing of snappy-java, or raw as other clients send it.

use crate::{batch::Codec, records::Fault};
use std::io::{self, BufRead, BufReader, Read, Write};

const SNAPPY_JAVA_MAGIC: &[u8] = b"\x82SNAPPY\0";
/// Magic, then the version and the compatible version as i32.
const SNAPPY_JAVA_HEADER_LEN: usize = 16;
const SNAPPY_BLOCK_LEN: usize = 32 * 1024;
/// A snappy copy of three bytes yields 64 at most, so no honest block claims more than this times its length.
const SNAPPY_MAX_RATIO: usize = 22;
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];
const LZ4_INDEPENDENT_BLOCKS: u8 = 1 << 5;
const LZ4_CONTENT_CHECKSUM: u8 = 1 << 2;

/// A reader over what `payload` decompresses to. Memory is bounded by the codec's window, and for snappy by
/// [`SNAPPY_MAX_RATIO`] times the input.
pub(crate) fn reader<'a>(codec: Codec, payload: &'a [u8]) -> Result<Box<dyn BufRead + 'a>, Fault> {
    Ok(match codec {
        Codec::None => Box::new(payload),
        Codec::Gzip => Box::new(BufReader::new(GzipMembers::new(payload))),
        Codec::Snappy => Box::new(SnappyBlocks::new(payload)?),
        Codec::Lz4 => Box::new(Lz4Frame::new(payload)?),
        Codec::Zstd => Box::new(BufReader::new(zstd::Decoder::with_buffer(payload).map_err(Fault::from_io)?)),
    })
}

/// Compresses all of `source`; fails with `None` once the result is larger than `limit`.
pub(crate) fn compress(
    source: &mut dyn BufRead,
    codec: Codec,
    level: Option<i32>,
    limit: usize,
) -> Result<Option<Vec<u8>>, Fault> {
    let mut out = Capped { bytes: Vec::new(), limit };
    let done = match codec {
        Codec::None => io::copy(source, &mut out).map(drop),
        Codec::Gzip => gzip(source, &mut out, level),
        Codec::Snappy => snappy_java(source, &mut out),
        Codec::Lz4 => lz4(source, &mut out),
        Codec::Zstd => {
            zstd::stream::copy_encode(source, &mut out, level.unwrap_or(zstd::DEFAULT_COMPRESSION_LEVEL))
        }
    };
    match done {
        Ok(()) => Ok(Some(out.bytes)),
        Err(error) if error.get_ref().is_some_and(|inner| inner.is::<OverLimit>()) => Ok(None),
        Err(error) => Err(Fault::from_io(error)),
    }
}

/// Gzip members one after the other. What follows the last one and is no member is ignored, as in Java.
struct GzipMembers<'a> {
    member: Option<flate2::bufread::GzDecoder<&'a [u8]>>,
}

impl<'a> GzipMembers<'a> {
    fn new(payload: &'a [u8]) -> Self {
        Self { member: Some(flate2::bufread::GzDecoder::new(payload)) }
    }
}

impl Read for GzipMembers<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buf)?;
            if read > 0 || buf.is_empty() {
                return Ok(read);
            }
            let rest = self.member.take().expect("a member is being read").into_inner();
            if rest.starts_with(&[0x1f, 0x8b]) {
                self.member = Some(flate2::bufread::GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// Snappy in either framing, one block in memory at a time.
struct SnappyBlocks<'a> {
    rest: &'a [u8],
    /// Without framing the input is one block without a length.
    framed: bool,
    block: Vec<u8>,
    consumed: usize,
}

impl<'a> SnappyBlocks<'a> {
    fn new(payload: &'a [u8]) -> Result<Self, Fault> {
        if payload.is_empty() {
            return Err(Fault::Undecodable("empty snappy payload".into()));
        }
        let framed = payload.starts_with(SNAPPY_JAVA_MAGIC);
        let rest = match framed {
            true => payload.get(SNAPPY_JAVA_HEADER_LEN..).ok_or(Fault::Malformed("snappy header is cut"))?,
            false => payload,
        };
        Ok(Self { rest, framed, block: Vec::new(), consumed: 0 })
    }

    fn next_block(&mut self) -> io::Result<()> {
        let input = match self.framed {
            true => {
                let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "snappy block is cut");
                let (len, rest) = self.rest.split_first_chunk::<4>().ok_or_else(cut)?;
                let len = u32::from_be_bytes(*len) as usize;
                let (block, rest) = rest.split_at_checked(len).ok_or_else(cut)?;
                self.rest = rest;
                block
            }
            false => std::mem::take(&mut self.rest),
        };
        let claimed = snap::raw::decompress_len(input)?;
        if claimed > input.len().saturating_mul(SNAPPY_MAX_RATIO) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "snappy block claims an impossible size"));
        }
        self.block = snap::raw::Decoder::new().decompress_vec(input)?;
        self.consumed = 0;
        Ok(())
    }
}

impl BufRead for SnappyBlocks<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.consumed == self.block.len() && !self.rest.is_empty() {
            self.next_block()?;
        }
        Ok(&self.block[self.consumed..])
    }

    fn consume(&mut self, amount: usize) {
        self.consumed += amount;
    }
}

/// One LZ4 frame; what follows it is ignored, as in Java.
struct Lz4Frame<'a> {
    payload: &'a [u8],
    decoder: lz4_flex::frame::FrameDecoder<&'a [u8]>,
    ended: bool,
}

impl<'a> Lz4Frame<'a> {
    fn new(payload: &'a [u8]) -> Result<Self, Fault> {
        let flags = *payload.get(LZ4_MAGIC.len()).ok_or(Fault::Malformed("LZ4 frame is cut"))?;
        if !payload.starts_with(&LZ4_MAGIC) {
            return Err(Fault::Malformed("not an LZ4 frame"));
        }
        // Java consumers read no linked blocks, so such a batch would be stored and never read.
        if flags & LZ4_INDEPENDENT_BLOCKS == 0 {
            return Err(Fault::Malformed("LZ4 blocks depend on each other"));
        }
        Ok(Self { payload, decoder: lz4_flex::frame::FrameDecoder::new(payload), ended: false })
    }

    /// The decoder takes the end of the input for the end of the frame; an end mark tells them apart.
    fn check_end_mark(&self) -> io::Result<()> {
        let consumed = self.payload.len() - self.decoder.get_ref().len();
        let trailer = if self.payload[LZ4_MAGIC.len()] & LZ4_CONTENT_CHECKSUM == 0 { 0 } else { 4 };
        let mark = consumed.checked_sub(trailer + 4).map(|at| &self.payload[at..at + 4]);
        match mark {
            Some([0, 0, 0, 0]) => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "LZ4 frame is cut")),
        }
    }
}

impl BufRead for Lz4Frame<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.ended && self.decoder.fill_buf()?.is_empty() {
            self.check_end_mark()?;
            self.ended = true;
        }
        match self.ended {
            true => Ok(&[]),
            false => self.decoder.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        self.decoder.consume(amount);
    }
}

macro_rules! read_from_buffer {
    ($($reader:ident),+) => {$(
        impl Read for $reader<'_> {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let available = self.fill_buf()?;
                let len = available.len().min(buf.len());
                buf[..len].copy_from_slice(&available[..len]);
                self.consume(len);
                Ok(len)
            }
        }
    )+};
}
read_from_buffer!(SnappyBlocks, Lz4Frame);

fn gzip(source: &mut dyn BufRead, out: &mut Capped, level: Option<i32>) -> io::Result<()> {
    let level = match level {
        Some(level @ 0..=9) => flate2::Compression::new(level as u32),
        _ => flate2::Compression::default(),
    };
    let mut encoder = flate2::write::GzEncoder::new(out, level);
    io::copy(source, &mut encoder)?;
    encoder.finish().map(drop)
}

fn lz4(source: &mut dyn BufRead, out: &mut Capped) -> io::Result<()> {
    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
    let info = FrameInfo::new().block_mode(BlockMode::Independent).block_size(BlockSize::Max64KB);
    let mut encoder = FrameEncoder::with_frame_info(info, out);
    io::copy(source, &mut encoder)?;
    encoder.finish()?;
    Ok(())
}

fn snappy_java(source: &mut dyn BufRead, out: &mut Capped) -> io::Result<()> {
    out.write_all(SNAPPY_JAVA_MAGIC)?;
    out.write_all(&1i32.to_be_bytes())?;
    out.write_all(&1i32.to_be_bytes())?;
    let mut encoder = snap::raw::Encoder::new();
    let mut plain = Vec::with_capacity(SNAPPY_BLOCK_LEN);
    loop {
        plain.clear();
        source.take(SNAPPY_BLOCK_LEN as u64).read_to_end(&mut plain)?;
        if plain.is_empty() {
            return Ok(());
        }
        let block = encoder.compress_vec(&plain)?;
        out.write_all(&(block.len() as u32).to_be_bytes())?;
        out.write_all(&block)?;
    }
}

/// A buffer that refuses to grow beyond its limit.
struct Capped {
    bytes: Vec<u8>,
    limit: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("larger than the limit")]
struct OverLimit;

impl Write for Capped {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + buf.len() > self.limit {
            return Err(io::Error::other(OverLimit));
        }
        self.bytes.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
