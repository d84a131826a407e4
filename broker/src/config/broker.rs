//! The broker's own settings as plain values: parsed once at start, handed down by value.

use super::{
    layers::Layers,
    listeners::{self, ListenerConfig},
    table,
};
use std::{collections::BTreeMap, net::IpAddr, path::PathBuf};

/// The broker's settings, parsed and checked. Units as the names say.
#[derive(Clone, Debug)]
pub struct BrokerConfig {
    pub node_id: i32,
    pub rack: Option<String>,
    /// From `cluster.id` / `CLUSTER_ID`; `None`: the folder's, or a new one.
    pub cluster_id: Option<String>,
    pub listeners: Vec<ListenerConfig>,
    pub log_dir: PathBuf,

    pub num_partitions: i32,
    pub default_replication_factor: i16,
    pub auto_create_topics_enable: bool,
    pub delete_topic_enable: bool,
    pub max_request_partition_size_limit: i32,

    pub socket_request_max_bytes: i32,
    /// -1: the system's choice.
    pub socket_send_buffer_bytes: i32,
    /// -1: the system's choice.
    pub socket_receive_buffer_bytes: i32,
    pub socket_listen_backlog_size: i32,
    /// Negative: for ever.
    pub connections_max_idle_ms: i64,
    pub max_connections: i32,
    pub max_connections_per_ip: i32,
    pub max_connections_per_ip_overrides: BTreeMap<IpAddr, i32>,
    pub max_connection_creation_rate: i32,
    pub queued_max_requests: i32,
    /// Not positive: no bound.
    pub queued_max_request_bytes: i64,

    pub fetch_max_bytes: i32,
    pub max_incremental_fetch_session_cache_slots: i32,

    pub offsets_topic_num_partitions: i32,
    pub offsets_topic_segment_bytes: i32,
    pub offsets_retention_minutes: i32,
    pub offsets_retention_check_interval_ms: i64,
    pub offset_metadata_max_bytes: i32,
    pub group_min_session_timeout_ms: i32,
    pub group_max_session_timeout_ms: i32,
    pub group_initial_rebalance_delay_ms: i32,
    pub group_max_size: i32,

    pub log_retention_check_interval_ms: i64,
    pub log_initial_task_delay_ms: i64,
    pub log_flush_offset_checkpoint_interval_ms: i32,
    pub log_flush_start_offset_checkpoint_interval_ms: i32,
    pub producer_id_expiration_ms: i32,
    pub producer_id_expiration_check_interval_ms: i32,
}

impl BrokerConfig {
    /// Reads what is in force. The error is one sentence for whoever started the broker.
    pub fn from_layers(layers: &Layers) -> Result<BrokerConfig, String> {
        check_fixed_values(layers)?;
        refuse_missing_protection(layers)?;
        check_together(layers)?;
        Ok(BrokerConfig {
            node_id: layers.int("node.id"),
            rack: layers.text("broker.rack"),
            cluster_id: layers.text("cluster.id").filter(|id| !id.is_empty()),
            listeners: listeners::from_layers(layers)?,
            log_dir: log_dir(layers)?,

            num_partitions: layers.int("num.partitions"),
            default_replication_factor: short(layers.int("default.replication.factor")),
            auto_create_topics_enable: layers.boolean("auto.create.topics.enable"),
            delete_topic_enable: layers.boolean("delete.topic.enable"),
            max_request_partition_size_limit: layers.int("max.request.partition.size.limit"),

            socket_request_max_bytes: layers.int("socket.request.max.bytes"),
            socket_send_buffer_bytes: layers.int("socket.send.buffer.bytes"),
            socket_receive_buffer_bytes: layers.int("socket.receive.buffer.bytes"),
            socket_listen_backlog_size: layers.int("socket.listen.backlog.size"),
            connections_max_idle_ms: layers.integer("connections.max.idle.ms"),
            max_connections: layers.int("max.connections"),
            max_connections_per_ip: layers.int("max.connections.per.ip"),
            max_connections_per_ip_overrides: connection_overrides(layers)?,
            max_connection_creation_rate: layers.int("max.connection.creation.rate"),
            queued_max_requests: layers.int("queued.max.requests"),
            queued_max_request_bytes: layers.integer("queued.max.request.bytes"),

            fetch_max_bytes: layers.int("fetch.max.bytes"),
            max_incremental_fetch_session_cache_slots: layers
                .int("max.incremental.fetch.session.cache.slots"),

            offsets_topic_num_partitions: layers.int("offsets.topic.num.partitions"),
            offsets_topic_segment_bytes: layers.int("offsets.topic.segment.bytes"),
            offsets_retention_minutes: layers.int("offsets.retention.minutes"),
            offsets_retention_check_interval_ms: layers.integer("offsets.retention.check.interval.ms"),
            offset_metadata_max_bytes: layers.int("offset.metadata.max.bytes"),
            group_min_session_timeout_ms: layers.int("group.min.session.timeout.ms"),
            group_max_session_timeout_ms: layers.int("group.max.session.timeout.ms"),
            group_initial_rebalance_delay_ms: layers.int("group.initial.rebalance.delay.ms"),
            group_max_size: layers.int("group.max.size"),

            log_retention_check_interval_ms: layers.integer("log.retention.check.interval.ms"),
            log_initial_task_delay_ms: layers.integer("log.initial.task.delay.ms"),
            log_flush_offset_checkpoint_interval_ms: layers.int("log.flush.offset.checkpoint.interval.ms"),
            log_flush_start_offset_checkpoint_interval_ms: layers
                .int("log.flush.start.offset.checkpoint.interval.ms"),
            producer_id_expiration_ms: layers.int("producer.id.expiration.ms"),
            producer_id_expiration_check_interval_ms: layers.int("producer.id.expiration.check.interval.ms"),
        })
    }
}

