//! Deadlines, at most one per key.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// What a deadline is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum TimerKey {
    /// The join phase of a group ends.
    Join(Arc<str>),
    /// Members of a group that have not asked for their assignment are given up.
    Sync(Arc<str>),
    /// A member's session, or that of an id that was given out, ends.
    Session(Arc<str>, Arc<str>),
}

/// Deadlines in the order in which they come; those of the same tick in the order in which they were set.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: BTreeMap<(i64, u64), TimerKey>,
    places: HashMap<TimerKey, (i64, u64)>,
    next_number: u64,
}

impl Timers {
    /// Sets the deadline of `key`, in place of the one it had.
    pub fn set(&mut self, key: TimerKey, deadline_ms: i64) {
        self.cancel(&key);
        let place = (deadline_ms, self.next_number);
        self.next_number += 1;
        self.queue.insert(place, key.clone());
        self.places.insert(key, place);
    }

    /// Forgets the deadline of `key`, if it has one.
    pub fn cancel(&mut self, key: &TimerKey) {
        if let Some(place) = self.places.remove(key) {
            self.queue.remove(&place);
        }
    }

    pub fn next_deadline_ms(&self) -> Option<i64> {
        self.queue.first_key_value().map(|(&(deadline_ms, _), _)| deadline_ms)
    }

    /// Takes the first deadline that has come by `tick_ms`.
    pub fn pop_due(&mut self, tick_ms: i64) -> Option<TimerKey> {
        let entry = self.queue.first_entry()?;
        if entry.key().0 > tick_ms {
            return None;
        }
        let key = entry.remove();
        self.places.remove(&key);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(member: &str) -> TimerKey {
        TimerKey::Session("g".into(), member.into())
    }

    #[test]
    fn deadlines_come_in_order_and_can_be_moved_or_cancelled() {
        let mut timers = Timers::default();
        timers.set(session("a"), 10);
        timers.set(session("b"), 5);
        timers.set(session("c"), 5);
        timers.set(session("b"), 20);
        timers.cancel(&session("a"));
        assert_eq!(timers.next_deadline_ms(), Some(5));
        assert_eq!(timers.pop_due(4), None);
        assert_eq!(timers.pop_due(20), Some(session("c")));
        assert_eq!(timers.pop_due(20), Some(session("b")));
        assert_eq!(timers.pop_due(i64::MAX), None);
        assert!(timers.places.is_empty());
    }
}
