//! Changing topics: the catalog and the partitions' logs together, so that an answer means "done".
//!
//! Partitions are made before the records that name them, and removed after the records that forget them: a crash in
//! between leaves a folder that no topic claims, never a topic without its folder.

use super::{
    Catalog, CatalogError, Image, PartitionHost, PartitionState, Refusal, Topic, create, delete, grow,
    host::unmake, names,
};
use crate::config::{BrokerConfig, ConfigMap, Layers};
use crate::data_dir::kafka_id;
use kafka_protocol::ResponseError;
use parking_lot::Mutex;
use protocol_glue::records::metadata::{
    Config as ConfigRecord, MetadataRecord, RemoveTopic, Topic as TopicRecord,
};
use std::{collections::BTreeSet, ops::Range, sync::Arc};

/// Creates, deletes, grows and configures topics. Cheap to clone. Every change runs on a blocking thread and to its
/// end, even when the one who asked for it goes away.
#[derive(Clone)]
pub struct Topics(Arc<Inner>);

struct Inner {
    catalog: Arc<Catalog>,
    host: Arc<dyn PartitionHost>,
    settings: Settings,
    /// Topic changes are one after the other, up to and including what they do to the logs.
    order: Mutex<()>,
}

/// What changing topics depends on.
#[derive(Clone, Debug)]
pub struct Settings {
    pub rules: create::Rules,
    pub delete_enabled: bool,
    pub auto_create_enabled: bool,
    pub offsets_topic_partitions: i32,
    pub offsets_topic_segment_bytes: i32,
    /// Broker settings from the command line, environment and file.
    pub fixed: Arc<ConfigMap>,
}

impl Settings {
    pub fn of(
        broker: &BrokerConfig,
        fixed: Arc<ConfigMap>,
        check_configs: fn(&ConfigMap) -> Result<(), String>,
    ) -> Settings {
        Settings {
            rules: create::Rules {
                node_id: broker.node_id,
                default_partitions: broker.num_partitions,
                default_replication_factor: broker.default_replication_factor,
                check_configs,
            },
            delete_enabled: broker.delete_topic_enable,
            auto_create_enabled: broker.auto_create_topics_enable,
            offsets_topic_partitions: broker.offsets_topic_num_partitions,
            offsets_topic_segment_bytes: broker.offsets_topic_segment_bytes,
            fixed,
        }
    }
}

/// A dynamic setting to write; without a value it returns to its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigChange {
    /// As in the configuration APIs: 2 topic, 4 broker, 16 client metrics, 32 group.
    pub resource_type: i8,
    pub resource_name: String,
    pub name: String,
    pub value: Option<String>,
}

type Outcomes<T> = Vec<(String, Result<T, Refusal>)>;

impl Topics {
    pub fn new(catalog: Arc<Catalog>, host: Arc<dyn PartitionHost>, settings: Settings) -> Topics {
        Topics(Arc::new(Inner { catalog, host, settings, order: Mutex::new(()) }))
    }

    pub fn image(&self) -> Arc<Image> {
        self.0.catalog.image()
    }

    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The broker settings in force for topics that do not override them.
    pub fn layers(&self) -> Layers {
        self.0.layers(&self.image())
    }

    /// Creates topics, or with `validate_only` says what would become of it. A created topic can be used at once.
    pub async fn create(
        &self,
        wanted: Vec<create::Wanted>,
        validate_only: bool,
    ) -> Result<Outcomes<create::NewTopic>, CatalogError> {
        self.run(move |inner| inner.create(&wanted, validate_only)).await
    }

    /// Creates those of the topics that are missing, with the broker's defaults or, for the broker's own topics, with
    /// theirs. `Ok` when the topic is there now.
    pub async fn ensure(&self, names: Vec<String>) -> Result<Outcomes<()>, CatalogError> {
        self.run(move |inner| inner.ensure(names)).await
    }

    /// Deletes topics; nothing of them can be seen or read when this returns.
    pub async fn delete(&self, entries: Vec<delete::Named>) -> Result<Vec<delete::Outcome>, CatalogError> {
        self.run(move |inner| inner.delete(&entries)).await
    }

    /// Adds partitions, or with `validate_only` says what would become of it.
    pub async fn grow(
        &self,
        wanted: Vec<grow::Wanted>,
        validate_only: bool,
    ) -> Result<Outcomes<grow::Growth>, CatalogError> {
        self.run(move |inner| inner.grow(&wanted, validate_only)).await
    }

