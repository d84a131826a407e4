//! Going through the batches of a log file: by their headers alone, or with their checksums.

use super::Located;
use crate::{
    batch::{HEADER_LEN, Header},
    disk::{File, Wait, read_up_to},
    format::{at, crc32c},
    log::LogError,
};
use std::{io, path::Path};

/// Enough for the headers of a page of small batches in one read.
const HEADER_WINDOW_BYTES: usize = 4096;
const VERIFY_WINDOW_BYTES: usize = 256 * 1024;

/// A stretch of a file in memory that moves along.
pub(crate) struct Window<'a> {
    file: &'a dyn File,
    capacity: usize,
    buf: Vec<u8>,
    /// Position of `buf` in the file.
    start: u64,
    /// Nothing from here on.
    end: u64,
    wait: Wait,
}

impl<'a> Window<'a> {
    pub fn new(file: &'a dyn File, capacity: usize, end: u64, wait: Wait) -> Self {
        Self { file, capacity, buf: Vec::new(), start: 0, end, wait }
    }

    /// Bytes from `position` on, up to `want`; fewer at the end and when the window is smaller.
    pub fn get(&mut self, position: u64, want: usize) -> io::Result<&[u8]> {
        let want = want.min(self.capacity).min(self.end.saturating_sub(position) as usize);
        let held =
            position.checked_sub(self.start).filter(|skip| skip + want as u64 <= self.buf.len() as u64);
        if held.is_none() {
            let len = self.capacity.min(self.end.saturating_sub(position) as usize);
            self.buf.resize(len, 0);
            self.start = position;
            let read = read_up_to(self.file, &mut self.buf, position, self.wait)?;
            self.buf.truncate(read);
        }
        let skip = (position - self.start) as usize;
        Ok(&self.buf[skip..self.buf.len().min(skip + want)])
    }
}

/// The headers of a stretch of batches, in order. Ends where no batch is, or none that is whole.
pub(crate) struct HeaderScan<'a> {
    window: Window<'a>,
    path: &'a Path,
    position: u64,
    end: u64,
}

impl<'a> HeaderScan<'a> {
    pub fn new(file: &'a dyn File, path: &'a Path, position: u64, end: u64, wait: Wait) -> Self {
        Self { window: Window::new(file, HEADER_WINDOW_BYTES, end, wait), path, position, end }
    }

    /// The batch at the current position.
    pub fn peek(&mut self) -> Result<Option<Located>, LogError> {
        let bytes =
            self.window.get(self.position, HEADER_LEN).map_err(|source| LogError::io(self.path, source))?;
        let located = Header::parse(bytes)
            .filter(Header::is_plausible)
            .map(|header| Located { position: self.position, header })
            .filter(|located| located.end() <= self.end);
        Ok(located)
    }

    pub fn next(&mut self) -> Result<Option<Located>, LogError> {
        let located = self.peek()?;
        if let Some(located) = &located {
            self.position = located.end();
        }
        Ok(located)
    }

    /// Where the next batch would start.
    pub fn position(&self) -> u64 {
        self.position
    }
}

/// What a file of batches really holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    /// Whole, intact batches with rising offsets end here.
    pub len: u64,
    /// What follows is not just zeros (space that was set aside).
    pub has_damage: bool,
}

/// Reads every byte up to the first batch that is cut, damaged, or out of order (below `first_offset` or the end of
/// the one before). `visit` is told of each good batch.
pub(crate) fn verify(
    file: &dyn File,
    len: u64,
    first_offset: i64,
    visit: &mut dyn FnMut(&Header),
) -> io::Result<Verified> {
    let mut window = Window::new(file, VERIFY_WINDOW_BYTES, len, Wait::Block);
    let (mut position, mut next_offset) = (0, first_offset);
    while let Some(header) = intact(&mut window, position, len)? {
        // An offset that an index could not express belongs to no segment.
        let in_range = header.last_offset() - first_offset <= i64::from(i32::MAX);
        if header.base_offset < next_offset || !in_range {
            break;
        }
        visit(&header);
        next_offset = header.last_offset() + 1;
        position += header.byte_len();
    }
    let rest = window.get(position, HEADER_LEN)?;
    Ok(Verified { len: position, has_damage: rest.iter().any(|&byte| byte != 0) })
}

fn intact(window: &mut Window<'_>, position: u64, len: u64) -> io::Result<Option<Header>> {
    let head = window.get(position, HEADER_LEN)?;
    let Some(header) = Header::parse(head).filter(Header::is_plausible) else { return Ok(None) };
    let end = position + header.byte_len();
    if end > len {
        return Ok(None);
    }
    Ok((checksum(window, position + at::ATTRIBUTES as u64, end)? == header.crc).then_some(header))
}

/// The length in a damaged header may be anything, so a batch is never held in memory as a whole.
fn checksum(window: &mut Window<'_>, mut position: u64, end: u64) -> io::Result<u32> {
    let whole = (end - position) as usize;
    if whole <= VERIFY_WINDOW_BYTES {
        let bytes = window.get(position, whole)?;
        return Ok(crc32c(&[bytes]));
    }
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    while position < end {
        let bytes = window.get(position, (end - position).min(VERIFY_WINDOW_BYTES as u64) as usize)?;
        if bytes.is_empty() {
            break;
        }
        digest.update(bytes);
        position += bytes.len() as u64;
    }
    Ok(digest.finalize() as u32)
}
