//! One shard: the groups of one partition, behind one lock, with the requests that wait in them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::{
    AppendFailure, KeyValue, Now, OffsetsLog,
    group::{
        Decision, GroupError, GroupSettings, Groups, Identity, JoinReply, JoinRequest, Leaving, Record,
        Reply, Step, SyncReply, SyncRequest, Token,
    },
    runtime::LoadError,
};

/// The outcome for each member that leaves.
pub(super) type LeaveOutcomes = Vec<Result<(), GroupError>>;

/// Tombstones that are appended together at most; keeps batches far below the topic's limit.
const DELETION_BATCH_RECORDS: usize = 1000;

pub(super) struct Shard {
    partition: i32,
    log: Arc<dyn OffsetsLog>,
    /// `None` until the partition has been replayed.
    served: Mutex<Option<Served>>,
    /// A copy of the first deadline, for the timer task; `i64::MAX` without one.
    next_deadline_ms: AtomicI64,
}

struct Served {
    groups: Groups,
    waiting: HashMap<Token, Waiting>,
    last_token: u64,
}

enum Waiting {
    Join(oneshot::Sender<JoinReply>),
    Sync(oneshot::Sender<SyncReply>),
}

impl Shard {
    pub fn new(partition: i32, log: Arc<dyn OffsetsLog>) -> Self {
        Self { partition, log, served: Mutex::new(None), next_deadline_ms: AtomicI64::new(i64::MAX) }
    }

    pub fn partition(&self) -> i32 {
        self.partition
    }

    pub fn next_deadline_ms(&self) -> i64 {
        self.next_deadline_ms.load(Ordering::SeqCst)
    }

    /// Reads the partition and begins to serve its groups.
    pub fn load(&self, now: Now, settings: Arc<GroupSettings>) -> Result<(), LoadError> {
        let mut groups = Groups::new(settings);
        let mut skipped = 0u64;
        let mut problem = None;
        self.log
            .replay(self.partition, &mut |key, value| match Record::decode(key, value) {
                Ok(Some(record)) => groups.apply(now, record),
                Ok(None) => skipped += 1,
                Err(error) => problem = problem.take().or(Some(error)),
            })
            .map_err(|source| LoadError::Replay { partition: self.partition, source })?;
        if let Some(source) = problem {
            return Err(LoadError::Record { partition: self.partition, source });
        }
        if !groups.is_empty() || skipped > 0 {
            tracing::info!(partition = self.partition, groups = groups.len(), skipped, "groups loaded");
        }
        let mut served = self.served.lock();
        let steps = groups.begin(now);
        let fresh = served.insert(Served { groups, waiting: HashMap::new(), last_token: 0 });
        for step in steps {
            self.follow(fresh, now, step);
        }
        self.settle_time(fresh, now);
        Ok(())
    }

    pub fn join(
        &self,
        now: Now,
        request: &JoinRequest,
        fresh_id: uuid::Uuid,
    ) -> Result<oneshot::Receiver<JoinReply>, GroupError> {
        let (sender, receiver) = oneshot::channel();
        self.serve(now, |shard, served| {
            let token = served.wait(Waiting::Join(sender));
            let step = served.groups.join(now, request, fresh_id, token);
            shard.follow(served, now, step);
        })?;
        Ok(receiver)
    }

    pub fn sync(&self, now: Now, request: &SyncRequest) -> Result<oneshot::Receiver<SyncReply>, GroupError> {
        let (sender, receiver) = oneshot::channel();
        self.serve(now, |shard, served| {
            let token = served.wait(Waiting::Sync(sender));
            let step = served.groups.sync(request, token);
            shard.follow(served, now, step);
        })?;
        Ok(receiver)
    }

    pub fn heartbeat(
        &self,
        now: Now,
        group_id: &str,
        generation: i32,
        identity: Identity<'_>,
    ) -> Result<(), GroupError> {
        self.serve(now, |_, served| served.groups.heartbeat(now, group_id, generation, identity))?
    }

    pub fn leave(&self, now: Now, group_id: &str, leaving: &[Leaving]) -> Result<LeaveOutcomes, GroupError> {
        self.serve(now, |shard, served| {
            let (outcomes, step) = served.groups.leave(now, group_id, leaving);
            shard.follow(served, now, step);
            outcomes
        })
    }

