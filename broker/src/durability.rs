//! Group commit: batches that must survive a power cut before they are acknowledged wait here, and one sync
//! serves every batch that was appended before it began.
//!
//! It holds no files and takes no locks of the log; whoever owns the log says how to sync. The default
//! settings never come here: Kafka's default acknowledges what is in the page cache.

use parking_lot::Mutex;
use std::sync::Arc;
use storage::log::LogError;
use tokio::sync::Notify;

/// Resolves when everything up to and including `offset` is on stable storage.
///
/// After a failed sync nothing is ever acknowledged again: the process is being stopped, as the kernel may
/// have dropped the pages that could not be written.
pub async fn wait_durable<L: Syncable>(log: &Arc<L>, offset: i64) -> Result<(), SyncFailed> {
    loop {
        let finished = log.group_commit().finished.notified();
        tokio::pin!(finished);
        // Registered before looking, or a sync that ends in between would be missed.
        finished.as_mut().enable();
        match log.group_commit().state_of(offset) {
            State::Durable => return Ok(()),
            State::Failed => return Err(SyncFailed),
            State::Pending => request_sync(log, offset),
        }
        finished.await;
    }
}

/// Sees to it that `offset` becomes durable soon, without waiting: starts a sync unless one is running, which
/// then runs once more.
pub fn request_sync<L: Syncable>(log: &Arc<L>, offset: i64) {
    if log.group_commit().wants(offset) {
        let log = log.clone();
        tokio::task::spawn_blocking(move || sync_what_is_wanted(&*log));
    }
}

/// Syncs at once, whoever else does; what waits for it is served as well. May block.
pub fn sync_now<L: Syncable>(log: &L) {
    if let Some(below) = sync_once(log) {
        let commit = log.group_commit();
        commit.state.lock().durable(below);
        commit.finished.notify_waiters();
    }
}

fn sync_what_is_wanted<L: Syncable>(log: &L) {
    while let Some(below) = sync_once(log) {
        let more = log.group_commit().synced(below);
        log.group_commit().finished.notify_waiters();
        if !more {
            return;
        }
    }
}

/// Below where everything is durable now; `None` when the sync failed and the process is being stopped.
fn sync_once<L: Syncable>(log: &L) -> Option<i64> {
    match log.sync() {
        Ok(below) => Some(below),
        Err(error) => {
            log.group_commit().state.lock().failed = true;
            (log.fatal())(&format!("a sync failed, so nothing more can be acknowledged: {error}"));
            log.group_commit().finished.notify_waiters();
            None
        }
    }
}

/// A log that group commit can sync.
pub trait Syncable: Send + Sync + 'static {
    /// Syncs now; may block. Everything below the returned offset is durable.
    fn sync(&self) -> Result<i64, LogError>;
    fn group_commit(&self) -> &GroupCommit;
    fn fatal(&self) -> &Fatal;
}

/// What to do when the machine broke a promise that cannot be mended; the real one does not return.
pub type Fatal = Arc<dyn Fn(&str) + Send + Sync>;

/// Logs one line and stops the process at once, writing nothing more.
pub fn stop_process() -> Fatal {
    Arc::new(|why| {
        tracing::error!("stopping: {why}");
        std::process::exit(1);
    })
}

/// The sync failed; the batch must not be acknowledged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sync failed")]
pub struct SyncFailed;

/// The state of one log's group commit.
#[derive(Debug, Default)]
pub struct GroupCommit {
    state: Mutex<Commit>,
    finished: Notify,
}

#[derive(Debug, Default)]
struct Commit {
    /// Everything below is durable.
    durable_below: i64,
    /// The largest offset that someone needs durable.
    wanted: Option<i64>,
    syncing: bool,
    failed: bool,
}

impl Commit {
    fn durable(&mut self, below: i64) {
        self.durable_below = self.durable_below.max(below);
    }
}

enum State {
    Durable,
    Pending,
    Failed,
}

impl GroupCommit {
    fn state_of(&self, offset: i64) -> State {
        let commit = self.state.lock();
        match offset < commit.durable_below {
            true => State::Durable,
            false if commit.failed => State::Failed,
            false => State::Pending,
        }
    }

