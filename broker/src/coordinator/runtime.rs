//! The group coordinator as the broker uses it: finds the shard, asks it, waits for the reply and for durability.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwap;
use thiserror::Error;
use uuid::Uuid;

use super::{
    Clock, Now, OffsetsLog, ReplayFailure,
    group::{
        CommitRequest, Description, FetchedOffsets, GroupError, GroupSettings, Identity, JoinReply,
        JoinRequest, Leaving, Listing, PartitionOutcomes, RecordError, SyncReply, SyncRequest,
    },
    partition_for,
    shard::{LeaveOutcomes, Shard},
    timer_task::Alarm,
};

/// Where fresh member ids come from.
pub type Ids = Box<dyn Fn() -> Uuid + Send + Sync>;

/// Coordinates the groups of this node. Every method may be called from any task.
pub struct GroupCoordinator {
    settings: Arc<GroupSettings>,
    log: Arc<dyn OffsetsLog>,
    clock: Arc<dyn Clock>,
    ids: Ids,
    /// One per partition of the topic; none while the topic does not exist.
    shards: ArcSwap<Vec<Arc<Shard>>>,
    alarm: Alarm,
    is_stopped: AtomicBool,
}

/// Why a partition's groups cannot be served.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The partition's log cannot be read.
    #[error("loading groups of partition {partition}: {source}")]
    Replay { partition: i32, source: ReplayFailure },
    /// The log holds a record of a known kind that cannot be read; going on would lose what it says.
    #[error("loading groups of partition {partition}: {source}")]
    Record { partition: i32, source: RecordError },
}

