//! The two sparse indexes of a segment: offset to file position, and timestamp to offset.
//!
//! An index is a hint: whoever follows an entry checks the batch it points to. Entries of the active segment
//! wait in memory and are written in runs, at the latest when the segment is sealed or the log closed; entries
//! on disk are searched there, so neither size nor number of segments costs memory or open files.

use crate::{
    disk::{Disk, Wait, read_up_to},
    format::{OFFSET_ENTRY_LEN, TIME_ENTRY_LEN},
};
use std::{
    io::{self, IoSlice},
    path::{Path, PathBuf},
};

/// So many entries wait in memory at most (for offsets: 32 MiB of log with the default interval).
const MAX_WAITING: usize = 8192;

/// An entry of fixed length, big-endian.
pub(crate) trait Entry: Copy {
    const LEN: usize;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

/// The batch that starts at `position` ends with offset `base + relative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OffsetEntry {
    pub relative: u32,
    pub position: u32,
}

/// No batch up to the one that ends with offset `base + relative` has a larger timestamp than that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeEntry {
    pub timestamp: i64,
    pub relative: u32,
}

impl Entry for OffsetEntry {
    const LEN: usize = OFFSET_ENTRY_LEN;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.relative.to_be_bytes());
        out.extend_from_slice(&self.position.to_be_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        Self { relative: u32_at(bytes, 0), position: u32_at(bytes, 4) }
    }
}

impl Entry for TimeEntry {
    const LEN: usize = TIME_ENTRY_LEN;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.timestamp.to_be_bytes());
        out.extend_from_slice(&self.relative.to_be_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        let timestamp = bytes[..8].try_into().expect("a range of eight bytes");
        Self { timestamp: i64::from_be_bytes(timestamp), relative: u32_at(bytes, 8) }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("a range of four bytes"))
}

/// Entries in order: the older ones in the file, the newer ones in memory.
#[derive(Debug)]
pub(crate) struct Index<E> {
    pub path: PathBuf,
    on_disk: usize,
    waiting: Vec<E>,
    last: Option<E>,
}

impl<E: Entry> Index<E> {
    /// An index without entries; the file is written when there are some.
    pub fn empty(path: PathBuf) -> Self {
        Self { path, on_disk: 0, waiting: Vec::new(), last: None }
    }

    /// The index in a file; `None` when there is no file or its length is not one of whole entries. Zeros at the end
    /// are no entries: Kafka sets space aside, and takes it back from all logs but its metadata log.
    pub fn load(disk: &dyn Disk, path: &Path) -> io::Result<Option<Self>> {
        let len = match disk.stat(path) {
            Ok(stat) => stat.len as usize,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !len.is_multiple_of(E::LEN) {
            return Ok(None);
        }
        let mut index = Self { on_disk: len / E::LEN, ..Self::empty(path.to_owned()) };
        if index.on_disk > 0 {
            let reader = index.reader(disk, Wait::Block)?;
            index.on_disk = reader.entries_before_space(index.on_disk)?;
            index.last = index.on_disk.checked_sub(1).map(|at| reader.entry(at)).transpose()?;
        }
        Ok(Some(index))
    }

    pub fn len(&self) -> usize {
        self.on_disk + self.waiting.len()
    }

    pub fn last(&self) -> Option<E> {
        self.last
    }

    pub fn push(&mut self, entry: E) {
        self.waiting.push(entry);
        self.last = Some(entry);
    }

    /// Writes what waits once it is much. Best effort: on a full disk the entries go on waiting.
    pub fn spill(&mut self, disk: &dyn Disk) -> io::Result<()> {
        match self.waiting.len() >= MAX_WAITING {
            true => self.write(disk),
            false => Ok(()),
        }
    }

    /// Writes what waits and cuts the file to the entries there are.
    pub fn write(&mut self, disk: &dyn Disk) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(self.waiting.len() * E::LEN);
        self.waiting.iter().for_each(|entry| entry.put(&mut bytes));
        let file = disk.open(&self.path, true)?;
        if !bytes.is_empty() {
            file.write_at(&[IoSlice::new(&bytes)], (self.on_disk * E::LEN) as u64)?;
        }
        file.set_len((self.len() * E::LEN) as u64)?;
        self.on_disk = self.len();
        self.waiting.clear();
        Ok(())
    }

    pub fn sync(&self, disk: &dyn Disk) -> io::Result<()> {
        disk.open(&self.path, false)?.sync()
    }

