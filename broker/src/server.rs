//! Starting and stopping: puts the parts together in the order that keeps every promise.
//!
//! Start: addresses, data folder, catalog, logs, groups; only then can clients connect, so that none meets a
//! broker that is not ready. Stop: no new requests, answers or ends for those in work, flush, checkpoints, and
//! last the mark of a clean shutdown.

use crate::{
    api::{Dispatcher, init_producer_id::ProducerIds, produce::DecompressionBudget},
    catalog::{self, Catalog, Registration, Topics},
    config::{BrokerConfig, Loaded, check_topic_overrides, topic_config},
    coordinator::{GroupCoordinator, SystemClock, group::GroupSettings},
    data_dir::DataDir,
    durability::stop_process,
    fetch_session::Sessions,
    group_service::GroupService,
    logs::{Logs, Opening, ToOpen, duties},
    net::{
        Budget, ConnectionLimits, Endpoint, FrameHandler, Listeners, Shutdown, SocketBuffers, Surroundings,
        Unsent,
    },
    observe::logging::LogLevels,
    offsets_topic::OffsetsTopic,
    services::{CatalogBlocks, DynamicSettings, Identity, Services},
    wall_clock::now_ms,
};
use arc_swap::ArcSwap;
use protocol_glue::records::metadata::BrokerEndpoint;
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use storage::disk::{Disk, RealDisk};
use tokio::{
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// What all requests together may take while compressed batches are opened to be checked.
const DECOMPRESSION_BYTES: usize = 256 << 20;

/// A client that makes no progress for so long has to go when memory is short.
const STALL: Duration = Duration::from_secs(5);

/// Answers in memory that no client has taken yet, in all; above it, clients that take nothing are closed.
const UNSENT_BYTES: usize = 64 << 20;

/// A running broker.
pub struct Server {
    addresses: Vec<SocketAddr>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    duties: JoinSet<()>,
    data_dir: Arc<DataDir>,
    catalog: Arc<Catalog>,
    logs: Arc<Logs>,
}

impl Server {
    /// Starts a broker; when this returns, clients can connect. The error is one sentence.
    pub async fn start(loaded: Loaded, log_levels: LogLevels) -> Result<Server, String> {
        let Loaded { config, layers, .. } = loaded;
        let listeners = Listeners::bind(&config.listeners, config.socket_listen_backlog_size)?;
        let addresses = listeners.addresses();
        let (stop, shutdown) = Shutdown::new();
        let stopping = stop.subscribe();

        let registration = registration(&config, listeners.endpoints());
        let opened = {
            let (config, layers) = (config.clone(), layers.clone());
            tokio::task::spawn_blocking(move || open(&config, &layers)).await
        };
        let Opened { data_dir, catalog, logs, topics } = opened.map_err(|error| error.to_string())??;

        let offsets = Arc::new(OffsetsTopic::new(topics.clone(), logs.clone()));
        let groups = GroupCoordinator::new(
            group_settings(&config),
            offsets,
            Arc::new(SystemClock::new()),
            Box::new(uuid::Uuid::new_v4),
        );
        let groups = Arc::new(GroupService::start(Arc::new(groups), topics.clone()).await?);
        let settings = Arc::new(ArcSwap::from_pointee(config.clone()));
        let services = Services {
            identity: Identity {
                cluster_id: data_dir.cluster_id().to_owned(),
                node_id: config.node_id,
                rack: config.rack.clone(),
            },
            settings: settings.clone(),
            layers,
            log_dir: data_dir.path().to_owned(),
            config_store: DynamicSettings { topics: topics.clone(), settings },
            topics,
            logs: logs.clone(),
            groups: groups.clone(),
            fetch_sessions: Sessions::new(config.max_incremental_fetch_session_cache_slots.max(0) as usize),
            producer_ids: ProducerIds::new(CatalogBlocks(catalog.clone())),
            decompression: DecompressionBudget::new(DECOMPRESSION_BYTES),
            log_levels,
        };
        let handler = Arc::new(Dispatcher::new(services));
        let around = Surroundings {
            budget: Budget::new(config.queued_max_request_bytes, handler.largest_of_all()),
            unsent: Unsent::new(UNSENT_BYTES),
            handler,
            buffers: SocketBuffers::of(config.socket_send_buffer_bytes, config.socket_receive_buffer_bytes),
            idle: Duration::from_millis(config.connections_max_idle_ms.max(1) as u64),
            stall: STALL,
            shutdown,
        };
        let limits = ConnectionLimits::new(
            config.max_connections,
            config.max_connections_per_ip,
            config.max_connections_per_ip_overrides.clone(),
            config.max_connection_creation_rate,
        );
        let serving = tokio::spawn(listeners.accept(Arc::new(limits), Arc::new(around))?);
        let mut duties = duties::start(&logs, duties::Periods::of(&config), &stopping);
        duties.spawn(groups.clone().run(offsets_check_period(&config), stopping));
        duties.spawn_blocking({
            let catalog = catalog.clone();
            // Clients need not wait for this; whoever changes something waits for it, and a failure stops the process.
            move || _ = catalog.register(registration)
        });
        Ok(Server { addresses, stop, serving, duties, data_dir, catalog, logs })
    }

    /// Every address that is listened on.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The absolute path of the data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.data_dir.path().to_owned()
    }

    /// Waits until the broker cannot go on, and tells why.
    pub async fn failed(&self) -> String {
        self.catalog.failed().await.to_string()
    }

    /// Stops cleanly: nothing needs to be recovered at the next start.
    pub async fn stop(mut self) -> Result<(), String> {
        let _ = self.stop.send(true);
        let _ = self.serving.await;
        while self.duties.join_next().await.is_some() {}
        let close = move || -> Result<(), String> {
            self.logs.close().map_err(|error| error.to_string())?;
            let broker_epoch = self.catalog.close().map_err(|error| error.to_string())?;
            self.data_dir.close_cleanly(broker_epoch).map_err(|error| error.to_string())
        };
        tokio::task::spawn_blocking(close).await.map_err(|error| error.to_string())?
    }
}

