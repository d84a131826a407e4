//! A disk in memory that does what real ones do at the worst moment, for tests.
//!
//! What is written is there for readers at once, and durable after a sync. A crash keeps of the rest whatever it
//! likes: for each file some of the writes, the last of them torn, and of the new names some. The choice follows a
//! seed. The disk can also be full, and its syncs can fail.

use super::{Disk, File, Stat, Wait};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, IoSlice},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A disk that can crash.
#[derive(Clone, Default)]
pub struct CrashingDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    dirs: BTreeSet<PathBuf>,
    nodes: Vec<Node>,
    /// Bytes that all files together may have.
    capacity: Option<u64>,
    failing_syncs: bool,
    opened: usize,
    syncs: usize,
}

#[derive(Clone, Default)]
struct Node {
    data: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Len(u64),
}

impl CrashingDisk {
    /// From now on all files together have room for so many bytes; `None` for any.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        self.state().capacity = bytes;
    }

    pub fn fail_syncs(&self, failing: bool) {
        self.state().failing_syncs = failing;
    }

    /// Bytes in all files.
    pub fn used(&self) -> u64 {
        self.state().used()
    }

    /// Files opened so far.
    pub fn opened(&self) -> usize {
        self.state().opened
    }

    /// Syncs of files so far.
    pub fn syncs(&self) -> usize {
        self.state().syncs
    }

    /// Contents of a file.
    pub fn contents(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(path).map(|&id| state.nodes[id].data.clone())
    }

    /// The power fails. Open files of before must not be used any more.
    pub fn crash(&self, seed: u64) {
        let mut state = self.state();
        let mut chance = Chance(seed | 1);
        let State { names, durable_names, nodes, .. } = &mut *state;
        // A name that was made or moved after the last sync of its folder may be either.
        for (path, id) in std::mem::take(names) {
            if durable_names.get(&path) == Some(&id) || chance.coin() {
                names.insert(path, id);
            }
        }
        for (path, &id) in durable_names.iter() {
            let moved_away = !names.values().any(|&known| known == id);
            if moved_away && !names.contains_key(path) {
                names.insert(path.clone(), id);
            }
        }
        nodes.iter_mut().for_each(|node| node.crash(&mut chance));
        *durable_names = names.clone();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn used(&self) -> u64 {
        self.names.values().map(|&id| self.nodes[id].data.len() as u64).sum()
    }

    fn room(&self) -> u64 {
        self.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(self.used()))
    }
}

impl Node {
    fn apply(data: &mut Vec<u8>, change: &Change) {
        match change {
            Change::Len(len) => data.resize(*len as usize, 0),
            Change::Write(at, bytes) => {
                let end = *at as usize + bytes.len();
                if data.len() < end {
                    data.resize(end, 0);
                }
                data[*at as usize..end].copy_from_slice(bytes);
            }
        }
    }

    fn change(&mut self, change: Change) {
        Self::apply(&mut self.data, &change);
        self.pending.push(change);
    }

    fn crash(&mut self, chance: &mut Chance) {
        let mut data = std::mem::take(&mut self.durable);
        let kept = chance.below(self.pending.len() + 1);
        for (at, change) in std::mem::take(&mut self.pending).iter().enumerate() {
            match change {
                _ if at < kept => Self::apply(&mut data, change),
                // The first write that did not make it is torn; of later ones the length may be there, as zeros.
                Change::Write(position, bytes) if at == kept => {
                    let torn = bytes[..chance.below(bytes.len() + 1)].to_vec();
                    Self::apply(&mut data, &Change::Write(*position, torn));
                    if chance.coin() {
                        let len = data.len().max(*position as usize + bytes.len());
                        Self::apply(&mut data, &Change::Len(len as u64));
                    }
                }
                _ => {}
            }
        }
        self.data = data.clone();
        self.durable = data;
    }
}

impl Disk for CrashingDisk {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>> {
        let mut state = self.state();
        state.opened += 1;
        let id = match state.names.get(path) {
            Some(&id) => id,
            None if create && path.parent().is_some_and(|dir| state.dirs.contains(dir)) => {
                state.nodes.push(Node::default());
                let id = state.nodes.len() - 1;
                state.names.insert(path.to_owned(), id);
                id
            }
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(Arc::new(CrashingFile { disk: self.clone(), id }))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.state();
        let id = *state.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Stat { len: state.nodes[id].data.len() as u64, modified_ms: 0 })
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.state();
        if !state.dirs.contains(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inside = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.dirs.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_unsynced(from, to)?;
        self.sync_dir(to.parent().unwrap_or(Path::new("")))
    }

    fn rename_unsynced(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let id = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), id);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.names.retain(|name, _| !name.starts_with(path));
        state.dirs.retain(|dir| !dir.starts_with(path));
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state();
        if state.failing_syncs {
            return Err(io::Error::other("the disk is broken"));
        }
        let State { names, durable_names, .. } = &mut *state;
        durable_names.retain(|path, _| path.parent() != Some(dir));
        let inside = names.iter().filter(|(path, _)| path.parent() == Some(dir));
        durable_names.extend(inside.map(|(path, id)| (path.clone(), *id)));
        Ok(())
    }
}

struct CrashingFile {
    disk: CrashingDisk,
    id: usize,
}

impl File for CrashingFile {
    fn read_at(&self, buf: &mut [u8], position: u64, _: Wait) -> io::Result<usize> {
        let state = self.disk.state();
        let data = &state.nodes[self.id].data;
        let from = data.get(position as usize..).unwrap_or_default();
        let len = from.len().min(buf.len());
        buf[..len].copy_from_slice(&from[..len]);
        Ok(len)
    }

    fn write_at(&self, parts: &[IoSlice<'_>], position: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let grows = (position + bytes.len() as u64).saturating_sub(state.nodes[self.id].data.len() as u64);
        let missing = grows.saturating_sub(state.room()) as usize;
        let node = &mut state.nodes[self.id];
        // A full disk takes what fits before it refuses.
        node.change(Change::Write(position, bytes[..bytes.len().saturating_sub(missing)].to_vec()));
        match missing {
            0 => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.state().nodes[self.id].change(Change::Len(len));
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.state().nodes[self.id].data.len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.syncs += 1;
        if state.failing_syncs {
            return Err(io::Error::other("the disk is broken"));
        }
        let node = &mut state.nodes[self.id];
        node.durable = node.data.clone();
        node.pending.clear();
        Ok(())
    }
}

/// Numbers that look like chance (xorshift).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}
