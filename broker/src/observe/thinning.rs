//! A bound on how often the same line is written: clients can cause many of our lines at will (a group that is created,
//! a fetch out of range, a connection that is refused), and must not be able to fill the disk with them.
//!
//! The same line means the same place in the source. What is left out is counted, and told when the place is next
//! allowed to speak. `debug` and `trace` are written whole: whoever turns them on wants to see everything.

use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};
use tracing::{Event, Level, Subscriber, callsite::Identifier, span};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

/// How often a place may speak in a [`WINDOW`].
const LINES: u32 = 100;
const WINDOW: Duration = Duration::from_secs(10);

/// Passes on to `lines` what is not too much.
pub(super) struct Thinned<L> {
    lines: L,
    places: Mutex<HashMap<Identifier, Place>>,
}

/// A place in the source that writes lines.
struct Place {
    since: Instant,
    written: u32,
    left_out: u64,
}

impl<L> Thinned<L> {
    pub(super) fn new(lines: L) -> Self {
        Thinned { lines, places: Mutex::default() }
    }
}

impl Place {
    /// How many lines were left out since the last one, or `None` when this one is left out too.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if now.duration_since(self.since) >= WINDOW {
            (self.since, self.written) = (now, 0);
        }
        if self.written == LINES {
            self.left_out += 1;
            return None;
        }
        self.written += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

impl<S, L> Layer<S> for Thinned<L>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    L: Layer<S>,
{
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() > Level::INFO {
            return self.lines.on_event(event, context);
        }
        let now = Instant::now();
        let admitted = {
            let mut places = self.places.lock();
            let new = || Place { since: now, written: 0, left_out: 0 };
            places.entry(metadata.callsite()).or_insert_with(new).admit(now)
        };
        let Some(left_out) = admitted else { return };
        self.lines.on_event(event, context);
        if left_out > 0 {
            tracing::warn!("{left_out} more lines like the one before were left out");
        }
    }

    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        self.lines.on_new_span(attributes, id, context);
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        self.lines.on_record(id, values, context);
    }

    fn on_enter(&self, id: &span::Id, context: Context<'_, S>) {
        self.lines.on_enter(id, context);
    }

    fn on_exit(&self, id: &span::Id, context: Context<'_, S>) {
        self.lines.on_exit(id, context);
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        self.lines.on_close(id, context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    /// Counts what gets through.
    #[derive(Clone, Default)]
    struct Count(Arc<Mutex<usize>>);

    impl<S: Subscriber> Layer<S> for Count {
        fn on_event(&self, _event: &Event<'_>, _context: Context<'_, S>) {
            *self.0.lock() += 1;
        }
    }

    #[test]
    fn a_flood_is_thinned_out_place_by_place() {
        let count = Count::default();
        let subscriber = Registry::default().with(Thinned::new(count.clone()));
        tracing::subscriber::with_default(subscriber, || {
            for number in 0..1000 {
                tracing::info!(number, "one place");
                tracing::debug!(number, "whoever asked for it gets all of it");
            }
            tracing::warn!("another place");
        });
        assert_eq!(*count.0.lock(), LINES as usize + 1000 + 1);
    }

    #[test]
    fn what_was_left_out_is_told_once_there_is_room() {
        let start = Instant::now();
        let mut place = Place { since: start, written: 0, left_out: 0 };
        let written = (0..1000).filter(|_| place.admit(start).is_some()).count();
        assert_eq!(written, LINES as usize);
        assert_eq!((place.admit(start + WINDOW), place.admit(start + WINDOW)), (Some(900), Some(0)));
    }
}
