//! What has to be done for all logs from time to time: retention, forgetting silent producers, checkpoints, removing
//! deleted folders. One task for each duty, none for a partition; the work runs on blocking threads.

use super::Logs;
use crate::{config::BrokerConfig, wall_clock::now_ms};
use std::{sync::Arc, time::Duration};
use storage::log::LogError;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval_at, sleep_until},
};

/// Kafka's default for `replica.high.watermark.checkpoint.interval.ms`.
const HIGH_WATERMARK_PERIOD: Duration = Duration::from_secs(5);
/// How exactly `file.delete.delay.ms` is kept for the files of a living log.
const UNLINK_PERIOD: Duration = Duration::from_secs(15);
/// Files that were not used for so long are closed (and within twice that).
const IDLE_PERIOD: Duration = Duration::from_secs(60);

/// How often each duty comes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// Nothing is done before this is over, so that a start is not slowed down.
    pub first_after: Duration,
    pub retention: Duration,
    pub producer_expiry: Duration,
    pub checkpoint: Duration,
    pub log_start_checkpoint: Duration,
}

impl Periods {
    pub fn of(config: &BrokerConfig) -> Self {
        Self {
            first_after: millis(config.log_initial_task_delay_ms),
            retention: millis(config.log_retention_check_interval_ms),
            producer_expiry: millis(config.producer_id_expiration_check_interval_ms.into()),
            checkpoint: millis(config.log_flush_offset_checkpoint_interval_ms.into()),
            log_start_checkpoint: millis(config.log_flush_start_offset_checkpoint_interval_ms.into()),
        }
    }
}

/// Starts the duties. They end when `shutdown` turns true (or its sender goes); wait for the set before closing
/// the logs.
pub fn start(logs: &Arc<Logs>, periods: Periods, shutdown: &watch::Receiver<bool>) -> JoinSet<()> {
    let first = Instant::now() + periods.first_after;
    let mut duties = JoinSet::new();
    let mut every = |period: Duration, duty: fn(&Logs)| {
        duties.spawn(repeat(logs.clone(), first, period, shutdown.clone(), duty));
    };
    every(periods.retention, apply_retention);
    every(periods.producer_expiry, expire_producers);
    every(periods.checkpoint, flush_and_checkpoint);
    every(periods.log_start_checkpoint, |logs| report("log start checkpoint", logs.save_log_starts_now()));
    every(HIGH_WATERMARK_PERIOD, |logs| report("high watermark checkpoint", logs.save_high_watermarks()));
    every(UNLINK_PERIOD, unlink_deleted);
    every(IDLE_PERIOD, |logs| logs.all().iter().for_each(|partition| partition.rest_if_idle()));
    duties.spawn(remove_doomed(logs.clone(), shutdown.clone()));
    duties
}

/// Applies retention to every log.
pub fn apply_retention(logs: &Logs) {
    for partition in logs.all() {
        if let Some(Err(error)) = partition.maintain(|log| log.apply_retention(now_ms())) {
            tracing::error!("retention of {}-{}: {error}", partition.topic(), partition.index());
        }
    }
}

/// Unlinks the files that retention took out of their logs a while ago.
pub fn unlink_deleted(logs: &Logs) {
    for partition in logs.all() {
        for path in partition.maintain(|log| log.take_due_deletions(now_ms())).unwrap_or_default() {
            if let Err(error) = logs.disk.remove(&path) {
                tracing::error!("{} could not be removed: {error}", path.display());
            }
        }
    }
}

/// Forgets producers that were silent too long.
pub fn expire_producers(logs: &Logs) {
    for partition in logs.all() {
        partition.maintain(|log| log.expire_producers(now_ms()));
    }
}

/// Syncs what was written, so that a crash leaves little to recover, and notes how far that went.
pub fn flush_and_checkpoint(logs: &Logs) {
    for partition in logs.all() {
        partition.flush_behind();
    }
    report("checkpoint", logs.save_checkpoints());
}

async fn repeat(
    logs: Arc<Logs>,
    first: Instant,
    period: Duration,
    mut shutdown: watch::Receiver<bool>,
    duty: fn(&Logs),
) {
    let mut ticks = interval_at(first, period);
    // A round that took longer than the period is not made up for.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopped(&mut shutdown) => return,
            _ = ticks.tick() => {}
        }
        run(&logs, duty).await;
    }
}

/// Sleeps until the next folder is due; woken when there is a new one.
async fn remove_doomed(logs: Arc<Logs>, mut shutdown: watch::Receiver<bool>) {
    loop {
        let due = async {
            match logs.next_doom() {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stopped(&mut shutdown) => return,
            () = logs.doom.notified() => {}
            () = due => run(&logs, |logs| logs.remove_doomed(Instant::now())).await,
        }
    }
}

async fn stopped(shutdown: &mut watch::Receiver<bool>) {
    // An error says that the sender is gone, which means the same.
    _ = shutdown.wait_for(|stop| *stop).await;
}

async fn run(logs: &Arc<Logs>, duty: impl FnOnce(&Logs) + Send + 'static) {
    let logs = logs.clone();
    if let Err(panic) = tokio::task::spawn_blocking(move || duty(&logs)).await
        && panic.is_panic()
    {
        std::panic::resume_unwind(panic.into_panic());
    }
}

fn report(what: &str, result: Result<(), LogError>) {
    if let Err(error) = result {
        tracing::error!("{what}: {error}");
    }
}

/// Periods of zero would never rest.
fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0).max(1))
}
