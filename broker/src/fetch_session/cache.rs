//! The bounded cache of sessions, with Kafka's rules for who has to go.

use super::Session;
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};
use tokio::time::Instant;

pub(super) struct Cache {
    slots: usize,
    eviction_age: Duration,
    sessions: HashMap<i32, Entry>,
    by_last_use: BTreeSet<(Instant, i32)>,
    /// Sessions that have had their time: a bigger one may take the place of the smallest.
    seasoned_by_size: BTreeSet<(usize, i32)>,
    /// Of all sessions together.
    partitions: usize,
}

/// Most partitions that all sessions together may remember, each a few hundred bytes: slots alone do not bound the
/// memory, since a client can name any number of partitions, even ones that do not exist.
const MAX_PARTITIONS: usize = 500_000;

struct Entry {
    session: Arc<Mutex<Session>>,
    created: Instant,
    last_used: Instant,
    /// Partitions at the last use.
    size: usize,
}

impl Cache {
    pub(super) fn new(slots: usize, eviction_age: Duration) -> Self {
        let (sessions, by_last_use, seasoned_by_size) = Default::default();
        Self { slots, eviction_age, sessions, by_last_use, seasoned_by_size, partitions: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(super) fn get(&self, id: i32) -> Option<Arc<Mutex<Session>>> {
        self.sessions.get(&id).map(|entry| entry.session.clone())
    }

    /// Notes that a session was used. One that grew beyond what all may remember ends; its client begins a new one.
    pub(super) fn touch(&mut self, id: i32, size: usize, now: Instant) {
        let Some(entry) = self.sessions.get_mut(&id) else { return };
        self.by_last_use.remove(&(entry.last_used, id));
        self.seasoned_by_size.remove(&(entry.size, id));
        self.partitions = self.partitions - entry.size + size;
        (entry.last_used, entry.size) = (now, size);
        self.by_last_use.insert((now, id));
        if now.duration_since(entry.created) > self.eviction_age {
            self.seasoned_by_size.insert((size, id));
        }
        if self.partitions > MAX_PARTITIONS {
            self.remove(id);
        }
    }

    /// Is there room for a session of this size, or can room be made? Then it was made.
    pub(super) fn makes_room(&mut self, size: usize, now: Instant) -> bool {
        if self.partitions + size > MAX_PARTITIONS {
            return false;
        }
        if self.sessions.len() < self.slots {
            return true;
        }
        let Some(id) = self.evictable(size, now) else { return false };
        self.remove(id);
        true
    }

    /// Adds a session and returns its id: random, positive, in nobody's use.
    pub(super) fn insert(&mut self, session: Session, now: Instant, mut draw: impl FnMut() -> i32) -> i32 {
        let id = loop {
            let id = draw() & i32::MAX;
            if id != 0 && !self.sessions.contains_key(&id) {
                break id;
            }
        };
        let size = session.len();
        let session = Arc::new(Mutex::new(session));
        self.partitions += size;
        self.sessions.insert(id, Entry { session, created: now, last_used: now, size });
        self.touch(id, size, now);
        id
    }

    pub(super) fn remove(&mut self, id: i32) {
        if let Some(entry) = self.sessions.remove(&id) {
            self.partitions -= entry.size;
            self.by_last_use.remove(&(entry.last_used, id));
            self.seasoned_by_size.remove(&(entry.size, id));
        }
    }

    fn evictable(&self, size: usize, now: Instant) -> Option<i32> {
        let &(last_used, id) = self.by_last_use.first()?;
        if now.duration_since(last_used) > self.eviction_age {
            return Some(id);
        }
        let &(smallest, id) = self.seasoned_by_size.first()?;
        (size > smallest).then_some(id)
    }
}
