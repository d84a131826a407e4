//! Sessions with the runtime, on paused time and a log in memory.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use parking_lot::Mutex;
use uuid::Uuid;

use super::{
    AppendFailure, GroupCoordinator, LoadError, OffsetsLog, ReplayFailure, SystemClock,
    group::{
        CommitRequest, GroupError, GroupSettings, Identity, JoinRequest, Joined, OffsetToCommit, State,
        SyncRequest, TopicToCommit,
    },
    log::{Durable, KeyValue, Visit},
    partition_for,
};

type Batch = Vec<KeyValue>;

/// Partitions in memory.
#[derive(Default)]
pub(crate) struct MemoryLog {
    partitions: Mutex<Vec<Vec<Batch>>>,
    /// What appends answer.
    failure: Mutex<Option<AppendFailure>>,
    /// What the wait for durability answers.
    durable: Mutex<Option<AppendFailure>>,
}

impl MemoryLog {
    pub(crate) fn new(partition_count: usize) -> Arc<Self> {
        let log = Self::default();
        log.partitions.lock().resize(partition_count, Vec::new());
        Arc::new(log)
    }
}

impl OffsetsLog for MemoryLog {
    fn partition_count(&self) -> i32 {
        i32::try_from(self.partitions.lock().len()).expect("few")
    }

    fn append(&self, partition: i32, records: &[KeyValue]) -> Result<(), AppendFailure> {
        if let Some(failure) = *self.failure.lock() {
            return Err(failure);
        }
        let bytes = |(key, value): &(Bytes, Option<Bytes>)| key.len() + value.as_ref().map_or(0, Bytes::len);
        if records.iter().map(bytes).sum::<usize>() > 1_000_000 {
            return Err(AppendFailure::TooLarge);
        }
        self.partitions.lock()[usize::try_from(partition).expect("an index")].push(records.to_vec());
        Ok(())
    }

    fn replay(&self, partition: i32, visit: Visit<'_>) -> Result<(), ReplayFailure> {
        let batches = self.partitions.lock()[usize::try_from(partition).expect("an index")].clone();
        for (key, value) in batches.iter().flatten() {
            visit(key, value.as_deref());
        }
        Ok(())
    }

    fn durable(&self, _partition: i32) -> Durable<'_> {
        let outcome = self.durable.lock().map_or(Ok(()), Err);
        Box::pin(async move { outcome })
    }
}

pub(crate) fn coordinator(settings: GroupSettings, log: Arc<MemoryLog>) -> Arc<GroupCoordinator> {
    let last = Mutex::new(0u128);
    let ids = Box::new(move || {
        let mut last = last.lock();
        *last += 1;
        Uuid::from_u128(*last)
    });
    let coordinator = GroupCoordinator::new(settings, log, Arc::new(SystemClock::new()), ids);
    coordinator.load_all().expect("loaded");
    Arc::new(coordinator)
}

fn consumer() -> JoinRequest {
    JoinRequest {
        group_id: "g".into(),
        client_id: "client".into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 20_000,
        protocol_type: "consumer".into(),
        protocols: vec![("range".into(), Bytes::from_static(b"\x01"))],
        ..JoinRequest::default()
    }
}

fn sync(member: &Joined) -> SyncRequest {
    SyncRequest {
        group_id: "g".into(),
        generation: member.generation,
        member_id: member.member_id.to_string(),
        assignments: vec![(member.member_id.to_string(), Bytes::from_static(b"all"))],
        ..SyncRequest::default()
    }
}

fn commit() -> CommitRequest {
    let offset = OffsetToCommit { partition: 0, offset: 5, leader_epoch: 3, metadata: "m".into() };
    CommitRequest {
        group_id: "g".into(),
        generation: -1,
        member_id: String::new(),
        instance_id: None,
        retention_ms: None,
        knows_group_not_found: true,
        topics: vec![TopicToCommit {
            topic: "t".into(),
            topic_id: Uuid::from_u128(7),
            offsets: vec![offset],
        }],
    }
}

