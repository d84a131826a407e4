//! Every partition that this broker holds, by topic name and by topic id.
//!
//! It keeps folders and handles, and does the duties that concern all logs together; what a topic is called and how
//! many partitions it has is the catalog's business. A partition without data costs a map entry here: no open file,
//! no task, no timer.

mod checkpoints;
pub mod duties;
mod folders;
mod parallel;
pub(crate) mod partition_metadata;
#[cfg(test)]
mod tests;

use crate::{
    config::TopicConfig,
    durability::Fatal,
    partition::{Partition, SyncOnce},
};
use checkpoints::Checkpoints;
use folders::Doomed;
use parking_lot::{Mutex, RwLock};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};
use storage::{
    disk::Disk,
    log::{Hints, Log, LogError},
};
use tokio::{sync::Notify, time::Instant};
use uuid::Uuid;

pub struct Logs {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    opening: Opening,
    /// As read at the start, and as last written.
    checkpoints: Mutex<Checkpoints>,
    topics: RwLock<Topics>,
    /// Folders of deleted partitions, waiting to be removed.
    doomed: Mutex<Vec<Doomed>>,
    doom: Notify,
}

/// What the start of the process knows.
#[derive(Clone)]
pub struct Opening {
    /// The process that had the folder before closed everything properly.
    pub clean: bool,
    pub now_ms: i64,
    /// What to do when a sync fails.
    pub fatal: Fatal,
}

#[derive(Default)]
struct Topics {
    by_name: HashMap<Arc<str>, TopicLogs>,
    by_id: HashMap<Uuid, Arc<str>>,
}

struct TopicLogs {
    id: Uuid,
    partitions: BTreeMap<i32, Arc<Partition>>,
}

/// A partition that the catalog knows, to be opened at the start.
#[derive(Clone, Debug)]
pub struct ToOpen {
    pub topic: Arc<str>,
    pub topic_id: Uuid,
    pub index: i32,
    pub leader_epoch: i32,
    pub config: Arc<TopicConfig>,
}

impl Logs {
    /// Reads the checkpoints and finds what was left to remove; opens no partition.
    pub fn open(disk: Arc<dyn Disk>, data_dir: &Path, opening: Opening) -> Result<Self, LogError> {
        let checkpoints = Mutex::new(Checkpoints::load(&*disk, data_dir)?);
        let doomed = Mutex::new(folders::left_to_remove(&*disk, data_dir)?);
        let (topics, doom) = Default::default();
        Ok(Self { disk, dir: data_dir.to_owned(), opening, checkpoints, topics, doomed, doom })
    }

    pub fn get(&self, topic: &str, index: i32) -> Option<Arc<Partition>> {
        self.topics.read().by_name.get(topic)?.partitions.get(&index).cloned()
    }