/// What lies on the disk, opened.
struct Opened {
    data_dir: Arc<DataDir>,
    catalog: Arc<Catalog>,
    logs: Arc<Logs>,
    topics: Topics,
}

fn open(config: &BrokerConfig, layers: &crate::config::Layers) -> Result<Opened, String> {
    // Absolute, because clients are told where the data lies.
    let log_dir = std::path::absolute(&config.log_dir)
        .map_err(|error| format!("log.dirs: {}: {error}", config.log_dir.display()))?;
    let data_dir = DataDir::open(&log_dir, config.cluster_id.as_deref(), config.node_id)
        .map_err(|error| error.to_string())?;
    let data_dir = Arc::new(data_dir);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let catalog = match data_dir.is_new() {
        true => Catalog::found(disk.clone(), data_dir.clone(), config.node_id),
        false => Catalog::open(disk.clone(), &data_dir, config.node_id).map_err(|error| error.to_string())?,
    };
    let catalog = Arc::new(catalog);
    let opening =
        Opening { clean: data_dir.clean_shutdown().is_some(), now_ms: now_ms(), fatal: stop_process() };
    let logs = Arc::new(Logs::open(disk, data_dir.path(), opening).map_err(|error| error.to_string())?);
    let settings = catalog::Settings::of(config, layers.fixed.clone(), check_topic_overrides);
    let topics = Topics::new(catalog.clone(), logs.clone(), settings);
    logs.open_all(&to_open(&topics)).map_err(|error| error.to_string())?;
    logs.report_strays();
    Ok(Opened { data_dir, catalog, logs, topics })
}

/// Every partition of the catalog.
fn to_open(topics: &Topics) -> Vec<ToOpen> {
    let (image, layers) = (topics.image(), topics.layers());
    let of_topic = |topic: &Arc<catalog::Topic>| {
        let topic = topic.clone();
        let config = Arc::new(topic_config(&topic.configs, &layers));
        (0..topic.partitions.len()).map(move |index| ToOpen {
            topic: topic.name.clone(),
            topic_id: topic.id,
            index: index as i32,
            leader_epoch: topic.partitions[index].leader_epoch,
            config: config.clone(),
        })
    };
    image.topics.values().flat_map(of_topic).collect()
}

fn group_settings(config: &BrokerConfig) -> GroupSettings {
    GroupSettings {
        min_session_timeout_ms: config.group_min_session_timeout_ms,
        max_session_timeout_ms: config.group_max_session_timeout_ms,
        initial_rebalance_delay_ms: config.group_initial_rebalance_delay_ms,
        max_size: config.group_max_size,
        offset_metadata_max_units: config.offset_metadata_max_bytes,
        offsets_retention_ms: i64::from(config.offsets_retention_minutes) * 60_000,
    }
}

fn offsets_check_period(config: &BrokerConfig) -> Duration {
    Duration::from_millis(config.offsets_retention_check_interval_ms.max(1) as u64)
}

fn registration(config: &BrokerConfig, endpoints: &[Arc<Endpoint>]) -> Registration {
    let end_points = endpoints.iter().map(|endpoint| BrokerEndpoint {
        name: endpoint.listener.clone(),
        host: endpoint.host.clone(),
        port: endpoint.port,
        security_protocol: 0,
    });
    Registration { end_points: end_points.collect(), rack: config.rack.clone() }
}