fn heartbeat(groups: &GroupCoordinator, member: &Joined) -> Result<(), GroupError> {
    let identity = Identity { member_id: &member.member_id, instance_id: None };
    groups.heartbeat("g", member.generation, identity)
}

#[tokio::test(start_paused = true)]
async fn timers_fire_on_their_own() {
    let groups = coordinator(GroupSettings::default(), MemoryLog::new(5));
    let timers = tokio::spawn({
        let groups = groups.clone();
        async move { groups.run_timers().await }
    });
    let member = groups.join(&consumer()).await.expect("joined");
    groups.sync(&sync(&member)).await.expect("synced");
    tokio::time::sleep(Duration::from_millis(9990)).await;
    assert_eq!(heartbeat(&groups, &member), Ok(()));

    // A second member waits; the first is silent until its session ends, well before the rebalance time-out.
    let start = tokio::time::Instant::now();
    let second = groups.join(&consumer()).await.expect("joined");
    assert_eq!((second.generation, second.members.len()), (2, 1));
    assert!(start.elapsed() >= Duration::from_millis(10_000), "{:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_millis(10_010), "{:?}", start.elapsed());
    timers.abort();
}

#[tokio::test(start_paused = true)]
async fn gathering_of_first_members_needs_only_the_timer() {
    let settings = GroupSettings { initial_rebalance_delay_ms: 3000, ..GroupSettings::default() };
    let groups = coordinator(settings, MemoryLog::new(1));
    let timers = tokio::spawn({
        let groups = groups.clone();
        async move { groups.run_timers().await }
    });
    let request = consumer();
    let (one, other) = tokio::join!(groups.join(&request), groups.join(&request));
    assert_eq!(one.expect("joined").generation, 1);
    assert_eq!(other.expect("joined").generation, 1);
    timers.abort();
}

#[tokio::test(start_paused = true)]
async fn client_that_hangs_up_only_misses_its_reply() {
    let groups = coordinator(GroupSettings::default(), MemoryLog::new(1));
    let leader = groups.join(&consumer()).await.expect("joined");
    groups.sync(&sync(&leader)).await.expect("synced");
    let request = consumer();
    let hung_up = tokio::time::timeout(Duration::from_millis(1), groups.join(&request)).await;
    assert!(hung_up.is_err());
    let again = JoinRequest { member_id: leader.member_id.to_string(), ..consumer() };
    assert_eq!(groups.join(&again).await.expect("joined").members.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn everything_is_there_after_a_restart() {
    let log = MemoryLog::new(5);
    let groups = coordinator(GroupSettings::default(), log.clone());
    groups.commit(&commit()).await.expect("committed");
    let member = groups.join(&consumer()).await.expect("joined");
    groups.sync(&sync(&member)).await.expect("synced");
    let partition = usize::try_from(partition_for("g", 5)).expect("an index");
    let batches: Vec<usize> = log.partitions.lock()[partition].iter().map(Vec::len).collect();
    assert_eq!(batches, [1, 1], "one batch for each change");

    let groups = coordinator(GroupSettings::default(), log);
    assert_eq!(groups.describe("g").expect("served").expect("there").state, State::Stable);
    assert_eq!(groups.sync(&sync(&member)).await.expect("synced").assignment, "all");
    let all = groups.fetch("g", None).expect("served");
    let offset = all[0].1[0].1.as_ref().expect("committed");
    assert_eq!((offset.offset, offset.leader_epoch, &*offset.metadata), (5, 3, "m"));
    assert_eq!(offset.topic_id, Uuid::from_u128(7));
}

#[tokio::test(start_paused = true)]
async fn coordinator_that_loads_believes_members_and_asks_others_to_wait() {
    let ids = Box::new(Uuid::nil);
    let log = MemoryLog::new(0);
    let groups =
        GroupCoordinator::new(GroupSettings::default(), log.clone(), Arc::new(SystemClock::new()), ids);
    assert_eq!(groups.fetch("g", None), Err(GroupError::NotCoordinator), "there is no topic");
    assert!(matches!(groups.load(0), Err(LoadError::Replay { partition: 0, .. })));

    log.partitions.lock().resize(50, Vec::new());
    groups.load((partition_for("g", 50) + 1) % 50).expect("loaded");
    assert_eq!(groups.fetch("g", None), Err(GroupError::Loading));
    assert_eq!(groups.list().err(), Some(GroupError::Loading));
    assert_eq!(groups.join(&consumer()).await.expect_err("not yet").error, GroupError::Loading);
    let identity = Identity { member_id: "m", instance_id: None };
    assert_eq!(groups.heartbeat("g", 1, identity), Ok(()));

    groups.load_all().expect("loaded");
    assert_eq!(groups.heartbeat("g", 1, identity), Err(GroupError::UnknownMember));
    groups.stop();
    assert_eq!(groups.heartbeat("g", 1, identity), Err(GroupError::NotAvailable));
}

#[tokio::test(start_paused = true)]
async fn log_with_a_record_that_cannot_be_read_is_not_served() {
    let log = MemoryLog::new(1);
    let key = Bytes::from_static(&[0, 2, 0, 1, b'g']);
    log.append(0, &[(key, Some(Bytes::from_static(&[0, 99])))]).expect("appended");
    let groups = GroupCoordinator::new(
        GroupSettings::default(),
        log,
        Arc::new(SystemClock::new()),
        Box::new(Uuid::nil),
    );
    assert!(matches!(groups.load_all(), Err(LoadError::Record { partition: 0, .. })));
    assert_eq!(groups.fetch("g", None), Err(GroupError::Loading));
}

#[tokio::test(start_paused = true)]
async fn answer_waits_for_durability_and_passes_on_its_failure() {
    let log = MemoryLog::new(1);
    let groups = coordinator(GroupSettings::default(), log.clone());
    *log.durable.lock() = Some(AppendFailure::TimedOut);
    assert_eq!(groups.commit(&commit()).await, Err(GroupError::NotAvailable));
    assert_eq!(groups.join(&consumer()).await.expect_err("not durable").error, GroupError::NotAvailable);
    *log.durable.lock() = None;
    *log.failure.lock() = Some(AppendFailure::DiskFull);
    let other = CommitRequest { group_id: "other".into(), ..commit() };
    assert_eq!(groups.commit(&other).await, Err(GroupError::NotCoordinator));
}

#[tokio::test(start_paused = true)]
async fn topics_and_time_take_offsets_along() {
    let log = MemoryLog::new(3);
    let groups = coordinator(GroupSettings { offsets_retention_ms: 0, ..GroupSettings::default() }, log);
    groups.commit(&commit()).await.expect("committed");
    groups.on_topics_deleted(&std::collections::BTreeSet::from(["t"])).await.expect("deleted");
    assert_eq!(groups.fetch("g", None), Ok(Vec::new()));
    assert_eq!(groups.list().expect("served").len(), 1);
    groups.expire();
    assert_eq!(groups.list().expect("served").len(), 0, "a group without anything goes at the next check");
}

/// GADM-04: also when the tombstones are more than one batch can hold.
#[tokio::test(start_paused = true)]
async fn a_group_with_many_offsets_can_be_deleted() {
    let groups = coordinator(GroupSettings::default(), MemoryLog::new(1));
    let topic = |number: i32| TopicToCommit {
        topic: format!("{number}-{}", "x".repeat(200)).into(),
        topic_id: Uuid::nil(),
        offsets: (0..1000)
            .map(|partition| OffsetToCommit {
                partition,
                offset: 1,
                leader_epoch: -1,
                metadata: String::new(),
            })
            .collect(),
    };
    for number in 0..6 {
        groups.commit(&CommitRequest { topics: vec![topic(number)], ..commit() }).await.expect("committed");
    }
    groups.delete_group("g").await.expect("deleted");
    assert_eq!((groups.fetch("g", None), groups.describe("g")), (Ok(Vec::new()), Ok(None)));
}
