//! One fetch session: its partitions in order, and what was last answered about each.

use super::{Error, INITIAL_EPOCH};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use uuid::Uuid;

/// A topic as the request names it: by name up to version 12, by id from 13.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TopicKey {
    Name(Arc<str>),
    Id(Uuid),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionKey {
    pub topic: TopicKey,
    pub partition: i32,
}

/// What a request (or the session) asks of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub key: PartitionKey,
    pub fetch_offset: i64,
    pub max_bytes: i32,
    pub current_leader_epoch: i32,
    pub last_fetched_epoch: i32,
}

/// What the session has to know about a partition's result to decide whether it is news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The topic that the result is about; a topic that was made again under its name is another one.
    pub topic_id: Uuid,
    pub high_watermark: i64,
    pub log_start_offset: i64,
    pub has_records: bool,
    /// An error or a diverging epoch: always told.
    pub must_tell: bool,
    pub is_error: bool,
}

pub(super) struct Session {
    by_ids: bool,
    /// The epoch of the next request.
    epoch: i32,
    /// In the order to read; a partition that returned data moves to the end.
    partitions: BTreeMap<u64, Cached>,
    places: HashMap<PartitionKey, u64>,
    next_place: u64,
}

struct Cached {
    asked: Asked,
    told: Option<Told>,
}

/// What the client was last told.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Told {
    topic_id: Uuid,
    high_watermark: i64,
    log_start_offset: i64,
}

impl Session {
    /// A session that begins with the answer to the request that asked for it.
    pub(super) fn new(by_ids: bool, asked: Vec<Asked>, results: &[(PartitionKey, Facts)]) -> Self {
        let mut session = Self {
            by_ids,
            epoch: next_epoch(INITIAL_EPOCH),
            partitions: BTreeMap::new(),
            places: HashMap::with_capacity(asked.len()),
            next_place: 0,
        };
        session.update(asked, &[]);
        for (key, facts) in results {
            if let Some(place) = session.places.get(key) {
                let cached = session.partitions.get_mut(place).expect("every place is taken");
                cached.told = told(facts);
            }
        }
        session
    }

    pub(super) fn epoch(&self) -> i32 {
        self.epoch
    }

    pub(super) fn len(&self) -> usize {
        self.partitions.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    pub(super) fn check(&self, epoch: i32, by_ids: bool) -> Result<(), Error> {
        if epoch != self.epoch {
            return Err(Error::InvalidEpoch);
        }
        if by_ids != self.by_ids {
            return Err(Error::TopicIdMismatch);
        }
        Ok(())
    }

    /// Takes in what a request lists, at the end when it is new, and drops what it forgets.
    pub(super) fn update(&mut self, listed: Vec<Asked>, forgotten: &[PartitionKey]) {
        for asked in listed {
            match self.places.get(&asked.key) {
                Some(place) => {
                    self.partitions.get_mut(place).expect("every place is taken").asked = asked;
                }
                None => self.append(Cached { asked, told: None }),
            }
        }
        for key in forgotten {
            if let Some(place) = self.places.remove(key) {
                self.partitions.remove(&place);
            }
        }
    }

    /// What to read, in order.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.partitions.values().map(|cached| cached.asked.clone()).collect()
    }

    /// Moves on to the epoch of the next request and returns it.
    pub(super) fn advance(&mut self) -> i32 {
        self.epoch = next_epoch(self.epoch);
        self.epoch
    }

    /// Is the result news? Remembers it as told. What left the session meanwhile is not answered.
    pub(super) fn respond(&mut self, key: &PartitionKey, facts: &Facts) -> bool {
        let Some(place) = self.places.get(key).copied() else { return false };
        let cached = self.partitions.get_mut(&place).expect("every place is taken");
        let news = facts.has_records || facts.must_tell || cached.told != told(facts);
        cached.told = told(facts);
        if facts.has_records {
            let cached = self.partitions.remove(&place).expect("it was there a line above");
            self.append(cached);
        }
        news
    }

    fn append(&mut self, cached: Cached) {
        self.places.insert(cached.asked.key.clone(), self.next_place);
        self.partitions.insert(self.next_place, cached);
        self.next_place += 1;
    }
}

/// After an error nothing counts as told, so that the partition is answered again when the error is gone.
fn told(facts: &Facts) -> Option<Told> {
    let Facts { topic_id, high_watermark, log_start_offset, .. } = *facts;
    (!facts.is_error).then_some(Told { topic_id, high_watermark, log_start_offset })
}

/// Epochs go 1, 2, … and wrap to 1: 0 and -1 have meanings of their own.
pub(super) fn next_epoch(epoch: i32) -> i32 {
    epoch.checked_add(1).unwrap_or(1)
}
