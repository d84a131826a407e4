//! The same work on many logs, several at a time: mostly it waits for the disk.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// A disk does several syncs in the time of one.
const THREADS_PER_PROCESSOR: usize = 4;

/// Does the work on every item; one of the errors when there are any, after all else was tried.
pub(super) fn for_each<T: Sync, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if items.is_empty() {
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let some = || {
        let mut outcome = Ok(());
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcome = outcome.and(work(item));
        }
        outcome
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (processors * THREADS_PER_PROCESSOR).min(items.len());
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let mut outcome = Ok(());
        for thread in running {
            outcome = outcome.and(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_its_turn_whatever_becomes_of_the_others() {
        let items: Vec<usize> = (0..100).collect();
        let sum = AtomicUsize::new(0);
        let outcome = for_each(&items, |item| {
            sum.fetch_add(*item, Ordering::Relaxed);
            if *item == 50 { Err("fifty") } else { Ok(()) }
        });
        assert_eq!((outcome, sum.into_inner()), (Err("fifty"), 4950));
        assert_eq!(for_each(&[], |(): &()| Err("never")), Ok(()));
    }
}
