//! STUB of the settings: the types that others build against.
use std::{collections::BTreeMap, net::IpAddr, path::PathBuf, sync::Arc};

/// Settings as they were written: Kafka's name to text.
pub type ConfigMap = BTreeMap<String, String>;

/// Where a broker setting can come from, strongest first; the table's default comes last.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Dynamic, for this broker.
    pub broker: Arc<ConfigMap>,
    /// Dynamic, for the whole cluster.
    pub cluster: Arc<ConfigMap>,
    /// Command line, environment and file, merged.
    pub fixed: Arc<ConfigMap>,
}

/// One address to listen on, and what clients are told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerConfig {
    pub name: String,
    /// Every address to bind; the default listener has 127.0.0.1 and ::1.
    pub hosts: Vec<IpAddr>,
    /// 0: any free port.
    pub port: u16,
    /// `None`: the address that was bound.
    pub advertised_host: Option<String>,
    /// `None`: the port that was bound.
    pub advertised_port: Option<u16>,
}

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

    pub socket_request_max_bytes: i32,
    pub socket_send_buffer_bytes: i32,
    pub socket_receive_buffer_bytes: i32,
    pub socket_listen_backlog_size: i32,
    pub connections_max_idle_ms: i64,
    pub max_connections: i32,
    pub max_connections_per_ip: i32,
    pub max_connections_per_ip_overrides: BTreeMap<IpAddr, i32>,
    pub max_connection_creation_rate: i32,
    pub queued_max_requests: i32,
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

/// A topic's settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicConfig {
    pub log: storage::log::LogConfig,
    pub min_insync_replicas: i32,
}

/// The settings in force for a topic with these overrides. Overrides were checked when they were set.
pub fn topic_config(_overrides: &ConfigMap, _layers: &Layers) -> TopicConfig {
    unimplemented!()
}

/// Checks a topic's overrides as CreateTopics and the alter APIs must; the error is the message for code 40.
pub fn check_topic_overrides(_overrides: &ConfigMap) -> Result<(), String> {
    unimplemented!()
}
