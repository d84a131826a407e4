//! The settings of a group and of a metrics subscription: what DescribeConfigs answers for these resources.

use super::{ScopedSetting, Synonym};
use crate::config::setting::{
    Check::{self, *},
    Scope, Setting,
};
use crate::config::value::Type::{self, *};

/// Every group setting, by name.
pub fn group_settings() -> &'static [ScopedSetting] {
    GROUP
}

/// The group setting of that name.
pub fn group(name: &str) -> Option<&'static ScopedSetting> {
    GROUP.iter().find(|scoped| scoped.setting.name == name)
}

/// Every setting of a metrics subscription (KIP-714).
pub fn metrics_settings() -> &'static [Setting] {
    METRICS
}

/// The setting of a metrics subscription of that name.
pub fn client_metrics(name: &str) -> Option<&'static Setting> {
    METRICS.iter().find(|setting| setting.name == name)
}

const fn row(name: &'static str, kind: Type, default: &'static str, check: Check, listed: bool) -> Setting {
    let doc = "Kept and shown; has no effect until Daybook serves groups that use it.";
    Setting { name, kind, default: Some(default), scope: Scope::Cluster, check, doc, listed }
}

/// One row: name, type, default, check, and the broker setting that stands in.
macro_rules! group_settings {
    ($($name:literal $kind:ident $default:literal, $check:expr, [$($synonym:literal)?] $($internal:ident)?;)*) => {
        &[$(ScopedSetting {
            setting: row($name, $kind, $default, $check, group_settings!(@listed $($internal)?)),
            synonyms: &[$(Synonym { name: $synonym, factor: 1 })?],
        }),*]
    };
    (@listed) => { true };
    (@listed internal) => { false };
}

const GROUP: &[ScopedSetting] = group_settings! {
    "consumer.assignment.interval.ms" Int "1000", AtLeast(0), ["group.consumer.assignment.interval.ms"];
    "consumer.assignor.offload.enable" Boolean "true", Any, ["group.consumer.assignor.offload.enable"] internal;
    "consumer.heartbeat.interval.ms" Int "5000", AtLeast(1), ["group.consumer.heartbeat.interval.ms"];
    "consumer.session.timeout.ms" Int "45000", AtLeast(1), ["group.consumer.session.timeout.ms"];
    "errors.deadletterqueue.copy.record.enable" Boolean "false", Any, [];
    "errors.deadletterqueue.topic.name" String "", Any, [];
    "share.assignment.interval.ms" Int "1000", AtLeast(0), ["group.share.assignment.interval.ms"];
    "share.assignor.offload.enable" Boolean "true", Any, ["group.share.assignor.offload.enable"] internal;
    "share.auto.offset.reset" String "latest", OffsetReset, [];
    "share.delivery.count.limit" Int "5", AtLeast(2), ["group.share.delivery.count.limit"];
    "share.heartbeat.interval.ms" Int "5000", AtLeast(1), ["group.share.heartbeat.interval.ms"];
    "share.isolation.level" String "read_uncommitted", OneOf(&["read_committed", "read_uncommitted"]), [];
    "share.partition.max.record.locks" Int "2000", AtLeast(100), ["group.share.partition.max.record.locks"];
    "share.record.lock.duration.ms" Int "30000", AtLeast(1000), ["group.share.record.lock.duration.ms"];
    "share.renew.acknowledge.enable" Boolean "true", Any, [];
    "share.session.timeout.ms" Int "45000", AtLeast(1), ["group.share.session.timeout.ms"];
    "streams.acceptable.recovery.lag" Long "10000", AtLeast(0), ["group.streams.acceptable.recovery.lag"] internal;
    "streams.assignment.interval.ms" Int "1000", AtLeast(0), ["group.streams.assignment.interval.ms"];
    "streams.assignor.name" String "sticky", Any, ["group.streams.assignors"];
    "streams.assignor.offload.enable" Boolean "true", Any, ["group.streams.assignor.offload.enable"] internal;
    "streams.heartbeat.interval.ms" Int "5000", AtLeast(1), ["group.streams.heartbeat.interval.ms"];
    "streams.initial.rebalance.delay.ms" Int "3000", AtLeast(0), ["group.streams.initial.rebalance.delay.ms"];
    "streams.num.standby.replicas" Int "0", AtLeast(0), ["group.streams.num.standby.replicas"];
    "streams.num.warmup.replicas" Int "2", AtLeast(0), ["group.streams.num.warmup.replicas"] internal;
    "streams.rack.aware.assignment.tags" List "", Any, ["group.streams.rack.aware.assignment.tags"];
    "streams.session.timeout.ms" Int "45000", AtLeast(1), ["group.streams.session.timeout.ms"];
    "streams.task.offset.interval.ms" Int "60000", AtLeast(1), ["group.streams.task.offset.interval.ms"] internal;
};

const METRICS: &[Setting] = &[
    metrics_row("interval.ms", Int, "300000", Between(100, 3_600_000)),
    metrics_row("match", List, "", Any),
    metrics_row("metrics", List, "", Any),
];

const fn metrics_row(name: &'static str, kind: Type, default: &'static str, check: Check) -> Setting {
    let doc = "Kept and shown; has no effect until Daybook collects client metrics.";
    Setting { name, kind, default: Some(default), scope: Scope::Cluster, check, doc, listed: true }
}