    /// Decide, append as one batch, apply.
    pub fn decide<T>(
        &self,
        now: Now,
        decide: impl FnOnce(&mut Groups) -> Result<Decision<T>, GroupError>,
    ) -> Result<T, GroupError> {
        self.serve(now, |shard, served| {
            let decision = decide(&mut served.groups)?;
            shard.write(served, now, decision.records)?;
            Ok(decision.answer)
        })?
    }

    /// As [`Self::decide`], for deletions: in batches that can fail one by one, for there may be more than one batch
    /// can hold. What was deleted before a failure stays so.
    pub fn delete<T>(
        &self,
        now: Now,
        decide: impl FnOnce(&Groups) -> Result<Decision<T>, GroupError>,
    ) -> Result<T, GroupError> {
        self.serve(now, |shard, served| {
            let Decision { mut records, answer } = decide(&served.groups)?;
            while !records.is_empty() {
                let rest = records.split_off(records.len().min(DELETION_BATCH_RECORDS));
                shard.write(served, now, std::mem::replace(&mut records, rest))?;
            }
            Ok(answer)
        })?
    }

    /// Deletes what `find` finds; how many records that took.
    pub fn clean_up(&self, now: Now, find: impl FnOnce(&Groups) -> Vec<Record>) -> Result<usize, GroupError> {
        self.delete(now, |groups| {
            let records = find(groups);
            let answer = records.len();
            Ok(Decision { records, answer })
        })
    }

    pub fn read<T>(&self, read: impl FnOnce(&Groups) -> T) -> Result<T, GroupError> {
        self.served.lock().as_ref().map(|served| read(&served.groups)).ok_or(GroupError::Loading)
    }

    /// Handles every deadline that has come.
    pub fn on_time(&self, now: Now) {
        // A shard that is not loaded has no deadlines.
        let _ = self.serve(now, |_, _| ());
    }

    /// Does something under the lock; deadlines that have come count as earlier, those that it sets for now as later.
    fn serve<T>(&self, now: Now, act: impl FnOnce(&Self, &mut Served) -> T) -> Result<T, GroupError> {
        let mut served = self.served.lock();
        let served = served.as_mut().ok_or(GroupError::Loading)?;
        self.settle_time(served, now);
        let result = act(self, served);
        self.settle_time(served, now);
        Ok(result)
    }

    fn settle_time(&self, served: &mut Served, now: Now) {
        while let Some(step) = served.groups.on_time(now) {
            self.follow(served, now, step);
        }
        let deadline_ms = served.groups.next_deadline_ms().unwrap_or(i64::MAX);
        self.next_deadline_ms.store(deadline_ms, Ordering::SeqCst);
    }

    /// Sends replies, appends, and goes on with the outcome, until nothing follows.
    fn follow(&self, served: &mut Served, now: Now, mut step: Step) {
        loop {
            for (token, reply) in step.replies {
                served.send(token, reply);
            }
            let Some(append) = step.append else { return };
            let outcome = self.append(&[append.record]);
            step = served.groups.settle(now, append.then, outcome);
        }
    }

    fn write(&self, served: &mut Served, now: Now, records: Vec<Record>) -> Result<(), GroupError> {
        if records.is_empty() {
            return Ok(());
        }
        self.append(&records)?;
        for record in records {
            served.groups.apply(now, record);
        }
        Ok(())
    }

    fn append(&self, records: &[Record]) -> Result<(), AppendFailure> {
        let encoded: Vec<KeyValue> = records.iter().map(Record::encode).collect();
        self.log.append(self.partition, &encoded).inspect_err(|failure| {
            tracing::debug!(partition = self.partition, %failure, "group records were not appended");
        })
    }
}

impl Served {
    fn wait(&mut self, waiting: Waiting) -> Token {
        self.last_token += 1;
        let token = Token(self.last_token);
        self.waiting.insert(token, waiting);
        token
    }

    /// A client that does not wait any more only misses its reply.
    fn send(&mut self, token: Token, reply: Reply) {
        match (self.waiting.remove(&token), reply) {
            (Some(Waiting::Join(sender)), Reply::Join(reply)) => drop(sender.send(reply)),
            (Some(Waiting::Sync(sender)), Reply::Sync(reply)) => drop(sender.send(reply)),
            _ => unreachable!("a token is answered once, in the kind it was given out for"),
        }
    }
}