    /// Changes dynamic settings of any resource: `decide` sees the present ones and says what to write and what to
    /// answer. Open logs follow before this returns.
    pub async fn configure<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&Image) -> (Vec<ConfigChange>, T) + Send + 'static,
    ) -> Result<T, CatalogError> {
        self.run(move |inner| inner.configure(decide)).await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce(&Inner) -> T + Send + 'static) -> T {
        let inner = Arc::clone(&self.0);
        match tokio::task::spawn_blocking(move || work(&inner)).await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Inner {
    fn create(
        &self,
        wanted: &[create::Wanted],
        validate_only: bool,
    ) -> Result<Outcomes<create::NewTopic>, CatalogError> {
        let _order = self.order.lock();
        let mut made = Vec::new();
        let changed = self.catalog.change(|image| {
            let mut outcomes = create::decide(image, wanted, &self.settings.rules, kafka_id::random);
            if validate_only {
                return (Vec::new(), outcomes);
            }
            let layers = self.layers(image);
            for (_, outcome) in &mut outcomes {
                let Ok(new) = outcome else { continue };
                let topic = Arc::new(new_topic(new));
                match self.make(&topic, 0..new.partitions, &layers) {
                    Ok(()) => made.push((topic, 0..new.partitions)),
                    Err(refusal) => *outcome = Err(refusal),
                }
            }
            let good = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
            (good.flat_map(|new| creation_records(image, new)).collect(), outcomes)
        });
        changed.inspect_err(|_| self.unmake(made))
    }

    fn ensure(&self, names: Vec<String>) -> Result<Outcomes<()>, CatalogError> {
        let wanted: Vec<_> =
            names.iter().filter(|name| self.may_be_made(name)).map(|name| self.by_default(name)).collect();
        let created = self.create(&wanted, false)?;
        let mut outcomes: Outcomes<()> = created
            .into_iter()
            .map(|(name, outcome)| match outcome {
                Err(refusal) if refusal.error != ResponseError::TopicAlreadyExists => (name, Err(refusal)),
                _ => (name, Ok(())),
            })
            .collect();
        let image = self.catalog.image();
        outcomes.extend(names.into_iter().filter(|name| !self.may_be_made(name)).map(|name| {
            let there = image.topics.contains_key(name.as_str());
            let unknown = Refusal::bare(ResponseError::UnknownTopicOrPartition);
            (name, if there { Ok(()) } else { Err(unknown) })
        }));
        Ok(outcomes)
    }

    fn delete(&self, entries: &[delete::Named]) -> Result<Vec<delete::Outcome>, CatalogError> {
        let _order = self.order.lock();
        let outcomes = self.catalog.change(|image| {
            let outcomes = delete::decide(image, entries);
            let removed = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
            (removed.map(|topic| RemoveTopic { topic_id: topic.id }.into()).collect(), outcomes)
        })?;
        for topic in outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()) {
            // The topic is gone all the same; a folder that stays behind belongs to nobody.
            if let Err(error) = self.host.remove(topic, 0..topic.partitions.len() as i32) {
                tracing::error!(%error, topic = &*topic.name, "a deleted topic's files could not be removed");
            }
        }
        Ok(outcomes)
    }

    fn grow(
        &self,
        wanted: &[grow::Wanted],
        validate_only: bool,
    ) -> Result<Outcomes<grow::Growth>, CatalogError> {
        let _order = self.order.lock();
        let mut made = Vec::new();
        let changed = self.catalog.change(|image| {
            let mut outcomes = grow::decide(image, wanted, self.settings.rules.node_id);
            if validate_only {
                return (Vec::new(), outcomes);
            }
            let layers = self.layers(image);
            for (_, outcome) in &mut outcomes {
                let Ok(growth) = outcome else { continue };
                match self.make(&growth.topic, growth.added.clone(), &layers) {
                    Ok(()) => made.push((growth.topic.clone(), growth.added.clone())),
                    Err(refusal) => *outcome = Err(refusal),
                }
            }
            let good = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
            let records = good
                .flat_map(|growth| partition_records(image, &growth.topic, growth.added.clone()))
                .collect();
            (records, outcomes)
        });
        changed.inspect_err(|_| self.unmake(made))
    }

    fn configure<T>(&self, decide: impl FnOnce(&Image) -> (Vec<ConfigChange>, T)) -> Result<T, CatalogError> {
        let _order = self.order.lock();
        let (touched, answer) = self.catalog.change(|image| {
            let (changes, answer) = decide(image);
            let touched: BTreeSet<_> =
                changes.iter().map(|change| (change.resource_type, change.resource_name.clone())).collect();
            (changes.into_iter().map(config_record).collect(), (touched, answer))
        })?;
        self.reconfigure(&touched);
        Ok(answer)
    }

    /// A broker setting can be the default of any topic's.
    fn reconfigure(&self, touched: &BTreeSet<(i8, String)>) {
        const TOPIC: i8 = 2;
        const BROKER: i8 = 4;
        let image = self.catalog.image();
        let layers = self.layers(&image);
        if touched.iter().any(|(kind, _)| *kind == BROKER) {
            image.topics.values().for_each(|topic| self.host.reconfigure(topic, &layers));
            return;
        }
        for (_, name) in touched.iter().filter(|(kind, _)| *kind == TOPIC) {
            if let Some(topic) = image.topics.get(name.as_str()) {
                self.host.reconfigure(topic, &layers);
            }
        }
    }

    fn make(&self, topic: &Topic, added: Range<i32>, layers: &Layers) -> Result<(), Refusal> {
        self.host.create(topic, added, layers).map_err(|error| {
            tracing::error!(%error, topic = &*topic.name, "partitions could not be made");
            Refusal::new(ResponseError::KafkaStorageError, "The partitions could not be stored.")
        })
    }

    /// Takes back what was made when the records about it could not be written.
    fn unmake(&self, made: Vec<(Arc<Topic>, Range<i32>)>) {
        made.into_iter().for_each(|(topic, added)| unmake(&*self.host, &topic, added));
    }

    fn layers(&self, image: &Image) -> Layers {
        let dynamic = |name: &str| image.broker_configs.get(name).cloned().unwrap_or_default();
        Layers {
            broker: dynamic(&self.settings.rules.node_id.to_string()),
            cluster: dynamic(""),
            fixed: Arc::clone(&self.settings.fixed),
        }
    }

    /// Of the broker's own topics only that of the offsets has its shape yet.
    fn may_be_made(&self, name: &str) -> bool {
        name != names::CLUSTER_METADATA && (!names::is_internal(name) || name == names::OFFSETS)
    }

    fn by_default(&self, name: &str) -> create::Wanted {
        let wanted = create::Wanted {
            name: name.to_owned(),
            partitions: -1,
            replication_factor: -1,
            assignments: Vec::new(),
            configs: Vec::new(),
        };
        if name != names::OFFSETS {
            return wanted;
        }
        let config = |name: &str, value: String| (name.to_owned(), Some(value));
        create::Wanted {
            partitions: self.settings.offsets_topic_partitions,
            replication_factor: 1,
            configs: vec![
                config("cleanup.policy", "compact".to_owned()),
                config("compression.type", "producer".to_owned()),
                config("segment.bytes", self.settings.offsets_topic_segment_bytes.to_string()),
            ],
            ..wanted
        }
    }
}

