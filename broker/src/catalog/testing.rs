//! What tests of the catalog and of its APIs share: a store in memory and a host that only counts.

use super::{
    Catalog, CatalogError, Image, PartitionHost, Settings, Topic, Topics, create, image::Local, start,
    store::Store,
};
use crate::config::{ConfigMap, Layers};
use bytes::{Bytes, BytesMut};
use kafka_protocol::protocol::{Decodable, Encodable};
use parking_lot::Mutex;
use protocol_glue::records::metadata::MetadataRecord;
use std::{collections::BTreeSet, io, ops::Range, path::PathBuf, sync::Arc};
use storage::log::{AppendError, LogError};
use uuid::Uuid;

/// What a [`MemoryStore`] holds; tests keep a handle on it.
#[derive(Default)]
pub(crate) struct Stored {
    pub batches: Vec<Vec<Bytes>>,
    pub snapshots: Vec<Vec<Bytes>>,
    pub snapshot_due: bool,
    pub broken: bool,
    pub full: bool,
    pub closed: bool,
}

struct MemoryStore(Arc<Mutex<Stored>>);

impl Store for MemoryStore {
    fn end_offset(&self) -> i64 {
        self.0.lock().batches.iter().map(|batch| batch.len() as i64).sum()
    }
    fn append(&mut self, records: &[Bytes]) -> Result<(), CatalogError> {
        let mut stored = self.0.lock();
        if stored.broken {
            return Err(io_error().into());
        }
        if stored.full {
            return Err(AppendError::DiskFull.into());
        }
        stored.batches.push(records.to_vec());
        Ok(())
    }
    fn snapshot_due(&self, _closing: bool) -> bool {
        self.0.lock().snapshot_due
    }
    fn snapshot(&mut self, records: &[Bytes]) -> Result<(), CatalogError> {
        self.0.lock().snapshots.push(records.to_vec());
        Ok(())
    }
    fn close(self: Box<Self>) -> Result<(), CatalogError> {
        self.0.lock().closed = true;
        Ok(())
    }
}

fn io_error() -> LogError {
    LogError::Io { path: PathBuf::from("/broken"), source: io::Error::other("broken") }
}

/// Partitions that are "there", and how often topics were reconfigured.
#[derive(Default)]
pub(crate) struct MemoryHost {
    pub partitions: Mutex<BTreeSet<(String, i32)>>,
    pub reconfigured: Mutex<Vec<String>>,
    pub full: Mutex<bool>,
}

impl PartitionHost for MemoryHost {
    fn create(&self, topic: &Topic, added: Range<i32>, _layers: &Layers) -> Result<(), LogError> {
        if *self.full.lock() {
            return Err(io_error());
        }
        for index in added {
            assert!(self.partitions.lock().insert((topic.name.to_string(), index)), "made twice");
        }
        Ok(())
    }
    fn remove(&self, topic: &Topic, partitions: Range<i32>) -> Result<(), LogError> {
        self.partitions.lock().retain(|(name, index)| **name != *topic.name || !partitions.contains(index));
        Ok(())
    }
    fn reconfigure(&self, topic: &Topic, _layers: &Layers) {
        self.reconfigured.lock().push(topic.name.to_string());
    }
}

pub(crate) const LOCAL: Local = Local { node_id: 1, directory_id: Uuid::from_u128(500) };

/// A catalog over what is stored, as a start after a clean or unclean end makes it.
pub(crate) fn restart(stored: &Arc<Mutex<Stored>>, clean: bool) -> Catalog {
    let image = replay(&stored.lock().batches);
    start::start(Box::new(MemoryStore(Arc::clone(stored))), image, start::new_folder_records(), clean)
        .expect("starts")
}

/// The image that the stored records add up to.
pub(crate) fn replay(batches: &[Vec<Bytes>]) -> Image {
    let mut image = Image::new(LOCAL);
    for (offset, value) in (0..).zip(batches.iter().flatten()) {
        let record = MetadataRecord::read(value).expect("ours");
        image.apply(&record, offset).expect("fits");
    }
    image
}

/// Topics on nothing but memory.
pub(crate) struct Fixture {
    pub topics: Topics,
    pub catalog: Arc<Catalog>,
    pub stored: Arc<Mutex<Stored>>,
    pub host: Arc<MemoryHost>,
}

impl Fixture {
    pub fn new() -> Fixture {
        Fixture::with(|_| {})
    }

    pub fn with(adjust: impl FnOnce(&mut Settings)) -> Fixture {
        let stored = Arc::new(Mutex::new(Stored::default()));
        let catalog = Arc::new(restart(&stored, true));
        let host = Arc::new(MemoryHost::default());
        let mut settings = Settings {
            rules: create::Rules {
                node_id: 1,
                default_partitions: 1,
                default_replication_factor: 1,
                check_configs: known_only,
            },
            delete_enabled: true,
            auto_create_enabled: true,
            offsets_topic_partitions: 5,
            offsets_topic_segment_bytes: 104_857_600,
            fixed: Arc::default(),
        };
        adjust(&mut settings);
        let topics = Topics::new(Arc::clone(&catalog), Arc::clone(&host) as Arc<dyn PartitionHost>, settings);
        Fixture { topics, catalog, stored, host }
    }

    /// Creates a topic and returns its id.
    pub async fn create(&self, name: &str, partitions: i32) -> Uuid {
        let outcomes = self.topics.create(vec![wanted(name, partitions)], false).await.expect("writes");
        outcomes[0].1.as_ref().expect("a good topic").id
    }
}

pub(crate) fn wanted(name: &str, partitions: i32) -> create::Wanted {
    create::Wanted {
        name: name.to_owned(),
        partitions,
        replication_factor: -1,
        assignments: Vec::new(),
        configs: Vec::new(),
    }
}

fn known_only(configs: &ConfigMap) -> Result<(), String> {
    match configs.keys().find(|name| *name == "nope") {
        Some(name) => Err(format!("unknown setting {name}")),
        None => Ok(()),
    }
}

/// Encodes and decodes at a version: the codec refuses values in fields that the version lacks. What comes back is
/// what a client of that version sees.
pub(crate) fn over_the_wire<T: Encodable + Decodable>(message: &T, version: i16) -> T {
    let mut bytes = BytesMut::new();
    message.encode(&mut bytes, version).unwrap_or_else(|error| panic!("version {version}: {error}"));
    let mut bytes = bytes.freeze();
    let decoded = T::decode(&mut bytes, version).unwrap_or_else(|error| panic!("version {version}: {error}"));
    assert!(bytes.is_empty(), "version {version}: bytes left over");
    decoded
}