    /// The last entry for which `at_or_before` holds; it must hold for a first stretch of entries and for none
    /// after it (in a damaged file the answer is any entry or none).
    pub fn floor(
        &self,
        disk: &dyn Disk,
        wait: Wait,
        at_or_before: impl Fn(&E) -> bool,
    ) -> io::Result<Option<E>> {
        let in_memory = self.waiting.partition_point(&at_or_before);
        if in_memory > 0 {
            return Ok(Some(self.waiting[in_memory - 1]));
        }
        if self.on_disk == 0 {
            return Ok(None);
        }
        let reader = self.reader(disk, wait)?;
        let (mut low, mut high) = (0, self.on_disk);
        let mut floor = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = reader.entry(middle)?;
            if at_or_before(&entry) {
                floor = Some(entry);
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(floor)
    }

    fn reader(&self, disk: &dyn Disk, wait: Wait) -> io::Result<Reader<E>> {
        Ok(Reader { file: disk.open(&self.path, false)?, wait, entry: std::marker::PhantomData })
    }

    #[cfg(test)]
    pub fn entries(&self, disk: &dyn Disk) -> io::Result<Vec<E>> {
        let mut entries = Vec::new();
        for at in 0..self.on_disk {
            entries.push(self.reader(disk, Wait::Block)?.entry(at)?);
        }
        entries.extend(&self.waiting);
        Ok(entries)
    }
}

struct Reader<E> {
    file: std::sync::Arc<dyn crate::disk::File>,
    wait: Wait,
    entry: std::marker::PhantomData<E>,
}

impl<E: Entry> Reader<E> {
    fn entry(&self, at: usize) -> io::Result<E> {
        self.bytes(at).map(|bytes| E::get(&bytes[..E::LEN]))
    }

    /// How many of `count` entries come before the zeros that they end in.
    fn entries_before_space(&self, count: usize) -> io::Result<usize> {
        if !self.is_zero(count - 1)? {
            return Ok(count);
        }
        let (mut low, mut high) = (0, count - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.is_zero(middle)? { high = middle } else { low = middle + 1 }
        }
        // One entry of zeros alone is the time 0 at the first offset.
        Ok(if count == 1 { 1 } else { high })
    }

    fn is_zero(&self, at: usize) -> io::Result<bool> {
        self.bytes(at).map(|bytes| bytes == [0; 16])
    }

    /// An entry's bytes, followed by zeros.
    fn bytes(&self, at: usize) -> io::Result<[u8; 16]> {
        let mut bytes = [0; 16];
        match read_up_to(&*self.file, &mut bytes[..E::LEN], (at * E::LEN) as u64, self.wait)? == E::LEN {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    fn entry(i: u32) -> OffsetEntry {
        OffsetEntry { relative: i * 10, position: i * 1000 }
    }

    #[test]
    fn the_floor_is_found_on_disk_and_in_memory() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let mut index = Index::empty(dir.path().join("0.index"));
        let floor = |index: &Index<OffsetEntry>, offset| {
            index.floor(&RealDisk, Wait::Block, |e| e.relative <= offset).expect("reads").map(|e| e.relative)
        };
        assert_eq!(floor(&index, 5), None);
        (1..100).for_each(|i| index.push(entry(i)));
        index.write(&RealDisk).expect("writes");
        (100..150).for_each(|i| index.push(entry(i)));
        for (offset, expected) in
            [(9, None), (10, Some(10)), (999, Some(990)), (1005, Some(1000)), (9999, Some(1490))]
        {
            assert_eq!(floor(&index, offset), expected, "{offset}");
        }
        index.write(&RealDisk).expect("writes");
        let loaded: Index<OffsetEntry> =
            Index::load(&RealDisk, &index.path).expect("reads").expect("whole entries");
        assert_eq!((loaded.len(), loaded.last()), (149, Some(entry(149))));
        assert_eq!(floor(&loaded, 1234), Some(1230));
    }

    #[test]
    fn many_waiting_entries_are_written_and_memory_freed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let mut index = Index::empty(dir.path().join("0.index"));
        for i in 0..MAX_WAITING as u32 * 2 + 1 {
            index.push(entry(i));
            index.spill(&RealDisk).expect("writes");
        }
        assert_eq!((index.on_disk, index.waiting.len()), (2 * MAX_WAITING, 1));
    }

    #[test]
    fn space_that_was_set_aside_holds_no_entries() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for entries in [0, 1, 2, 7] {
            let mut index = Index::empty(dir.path().join(format!("{entries}.index")));
            (1..=entries).for_each(|i| index.push(entry(i)));
            index.write(&RealDisk).expect("writes");
            let file = RealDisk.open(&index.path, true).expect("opens");
            file.set_len(8 * 1000).expect("grows");
            let mut loaded: Index<OffsetEntry> =
                Index::load(&RealDisk, &index.path).expect("reads").expect("whole entries");
            assert_eq!((loaded.len(), loaded.last()), (entries as usize, index.last()));
            loaded.push(entry(100));
            loaded.write(&RealDisk).expect("writes");
            assert_eq!(RealDisk.stat(&index.path).expect("is there").len, (u64::from(entries) + 1) * 8);
        }
    }

    #[test]
    fn one_entry_of_zeros_is_the_time_zero() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("0.timeindex");
        std::fs::write(&path, [0; 12]).expect("writes");
        let index: Index<TimeEntry> = Index::load(&RealDisk, &path).expect("reads").expect("whole entries");
        assert_eq!(index.last(), Some(TimeEntry { timestamp: 0, relative: 0 }));
    }

    #[test]
    fn a_file_of_broken_length_is_no_index() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("0.timeindex");
        assert!(Index::<TimeEntry>::load(&RealDisk, &path).expect("no error").is_none());
        std::fs::write(&path, [0; 13]).expect("writes");
        assert!(Index::<TimeEntry>::load(&RealDisk, &path).expect("no error").is_none());
    }
}