    pub fn get_by_id(&self, topic: Uuid, index: i32) -> Option<Arc<Partition>> {
        let topics = self.topics.read();
        let name = topics.by_id.get(&topic)?;
        topics.by_name.get(name)?.partitions.get(&index).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Partition>> {
        let topics = self.topics.read();
        topics.by_name.values().flat_map(|topic| topic.partitions.values().cloned()).collect()
    }

    /// Makes the folder and opens the (empty or existing) log; the partition can be used when this returns. May block.
    ///
    /// A folder that belongs to another topic of the same name is set aside first.
    pub fn create(
        &self,
        topic: &Arc<str>,
        id: Uuid,
        index: i32,
        leader_epoch: i32,
        config: &TopicConfig,
    ) -> Result<Arc<Partition>, LogError> {
        if let Some(existing) = self.get_by_id(id, index) {
            existing.set_leader_epoch(leader_epoch);
            return Ok(existing);
        }
        let folder = self.folder(topic, index);
        let is_new = partition_metadata::claim(&*self.disk, &folder, id)?;
        let (log, recovery) =
            Log::open(self.disk.clone(), &folder, config.log.clone(), self.hints(topic, index))?;
        if recovery.truncated_bytes > 0 {
            tracing::warn!("{topic}-{index}: cut {} bytes that were not intact", recovery.truncated_bytes);
        }
        let before_first_sync = is_new.then(|| self.sync_of_folders());
        let fatal = self.opening.fatal.clone();
        let partition =
            Arc::new(Partition::new(topic.clone(), id, index, leader_epoch, log, before_first_sync, fatal));
        self.insert(partition.clone());
        Ok(partition)
    }

    /// Opens many partitions, several at a time; fails when one cannot be opened. May block.
    pub fn open_all(&self, partitions: &[ToOpen]) -> Result<(), LogError> {
        parallel::for_each(partitions, |open| {
            let ToOpen { topic, topic_id, index, leader_epoch, config } = open;
            self.create(topic, *topic_id, *index, *leader_epoch, config).map(drop)
        })
    }

    /// Names, in one line of the log, the folders that look like partitions and belong to no open one. They are left
    /// alone: a person has to decide. May block.
    pub fn report_strays(&self) {
        let strays = folders::partitions_in(&*self.disk, &self.dir).map(|found| {
            found.filter(|(topic, index)| self.get(topic, *index).is_none()).collect::<Vec<_>>()
        });
        match strays {
            Ok(strays) if strays.is_empty() => {}
            Ok(strays) => tracing::warn!("{}", folders::stray_line(&strays)),
            Err(error) => tracing::warn!("folders that belong to no topic could not be looked for: {error}"),
        }
    }

    /// Ends the partition and its parked fetches; its folder is renamed now and removed in the background, so that the
    /// name is free at once. May block.
    pub fn remove(&self, topic: &str, index: i32) -> Result<(), LogError> {
        let Some(partition) = self.take(topic, index) else { return Ok(()) };
        let delay = partition.config().map_or(0, |config| config.file_delete_delay_ms);
        partition.delete();
        self.checkpoints.lock().forget(topic, index);
        let doomed = folders::doom(&*self.disk, &self.folder(topic, index), delay)?;
        self.doomed.lock().push(doomed);
        self.doom.notify_one();
        Ok(())
    }

    /// Applies changed settings to the open logs of a topic.
    pub fn reconfigure(&self, topic: &str, config: &TopicConfig) {
        let partitions = match self.topics.read().by_name.get(topic) {
            Some(topic) => topic.partitions.values().cloned().collect::<Vec<_>>(),
            None => return,
        };
        for partition in partitions {
            partition.reconfigure(&config.log);
        }
    }

    /// Closes every log and writes all checkpoints; nothing can be appended any more. May block.
    pub fn close(&self) -> Result<(), LogError> {
        parallel::for_each(&self.all(), |partition| partition.close())?;
        self.save_checkpoints()
    }

    /// Writes where each log is known to be durable, begins and ends; what did not change is not written. May block.
    pub fn save_checkpoints(&self) -> Result<(), LogError> {
        let mut checkpoints = self.checkpoints.lock();
        let partitions = self.all();
        checkpoints.save_recovery_points(&*self.disk, &self.dir, &partitions)?;
        checkpoints.save_log_starts(&*self.disk, &self.dir, &partitions)?;
        checkpoints.save_high_watermarks(&*self.disk, &self.dir, &partitions)
    }

    /// Makes the starts of all logs durable. False, and a line in the log, when that failed.
    pub async fn save_log_starts(self: &Arc<Self>) -> bool {
        let logs = self.clone();
        match tokio::task::spawn_blocking(move || logs.save_log_starts_now()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::error!("log starts could not be saved: {error}");
                false
            }
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    fn save_log_starts_now(&self) -> Result<(), LogError> {
        let mut checkpoints = self.checkpoints.lock();
        // Looked at under the lock, or an older look could be written last.
        checkpoints.save_log_starts(&*self.disk, &self.dir, &self.all())
    }

    fn save_high_watermarks(&self) -> Result<(), LogError> {
        let mut checkpoints = self.checkpoints.lock();
        checkpoints.save_high_watermarks(&*self.disk, &self.dir, &self.all())
    }

    /// Removes the folders whose time has come; the rest keeps its place. May block.
    fn remove_doomed(&self, now: Instant) {
        let due: Vec<Doomed> = self.doomed.lock().extract_if(.., |doomed| doomed.due <= now).collect();
        for Doomed { folder, .. } in due {
            if let Err(error) = self.disk.remove(&folder) {
                tracing::error!("{} could not be removed: {error}", folder.display());
            }
        }
    }

    fn next_doom(&self) -> Option<Instant> {
        self.doomed.lock().iter().map(|doomed| doomed.due).min()
    }

    fn insert(&self, partition: Arc<Partition>) {
        let mut topics = self.topics.write();
        let (name, id) = (partition.topic().clone(), partition.topic_id());
        topics.by_id.insert(id, name.clone());
        let topic =
            topics.by_name.entry(name).or_insert_with(|| TopicLogs { id, partitions: BTreeMap::new() });
        if topic.id != id {
            // Another topic under the name, which the catalog should have removed first.
            let old = std::mem::replace(topic, TopicLogs { id, partitions: BTreeMap::new() });
            topic.partitions.insert(partition.index(), partition);
            topics.by_id.remove(&old.id);
            drop(topics);
            old.partitions.values().for_each(|partition| partition.delete());
        } else {
            topic.partitions.insert(partition.index(), partition);
        }
    }

    fn take(&self, topic: &str, index: i32) -> Option<Arc<Partition>> {
        let mut topics = self.topics.write();
        let logs = topics.by_name.get_mut(topic)?;
        let (id, partition) = (logs.id, logs.partitions.remove(&index)?);
        if logs.partitions.is_empty() {
            topics.by_name.remove(topic);
            topics.by_id.remove(&id);
        }
        Some(partition)
    }

    /// Makes the names of the folders durable; a log that is synced in a folder without a name would be lost.
    fn sync_of_folders(&self) -> SyncOnce {
        let (disk, dir) = (self.disk.clone(), self.dir.clone());
        Box::new(move || disk.sync_dir(&dir).map_err(|source| LogError::Io { path: dir, source }))
    }

    fn folder(&self, topic: &str, index: i32) -> PathBuf {
        self.dir.join(format!("{topic}-{index}"))
    }

    fn hints(&self, topic: &str, index: i32) -> Hints {
        let checkpoints = self.checkpoints.lock();
        Hints {
            clean: self.opening.clean,
            recovery_point: checkpoints.recovery_point(topic, index),
            log_start_offset: checkpoints.log_start(topic, index),
            now_ms: self.opening.now_ms,
        }
    }
}
