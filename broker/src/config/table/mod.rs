//! Every setting Daybook knows: the broker's by theme, the topics', the groups' and the metrics subscriptions'.
//!
//! Names, types, defaults and limits are those of Kafka 4.4, save the few defaults that [`DIFFERENT_DEFAULTS`] lists.

mod cluster;
mod group_level;
mod groups;
mod log;
mod metrics;
mod network;
mod quotas;
mod replication;
mod security;
mod share_and_streams;
mod tiered;
mod topic_level;
mod topics;
mod transactions;

pub use self::{
    group_level::{client_metrics, group, group_settings, metrics_settings},
    topic_level::{topic, topic_settings},
};
use super::setting::Setting;
use std::{collections::BTreeMap, sync::LazyLock};

/// A setting that has a broker setting behind it: a topic's, or a group's.
#[derive(Clone, Debug)]
pub struct ScopedSetting {
    pub setting: Setting,
    /// Broker settings that stand in when the resource has no value of its own; the first that is set counts.
    pub synonyms: &'static [Synonym],
}

/// A broker setting that stands in for another, and what its number is multiplied by (hours to milliseconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synonym {
    pub name: &'static str,
    pub factor: i64,
}

/// A theme of broker settings: a heading for the page, and the rows.
pub struct Theme {
    pub heading: &'static str,
    pub settings: &'static [Setting],
}

/// The broker settings in the order of the page.
pub const THEMES: &[Theme] = &[
    Theme { heading: "Identity and cluster", settings: cluster::TABLE },
    Theme { heading: "Listeners and connections", settings: network::TABLE },
    Theme { heading: "Topics", settings: topics::TABLE },
    Theme { heading: "Logs", settings: log::TABLE },
    Theme { heading: "Consumer groups and offsets", settings: groups::TABLE },
    Theme { heading: "Producers and transactions", settings: transactions::TABLE },
    Theme { heading: "Security", settings: security::TABLE },
    Theme { heading: "Quotas", settings: quotas::TABLE },
    Theme { heading: "Metrics", settings: metrics::TABLE },
    Theme { heading: "Share and streams groups", settings: share_and_streams::TABLE },
    Theme { heading: "Replication", settings: replication::TABLE },
    Theme { heading: "Tiered storage", settings: tiered::TABLE },
];

/// Where Daybook's default is not Kafka's: the setting, Kafka's default, and the reason.
pub const DIFFERENT_DEFAULTS: &[(&str, &str, &str)] = &[
    ("listeners", "PLAINTEXT://:9092", "a broker without access control listens to its own machine only"),
    ("log.dir", "/tmp/kafka-logs", "data belongs where it survives a restart of the machine"),
    ("node.id", "none", "one node needs no choice"),
    ("broker.id", "-1", "it is node.id"),
    ("process.roles", "none", "one Daybook is both"),
    ("group.initial.rebalance.delay.ms", "3000", "a lab or a test should not wait three seconds"),
    ("offsets.topic.replication.factor", "3", "there is one node"),
    ("transaction.state.log.replication.factor", "3", "there is one node"),
    ("transaction.state.log.min.isr", "2", "there is one node"),
    ("share.coordinator.state.topic.replication.factor", "3", "there is one node"),
    ("share.coordinator.state.topic.min.isr", "2", "there is one node"),
];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Setting>> = LazyLock::new(|| {
    THEMES.iter().flat_map(|theme| theme.settings).map(|setting| (setting.name, setting)).collect()
});

/// The broker setting of that name.
pub fn broker(name: &str) -> Option<&'static Setting> {
    BY_NAME.get(name).copied()
}

/// Every broker setting, by name.
pub fn broker_settings() -> impl Iterator<Item = &'static Setting> {
    BY_NAME.values().copied()
}

/// The broker settings that mean the same thing as `name` in other units, in the order in which they count.
/// A name that stands alone is its own only synonym.
pub fn broker_synonyms(name: &str) -> Vec<&str> {
    const FAMILIES: &[&[&str]] = &[
        &["log.retention.ms", "log.retention.minutes", "log.retention.hours"],
        &["log.roll.ms", "log.roll.hours"],
        &["log.roll.jitter.ms", "log.roll.jitter.hours"],
    ];
    // log.flush.scheduler.interval.ms stands in for the interval, but not the other way round.
    if name == "log.flush.interval.ms" {
        return vec![name, "log.flush.scheduler.interval.ms"];
    }
    match FAMILIES.iter().find(|family| family.contains(&name)) {
        Some(family) => family.to_vec(),
        None => vec![name],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_its_own_setting_allows() {
        let scoped = topic_settings().iter().chain(group_settings()).map(|scoped| &scoped.setting);
        for setting in broker_settings().chain(scoped).chain(metrics_settings()) {
            if let Some(default) = setting.default {
                assert!(setting.read(default).is_ok(), "{}", setting.name);
            }
        }
    }

    #[test]
    fn every_synonym_is_a_broker_setting() {
        for scoped in topic_settings().iter().chain(group_settings()) {
            for synonym in scoped.synonyms {
                assert!(broker(synonym.name).is_some(), "{}", synonym.name);
            }
        }
    }

    #[test]
    fn the_tables_list_what_kafka_lists() {
        // The counts are those of a Kafka 4.4 broker's answers.
        assert_eq!(broker_settings().filter(|setting| setting.listed).count(), 350);
        assert_eq!(THEMES.iter().map(|theme| theme.settings.len()).sum::<usize>(), broker_settings().count());
        assert_eq!(topic_settings().len(), 37);
        assert_eq!(group_settings().iter().filter(|scoped| scoped.setting.listed).count(), 21);
    }

    #[test]
    fn differing_defaults_are_settings_that_exist() {
        for (name, kafkas, _) in DIFFERENT_DEFAULTS {
            let setting = broker(name).expect("listed setting");
            assert!(setting.default.is_some_and(|default| default != *kafkas), "{name}");
        }
    }
}
