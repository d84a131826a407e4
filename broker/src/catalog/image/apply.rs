//! What each kind of metadata record does to the image.

use super::{Image, Topic, kept};
use crate::config::ConfigMap;
use protocol_glue::records::metadata::{
    BrokerRegistrationChange, Config, FeatureLevel, MetadataRecord, RegisterBroker, RemoveTopic,
    Topic as TopicRecord,
};
use std::{collections::HashMap, hash::Hash, sync::Arc};

// Resource types of settings, as in the configuration APIs.
pub(super) const TOPIC: i8 = 2;
pub(super) const BROKER: i8 = 4;

impl Image {
    /// Takes in the record at `offset`. The error says what is wrong with the log: such a record cannot come from a
    /// client's mistake.
    pub(in crate::catalog) fn apply(&mut self, record: &MetadataRecord, offset: i64) -> Result<(), String> {
        self.features_epoch = offset;
        if kept::apply(&mut self.kept, record) {
            return Ok(());
        }
        match record {
            MetadataRecord::Topic(topic) => return self.apply_topic(topic),
            MetadataRecord::RemoveTopic(removed) => return self.apply_remove_topic(removed),
            MetadataRecord::Partition(partition) => return self.apply_partition(partition),
            MetadataRecord::PartitionChange(change) => return self.apply_partition_change(change),
            MetadataRecord::Config(config) => return self.apply_config(config),
            MetadataRecord::BrokerRegistrationChange(change) => {
                return self.change_broker(change.broker_id, |broker| change_registration(broker, change));
            }
            MetadataRecord::FenceBroker(fence) => {
                return self.change_broker(fence.id, |broker| broker.fenced = true);
            }
            MetadataRecord::UnfenceBroker(fence) => {
                return self.change_broker(fence.id, |broker| broker.fenced = false);
            }
            MetadataRecord::FeatureLevel(feature) => self.apply_feature(feature),
            MetadataRecord::ProducerIds(ids) => self.next_producer_id = ids.next_producer_id,
            MetadataRecord::RegisterBroker(broker) => {
                self.brokers.insert(broker.broker_id, Arc::new(broker.clone()));
            }
            MetadataRecord::UnregisterBroker(broker) => {
                self.brokers.remove(&broker.broker_id);
            }
            MetadataRecord::ClearElr(clear) => self.clear_eligible_replicas(&clear.topic_name),
            // Nothing, and the ends of transactions, which are the reader's business.
            _ => {}
        }
        Ok(())
    }

    fn apply_topic(&mut self, record: &TopicRecord) -> Result<(), String> {
        let name: Arc<str> = record.name.as_str().into();
        let topic = Arc::new(Topic {
            name: Arc::clone(&name),
            id: record.topic_id,
            partitions: Vec::new(),
            configs: Arc::default(),
        });
        if self.topics_by_id.insert(record.topic_id, Arc::clone(&topic)).is_some() {
            return Err(format!("topic id {} is given twice", record.topic_id));
        }
        if self.topics.insert(name, topic).is_some() {
            return Err(format!("topic {} is created twice", record.name));
        }
        Ok(())
    }

    fn apply_remove_topic(&mut self, record: &RemoveTopic) -> Result<(), String> {
        let topic = self
            .topics_by_id
            .remove(&record.topic_id)
            .ok_or_else(|| format!("topic {} is removed but does not exist", record.topic_id))?;
        self.topics.remove(&topic.name);
        self.forget_partitions(topic.id);
        Ok(())
    }

    fn apply_config(&mut self, config: &Config) -> Result<(), String> {
        let name = config.resource_name.as_str();
        match config.resource_type {
            TOPIC => {
                let Some(id) = self.topics.get(name).map(|topic| topic.id) else { return Ok(()) };
                return self.change_topic(id, |topic| {
                    set(Arc::make_mut(&mut topic.configs), config);
                    Ok(())
                });
            }
            BROKER => set_in(&mut self.broker_configs, name.to_owned(), config),
            other => set_in(&mut self.other_configs, (other, name.to_owned()), config),
        }
        Ok(())
    }

    fn apply_feature(&mut self, feature: &FeatureLevel) {
        self.features.retain(|(name, _)| *name != feature.name);
        if feature.feature_level != 0 {
            self.features.push((feature.name.clone(), feature.feature_level));
            self.features.sort();
        }
    }

    fn change_broker(&mut self, id: i32, change: impl FnOnce(&mut RegisterBroker)) -> Result<(), String> {
        let broker =
            self.brokers.get_mut(&id).ok_or_else(|| format!("broker {id} changes but is not registered"))?;
        change(Arc::make_mut(broker));
        Ok(())
    }
}

fn change_registration(broker: &mut RegisterBroker, change: &BrokerRegistrationChange) {
    match change.fenced {
        1 => broker.fenced = true,
        -1 => broker.fenced = false,
        _ => {}
    }
    broker.in_controlled_shutdown |= change.in_controlled_shutdown == 1;
    if !change.log_dirs.is_empty() {
        broker.log_dirs.clone_from(&change.log_dirs);
    }
    if change.cordoned_log_dirs.is_some() {
        broker.cordoned_log_dirs.clone_from(&change.cordoned_log_dirs);
    }
}

fn set(map: &mut ConfigMap, config: &Config) {
    match &config.value {
        Some(value) => map.insert(config.name.clone(), value.clone()),
        None => map.remove(&config.name),
    };
}

/// A resource without settings is not in the map, so that images compare equal however they came about.
fn set_in<K: Hash + Eq + Clone>(maps: &mut HashMap<K, Arc<ConfigMap>>, key: K, config: &Config) {
    let map = maps.entry(key.clone()).or_default();
    set(Arc::make_mut(map), config);
    if map.is_empty() {
        maps.remove(&key);
    }
}