impl GroupCoordinator {
    /// A coordinator that serves nothing yet; `ids` makes what tells members apart.
    pub fn new(settings: GroupSettings, log: Arc<dyn OffsetsLog>, clock: Arc<dyn Clock>, ids: Ids) -> Self {
        Self {
            settings: Arc::new(settings),
            log,
            clock,
            ids,
            shards: ArcSwap::default(),
            alarm: Alarm::default(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Reads a partition of the topic and begins to serve its groups. Until then they are answered as loading.
    pub fn load(&self, partition: i32) -> Result<(), LoadError> {
        self.match_partition_count();
        let shards = self.shards.load_full();
        let Some(shard) = usize::try_from(partition).ok().and_then(|index| shards.get(index)) else {
            let source = ReplayFailure("the partition does not exist".to_owned());
            return Err(LoadError::Replay { partition, source });
        };
        shard.load(self.clock.now(), self.settings.clone())?;
        self.alarm.watch(shard.next_deadline_ms());
        Ok(())
    }

    /// Loads every partition that there is. To be called before the port opens, and when the topic was created.
    pub fn load_all(&self) -> Result<(), LoadError> {
        (0..self.log.partition_count()).try_for_each(|partition| self.load(partition))
    }

    /// From now on every request is answered as not available.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// JoinGroup. Waits until the group's next generation is known, unless the answer is known before.
    pub async fn join(&self, request: &JoinRequest) -> JoinReply {
        let refuse =
            |error| super::group::JoinRefusal { error, member_id: request.member_id.as_str().into() };
        let shard = self.shard(&request.group_id).map_err(refuse)?;
        let waiting = shard.join(self.now(), request, (self.ids)()).map_err(refuse)?;
        self.watch(&shard);
        let reply = waiting.await.map_err(|_| refuse(GroupError::NotCoordinator))?;
        self.durable(&shard).await.map_err(refuse)?;
        reply
    }

    /// SyncGroup. Waits for the leader's assignment.
    pub async fn sync(&self, request: &SyncRequest) -> SyncReply {
        let shard = self.shard(&request.group_id)?;
        let waiting = shard.sync(self.now(), request)?;
        self.watch(&shard);
        let reply = waiting.await.map_err(|_| GroupError::NotCoordinator)?;
        self.durable(&shard).await?;
        reply
    }

    /// Heartbeat. While groups are loaded members are believed: a refusal would make them join again for nothing.
    pub fn heartbeat(
        &self,
        group_id: &str,
        generation: i32,
        identity: Identity<'_>,
    ) -> Result<(), GroupError> {
        let shard = self.shard(group_id)?;
        let outcome = shard.heartbeat(self.now(), group_id, generation, identity);
        self.watch(&shard);
        if outcome == Err(GroupError::Loading) { Ok(()) } else { outcome }
    }

    /// LeaveGroup.
    pub async fn leave(&self, group_id: &str, leaving: &[Leaving]) -> Result<LeaveOutcomes, GroupError> {
        if group_id.is_empty() {
            return Err(GroupError::InvalidGroupId);
        }
        let shard = self.shard(group_id)?;
        let outcomes = shard.leave(self.now(), group_id, leaving)?;
        self.watch(&shard);
        self.durable(&shard).await?;
        Ok(outcomes)
    }

    /// OffsetCommit.
    pub async fn commit(&self, request: &CommitRequest) -> Result<PartitionOutcomes, GroupError> {
        let shard = self.shard(&request.group_id)?;
        let now = self.now();
        let outcomes = shard.decide(now, |groups| groups.commit(now, request))?;
        self.watch(&shard);
        self.durable(&shard).await?;
        Ok(outcomes)
    }

    /// OffsetFetch; without topics, everything that is committed.
    pub fn fetch(
        &self,
        group_id: &str,
        topics: Option<&[(Arc<str>, Vec<i32>)]>,
    ) -> Result<FetchedOffsets, GroupError> {
        self.shard(group_id)?.read(|groups| groups.fetch(group_id, topics))
    }

    /// OffsetDelete.
    pub async fn delete_offsets(
        &self,
        group_id: &str,
        topics: &[(Arc<str>, Vec<i32>)],
    ) -> Result<PartitionOutcomes, GroupError> {
        let shard = self.shard(group_id)?;
        let outcomes = shard.delete(self.now(), |groups| groups.delete_offsets(group_id, topics))?;
        self.durable(&shard).await?;
        Ok(outcomes)
    }

    /// DescribeGroups; `None` if there is no such group.
    pub fn describe(&self, group_id: &str) -> Result<Option<Description>, GroupError> {
        self.shard(group_id)?.read(|groups| groups.describe(group_id))
    }

    /// ListGroups, by name.
    pub fn list(&self) -> Result<Vec<Listing>, GroupError> {
        self.check_running()?;
        let mut listings = Vec::new();
        for shard in self.shards.load().iter() {
            shard.read(|groups| listings.extend(groups.list()))?;
        }
        listings.sort_by(|one, other| one.group_id.cmp(&other.group_id));
        Ok(listings)
    }

    /// DeleteGroups, for one of them.
    pub async fn delete_group(&self, group_id: &str) -> Result<(), GroupError> {
        let shard = self.shard(group_id)?;
        shard.delete(self.now(), |groups| groups.delete_group(group_id))?;
        tracing::info!(group = group_id, "group deleted");
        self.durable(&shard).await
    }

    /// Drops what groups have committed for topics that are no more.
    pub async fn on_topics_deleted(&self, topics: &BTreeSet<&str>) -> Result<(), GroupError> {
        for shard in self.shards.load_full().iter() {
            if shard.clean_up(self.now(), |groups| groups.offsets_of_topics(topics))? > 0 {
                self.durable(shard).await?;
            }
        }
        Ok(())
    }

    /// Drops offsets and groups whose time is over. To be called every `offsets.retention.check.interval.ms`; what
    /// fails is tried again the next time.
    pub fn expire(&self) {
        let now = self.now();
        for shard in self.shards.load_full().iter() {
            match shard.clean_up(now, |groups| groups.expired(now)) {
                Ok(0) | Err(GroupError::Loading) => {}
                Ok(count) => {
                    tracing::info!(
                        partition = shard.partition(),
                        count,
                        "expired offsets and groups dropped"
                    );
                }
                Err(error) => {
                    tracing::warn!(partition = shard.partition(), %error, "expired offsets could not be dropped");
                }
            }
        }
    }

    /// Fires deadlines as they come, for as long as it is polled. One task of the broker runs it.
    pub async fn run_timers(&self) {
        loop {
            let earliest = || self.shards.load().iter().map(|shard| shard.next_deadline_ms()).min();
            self.alarm.wait(|| earliest().unwrap_or(i64::MAX), || self.now().tick_ms).await;
            let now = self.now();
            for shard in
                self.shards.load_full().iter().filter(|shard| shard.next_deadline_ms() <= now.tick_ms)
            {
                shard.on_time(now);
            }
        }
    }

    fn shard(&self, group_id: &str) -> Result<Arc<Shard>, GroupError> {
        self.check_running()?;
        let shards = self.shards.load();
        let count = i32::try_from(shards.len()).unwrap_or(i32::MAX);
        if count == 0 {
            return Err(GroupError::NotCoordinator);
        }
        let index = usize::try_from(partition_for(group_id, count)).unwrap_or_default();
        Ok(shards[index].clone())
    }

    fn check_running(&self) -> Result<(), GroupError> {
        if self.is_stopped.load(Ordering::Relaxed) { Err(GroupError::NotAvailable) } else { Ok(()) }
    }

    /// Makes shards for partitions that have none. The topic keeps its number of partitions once it exists: groups
    /// would move otherwise.
    fn match_partition_count(&self) {
        let count = self.log.partition_count();
        self.shards.rcu(|shards| {
            let mut shards = Vec::clone(shards);
            let known = i32::try_from(shards.len()).unwrap_or(i32::MAX);
            shards.extend((known..count).map(|partition| Arc::new(Shard::new(partition, self.log.clone()))));
            shards
        });
    }

    fn watch(&self, shard: &Shard) {
        self.alarm.watch(shard.next_deadline_ms());
    }

    async fn durable(&self, shard: &Shard) -> Result<(), GroupError> {
        self.log.durable(shard.partition()).await.map_err(GroupError::from)
    }

    fn now(&self) -> Now {
        self.clock.now()
    }
}