/// What was given at start must be right; only what is dynamic may be passed over (see [`Layers::value`]).
fn check_fixed_values(layers: &Layers) -> Result<(), String> {
    for (name, text) in layers.fixed.iter() {
        if let Some(setting) = table::broker(name) {
            setting.read(text)?;
        }
    }
    Ok(())
}

/// Stops a start that would leave out protection someone asked for.
fn refuse_missing_protection(layers: &Layers) -> Result<(), String> {
    if let Some(class) = layers.text("authorizer.class.name").filter(|class| !class.is_empty()) {
        return Err(format!(
            "authorizer.class.name is {class}, but Daybook has no access control yet: leave it empty to start without."
        ));
    }
    if layers.text("delegation.token.secret.key").is_some_and(|key| !key.is_empty()) {
        return Err(
            "delegation.token.secret.key is set, but Daybook has no delegation tokens yet: remove it.".into(),
        );
    }
    Ok(())
}

/// Values that are fine one by one, but not together.
pub(super) fn check_together(layers: &Layers) -> Result<(), String> {
    let retention = table::topic("retention.ms").map(|topic| topic.synonyms).unwrap_or_default();
    if layers.first_of(retention) == Some(super::Value::Integer(0)) {
        return Err("Invalid value '0' for log.retention.ms: it must be -1 or 1 or more.".into());
    }
    let (shortest, longest) =
        (layers.int("group.min.session.timeout.ms"), layers.int("group.max.session.timeout.ms"));
    if shortest > longest {
        return Err(format!(
            "group.min.session.timeout.ms ({shortest}) cannot be more than group.max.session.timeout.ms ({longest})."
        ));
    }
    Ok(())
}

fn log_dir(layers: &Layers) -> Result<PathBuf, String> {
    let name = if layers.text("log.dirs").is_some() { "log.dirs" } else { "log.dir" };
    match layers.list(name).as_slice() {
        [folder] if !folder.is_empty() => Ok(PathBuf::from(folder)),
        [] | [_] => Err(format!("{name} is empty: name the folder that data is kept in.")),
        folders => Err(format!(
            "{name} names {} folders; Daybook keeps its data in one folder for now.",
            folders.len()
        )),
    }
}

/// `address:count`, separated by commas; a host name stands for all its addresses.
fn connection_overrides(layers: &Layers) -> Result<BTreeMap<IpAddr, i32>, String> {
    let text = layers.text("max.connections.per.ip.overrides").unwrap_or_default();
    parse_connection_overrides(&text)
}

/// Reads the value of `max.connections.per.ip.overrides`.
pub(super) fn parse_connection_overrides(text: &str) -> Result<BTreeMap<IpAddr, i32>, String> {
    let mut overrides = BTreeMap::new();
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let refuse = || {
            format!(
                "Invalid value '{item}' for max.connections.per.ip.overrides: it must be a list of address:count."
            )
        };
        let (host, count) = item.rsplit_once(':').ok_or_else(refuse)?;
        let count = count.trim().parse().ok().filter(|count| *count >= 0).ok_or_else(refuse)?;
        let addresses = listeners::resolve(host.trim()).map_err(|_| refuse())?;
        overrides.extend(addresses.into_iter().map(|address| (address, count)));
    }
    Ok(overrides)
}

fn short(number: i32) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}

#[cfg(test)]
mod tests;
