//! Fetch sessions (KIP-227): a client names its partitions once and afterwards only what changes; the broker
//! answers only what is new.
//!
//! Pure state: time and chance come in as arguments, nothing is read and nothing waits here. A request goes
//! through [`Sessions::begin`], which settles what is to be read, and [`Context::finish`], which settles what of
//! it is answered.

mod cache;
mod session;
#[cfg(test)]
mod tests;

use cache::Cache;
use parking_lot::Mutex;
use session::Session;
pub use session::{Asked, Facts, PartitionKey, TopicKey};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Epoch of a request that wants no session (or the end of one).
const FINAL_EPOCH: i32 = -1;
/// Epoch of a request for a new session.
const INITIAL_EPOCH: i32 = 0;
/// A session that was not used for so long, or has been there for so long, may be evicted.
const EVICTION_AGE: Duration = Duration::from_secs(120);

/// All sessions of this broker; they belong to no connection.
pub struct Sessions {
    cache: Arc<Mutex<Cache>>,
}

/// What a Fetch request says about its session.
#[derive(Debug)]
pub struct Request {
    pub session_id: i32,
    pub session_epoch: i32,
    /// Does the request name topics by id? A session keeps to one way.
    pub by_ids: bool,
    /// In the order of the request, no partition twice.
    pub listed: Vec<Asked>,
    pub forgotten: Vec<PartitionKey>,
}

/// Why a session request is answered with an error and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    IdNotFound,
    InvalidEpoch,
    /// Made with names and used with ids, or the other way round.
    TopicIdMismatch,
}

impl Sessions {
    /// With `slots` 0 no session is ever made.
    pub fn new(slots: usize) -> Self {
        Self { cache: Arc::new(Mutex::new(Cache::new(slots, EVICTION_AGE))) }
    }

    /// Settles what is to be read.
    pub fn begin(&self, request: Request, now: Instant) -> Result<Context, Error> {
        if matches!(request.session_epoch, FINAL_EPOCH | INITIAL_EPOCH) {
            // Both end the session they name, if it is there.
            self.cache.lock().remove(request.session_id);
            let kind = match request.session_epoch {
                FINAL_EPOCH => Kind::Sessionless,
                _ => Kind::Full { by_ids: request.by_ids },
            };
            return Ok(self.context(kind, request.listed));
        }
        let id = request.session_id;
        let session = self.cache.lock().get(id).ok_or(Error::IdNotFound)?;
        let mut locked = session.lock();
        locked.check(request.session_epoch, request.by_ids)?;
        locked.update(request.listed, &request.forgotten);
        if locked.is_empty() {
            drop(locked);
            self.cache.lock().remove(id);
            return Ok(self.context(Kind::Sessionless, Vec::new()));
        }
        let (asked, size, epoch) = (locked.asked(), locked.len(), locked.advance());
        drop(locked);
        self.cache.lock().touch(id, size, now);
        Ok(self.context(Kind::Incremental { id, epoch, session }, asked))
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.cache.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn context(&self, kind: Kind, asked: Vec<Asked>) -> Context {
        Context { kind, asked, cache: self.cache.clone() }
    }
}

/// A Fetch request between reading and answering.
pub struct Context {
    kind: Kind,
    asked: Vec<Asked>,
    cache: Arc<Mutex<Cache>>,
}

enum Kind {
    Sessionless,
    Full { by_ids: bool },
    Incremental { id: i32, epoch: i32, session: Arc<Mutex<Session>> },
}

/// What goes into the answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// 0: no session.
    pub session_id: i32,
    /// One flag for each result, in their order.
    pub include: Vec<bool>,
}

impl Context {
    /// The partitions to read, in the order to read them.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Settles what is answered of `results`, which are in the order of the answer. `draw` gives random numbers
    /// for a new session's id.
    pub fn finish(
        self,
        results: &[(PartitionKey, Facts)],
        now: Instant,
        draw: impl FnMut() -> i32,
    ) -> Result<Answer, Error> {
        let all = |session_id| Ok(Answer { session_id, include: vec![true; results.len()] });
        match self.kind {
            Kind::Sessionless => all(0),
            Kind::Full { by_ids } => {
                let mut cache = self.cache.lock();
                if !cache.makes_room(self.asked.len(), now) {
                    return all(0);
                }
                let session = Session::new(by_ids, self.asked, results);
                all(cache.insert(session, now, draw))
            }
            Kind::Incremental { id, epoch, session } => {
                let mut session = session.lock();
                // Another request may have used the session while this one waited for data.
                if session.epoch() != epoch {
                    return Err(Error::InvalidEpoch);
                }
                let include = results.iter().map(|(key, facts)| session.respond(key, facts)).collect();
                Ok(Answer { session_id: id, include })
            }
        }
    }
}