/// What a partition starts with.
const NEW_PARTITION: PartitionState = PartitionState { leader_epoch: 0, partition_epoch: 0 };

fn new_topic(new: &create::NewTopic) -> Topic {
    Topic {
        name: Arc::clone(&new.name),
        id: new.id,
        partitions: vec![NEW_PARTITION; new.partitions as usize],
        configs: Arc::clone(&new.configs),
    }
}

fn creation_records(image: &Image, new: &create::NewTopic) -> Vec<MetadataRecord> {
    let topic = new_topic(new);
    let mut records = vec![TopicRecord { name: topic.name.to_string(), topic_id: topic.id }.into()];
    records.extend(topic.configs.iter().map(|(name, value)| {
        config_record(ConfigChange {
            resource_type: 2,
            resource_name: topic.name.to_string(),
            name: name.clone(),
            value: Some(value.clone()),
        })
    }));
    records.extend(partition_records(image, &topic, 0..new.partitions));
    records
}

fn partition_records(image: &Image, topic: &Topic, added: Range<i32>) -> Vec<MetadataRecord> {
    added.map(|index| image.local().settled(topic.id, index, &NEW_PARTITION).into()).collect()
}

fn config_record(change: ConfigChange) -> MetadataRecord {
    let ConfigChange { resource_type, resource_name, name, value } = change;
    ConfigRecord { resource_type, resource_name, name, value }.into()
}