    /// Notes the wish; true when the caller has to start a sync.
    fn wants(&self, offset: i64) -> bool {
        let mut commit = self.state.lock();
        if offset < commit.durable_below || commit.failed {
            return false;
        }
        commit.wanted = commit.wanted.max(Some(offset));
        !std::mem::replace(&mut commit.syncing, true)
    }

    /// Notes a finished sync; true when more was wanted meanwhile.
    fn synced(&self, below: i64) -> bool {
        let mut commit = self.state.lock();
        commit.durable(below);
        let more = commit.wanted.is_some_and(|wanted| wanted >= below);
        commit.syncing = more;
        if !more {
            commit.wanted = None;
        }
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        atomic::{AtomicI64, AtomicUsize, Ordering},
        mpsc,
    };

    /// A log whose syncs wait until the test lets them go.
    struct Slow {
        end: AtomicI64,
        syncs: AtomicUsize,
        commit: GroupCommit,
        go: Mutex<mpsc::Receiver<Result<(), ()>>>,
        deaths: Arc<AtomicUsize>,
        fatal: Fatal,
    }

    impl Syncable for Slow {
        fn sync(&self) -> Result<i64, LogError> {
            let below = self.end.load(Ordering::SeqCst);
            self.syncs.fetch_add(1, Ordering::SeqCst);
            match self.go.lock().recv().expect("the test holds the other end") {
                Ok(()) => Ok(below),
                Err(()) => Err(LogError::Damaged { path: "x".into(), what: "test".into() }),
            }
        }
        fn group_commit(&self) -> &GroupCommit {
            &self.commit
        }
        fn fatal(&self) -> &Fatal {
            &self.fatal
        }
    }

    fn slow(end: i64) -> (Arc<Slow>, mpsc::Sender<Result<(), ()>>) {
        let (release, go) = mpsc::channel();
        let deaths = Arc::new(AtomicUsize::new(0));
        let fatal: Fatal = Arc::new({
            let deaths = deaths.clone();
            move |_| _ = deaths.fetch_add(1, Ordering::SeqCst)
        });
        let (end, syncs, commit) = (AtomicI64::new(end), AtomicUsize::new(0), GroupCommit::default());
        (Arc::new(Slow { end, syncs, commit, go: Mutex::new(go), deaths, fatal }), release)
    }

    /// Lets every task that can run do so.
    async fn settle() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn one_sync_serves_every_batch_that_waits() {
        let (log, release) = slow(10);
        let waiters: Vec<_> = (0..10)
            .map(|offset| {
                let log = log.clone();
                tokio::spawn(async move { wait_durable(&log, offset).await })
            })
            .collect();
        settle().await;
        release.send(Ok(())).expect("the sync is waiting");
        for waiter in waiters {
            assert_eq!(waiter.await.expect("no panic"), Ok(()));
        }
        assert_eq!(log.syncs.load(Ordering::SeqCst), 1);
        assert_eq!(wait_durable(&log, 3).await, Ok(()), "what is durable costs no sync");
    }

    #[tokio::test]
    async fn a_batch_that_came_during_a_sync_waits_for_the_next_one() {
        let (log, release) = slow(1);
        let first = tokio::spawn({
            let log = log.clone();
            async move { wait_durable(&log, 0).await }
        });
        while log.syncs.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        log.end.store(2, Ordering::SeqCst);
        let second = tokio::spawn({
            let log = log.clone();
            async move { wait_durable(&log, 1).await }
        });
        settle().await;
        release.send(Ok(())).expect("the first sync is waiting");
        assert_eq!(first.await.expect("no panic"), Ok(()));
        assert!(!second.is_finished());
        release.send(Ok(())).expect("the second sync is waiting");
        assert_eq!(second.await.expect("no panic"), Ok(()));
        assert_eq!(log.syncs.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_failed_sync_stops_the_process_and_acknowledges_nothing() {
        let (log, release) = slow(1);
        release.send(Err(())).expect("the log holds the other end");
        assert_eq!(wait_durable(&log, 0).await, Err(SyncFailed));
        assert_eq!(wait_durable(&log, 0).await, Err(SyncFailed));
        assert_eq!((log.deaths.load(Ordering::SeqCst), log.syncs.load(Ordering::SeqCst)), (1, 1));
    }
}
