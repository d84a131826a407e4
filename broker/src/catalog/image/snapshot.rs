//! The records that build an image from nothing, in the order of Kafka's snapshots.

use super::{
    Image,
    apply::{BROKER, TOPIC},
};
use protocol_glue::records::metadata::{
    Config, FeatureLevel, MetadataRecord, ProducerIds, Topic as TopicRecord,
};

impl Image {
    /// `metadata.version` comes first: it says how to read the rest.
    pub(in crate::catalog) fn to_records(&self) -> Vec<MetadataRecord> {
        let mut records = Vec::new();
        let (version, others): (Vec<_>, Vec<_>) =
            self.features.iter().partition(|(name, _)| name == "metadata.version");
        records.extend(version.into_iter().chain(others).map(|(name, level)| {
            MetadataRecord::from(FeatureLevel { name: name.clone(), feature_level: *level })
        }));
        records.extend(self.brokers.values().map(|broker| MetadataRecord::from((**broker).clone())));
        self.push_topics(&mut records);
        self.push_configs(&mut records);
        if self.next_producer_id > 0 {
            records.push(self.producer_ids(self.next_producer_id).into());
        }
        records.extend(self.kept.values().cloned());
        records
    }

    /// The record that says which producer ids are free from now on.
    pub(in crate::catalog) fn producer_ids(&self, next_producer_id: i64) -> ProducerIds {
        let broker_id = self.local.node_id;
        let broker_epoch = self.brokers.get(&broker_id).map_or(-1, |broker| broker.broker_epoch);
        ProducerIds { broker_id, broker_epoch, next_producer_id }
    }

    fn push_topics(&self, records: &mut Vec<MetadataRecord>) {
        let mut topics: Vec<_> = self.topics.values().collect();
        topics.sort_by(|one, other| one.name.cmp(&other.name));
        for topic in topics {
            records.push(TopicRecord { name: topic.name.to_string(), topic_id: topic.id }.into());
            for (index, state) in (0..).zip(&topic.partitions) {
                let settled = || self.local.settled(topic.id, index, state);
                let record = self.unsettled.get(&(topic.id, index)).cloned().unwrap_or_else(settled);
                records.push(record.into());
            }
        }
    }

    fn push_configs(&self, records: &mut Vec<MetadataRecord>) {
        let topics = self.topics.values().map(|topic| (TOPIC, &*topic.name, &topic.configs));
        let brokers = self.broker_configs.iter().map(|(name, configs)| (BROKER, name.as_str(), configs));
        let others = self.other_configs.iter().map(|((kind, name), configs)| (*kind, name.as_str(), configs));
        let mut resources: Vec<_> = topics.chain(brokers).chain(others).collect();
        resources.sort();
        for (kind, resource, configs) in resources {
            records.extend(configs.iter().map(|(name, value)| {
                MetadataRecord::from(Config {
                    resource_type: kind,
                    resource_name: resource.to_owned(),
                    name: name.clone(),
                    value: Some(value.clone()),
                })
            }));
        }
    }
}
