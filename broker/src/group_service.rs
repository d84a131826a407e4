//! The group coordinator in its place: its topic is made when the first group needs it, its timers run, and
//! topics that are deleted take their committed offsets along.

use crate::{
    api::find_coordinator::{Coordinated, CoordinatorTopics},
    catalog::Topics,
    coordinator::GroupCoordinator,
    offsets_topic,
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::{
    sync::{OnceCell, watch},
    time::{Instant, MissedTickBehavior, interval_at},
};

/// The coordinator, and what keeps it served.
pub struct GroupService {
    coordinator: Arc<GroupCoordinator>,
    topics: Topics,
    /// Set once the topic exists and all of it was read.
    ready: OnceCell<()>,
}

impl GroupService {
    /// Reads all groups if there are any, so that none is answered as loading once clients can connect.
    pub async fn start(coordinator: Arc<GroupCoordinator>, topics: Topics) -> Result<Self, String> {
        let service = GroupService { coordinator, topics, ready: OnceCell::new() };
        if service.topics.image().topics.contains_key(offsets_topic::NAME) {
            service.load().await?;
            service.ready.set(()).expect("nobody else can have set it yet");
        }
        Ok(service)
    }

    /// The coordinator; its topic is made first when this is the first group ever. A failure is logged, and
    /// answered by the coordinator as not available.
    pub async fn ready(&self) -> &GroupCoordinator {
        let made = self.ready.get_or_try_init(|| async {
            let made = self.topics.ensure(vec![offsets_topic::NAME.to_owned()]).await;
            let made = made.map_err(|error| error.to_string())?;
            if let Some((_, Err(refusal))) = made.into_iter().find(|(_, outcome)| outcome.is_err()) {
                return Err(format!("{refusal:?}"));
            }
            self.load().await
        });
        if let Err(error) = made.await {
            tracing::error!("{} cannot be made: {error}", offsets_topic::NAME);
        }
        &self.coordinator
    }

    /// The coordinator as it is; it knows no group before the first one needed the topic.
    pub fn coordinator(&self) -> &GroupCoordinator {
        &self.coordinator
    }

    /// Drops what was committed for topics that are no more.
    pub async fn forget_topics(&self, names: &BTreeSet<&str>) {
        if names.is_empty() || self.ready.get().is_none() {
            return;
        }
        if let Err(error) = self.coordinator.on_topics_deleted(names).await {
            tracing::error!("committed offsets of deleted topics stay behind: {error:?}");
        }
    }

    /// Fires timers and expires offsets until the stop. The first check comes after a whole period: members of groups
    /// whose offsets are old have that long to come back after a restart.
    pub async fn run(self: Arc<Self>, expiry_period: Duration, mut stop: watch::Receiver<bool>) {
        let mut expiry = interval_at(Instant::now() + expiry_period, expiry_period);
        expiry.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let expiring = async {
            loop {
                expiry.tick().await;
                self.coordinator.expire();
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => self.coordinator.stop(),
            () = self.coordinator.run_timers() => {}
            () = expiring => {}
        }
    }

    async fn load(&self) -> Result<(), String> {
        let coordinator = self.coordinator.clone();
        let loading = tokio::task::spawn_blocking(move || coordinator.load_all());
        loading.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }
}

impl CoordinatorTopics for GroupService {
    async fn ensure(&self, what: Coordinated) -> bool {
        match what {
            Coordinated::Groups => {
                self.ready().await;
                self.ready.get().is_some()
            }
            // Transactions are not served yet; whoever wants one learns that from InitProducerId.
            Coordinated::Transactions => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::testing::Fixture,
        coordinator::{
            group::{GroupSettings, JoinRequest},
            tests::{MemoryLog, coordinator},
        },
    };

    #[tokio::test(start_paused = true)]
    async fn an_empty_group_outlives_a_restart_until_the_first_check() {
        let log = MemoryLog::new(5);
        let request = JoinRequest {
            group_id: "g".into(),
            session_timeout_ms: 10_000,
            rebalance_timeout_ms: 10_000,
            ..JoinRequest::default()
        };
        // A join without protocols is refused, but makes the group.
        let refused = coordinator(GroupSettings::default(), log.clone()).join(&request).await;
        assert!(refused.is_err());

        let groups = coordinator(GroupSettings::default(), log);
        let service = GroupService::start(groups.clone(), Fixture::new().topics).await.expect("started");
        let (stop, stopped) = watch::channel(false);
        let running = tokio::spawn(Arc::new(service).run(Duration::from_secs(600), stopped));
        let count = || groups.list().expect("served").len();
        tokio::time::sleep(Duration::from_secs(599)).await;
        assert_eq!(count(), 1);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(count(), 0);
        stop.send(true).expect("it runs");
        running.await.expect("it ends");
    }
}
