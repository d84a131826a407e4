//! The composition root: everything that handlers may be handed. Rows of the table pick what a handler uses;
//! no handler receives this.

use crate::{
    api::{
        describe_configs::Settings,
        describe_log_dirs::PartitionSize,
        fetch::Leader,
        find_coordinator::NodeEndpoint,
        incremental_alter_configs::{ConfigStore, Present, Write},
        init_producer_id::{BlockSource, NextBlock, ProducerIds},
        produce::DecompressionBudget,
        this_broker::ThisBroker,
    },
    catalog::{Catalog, ConfigChange, Image, Topics},
    config::{BrokerConfig, Layers},
    fetch_session::Sessions,
    group_service::GroupService,
    logs::Logs,
    net::{Connection, Endpoint},
    observe::logging::LogLevels,
};
use arc_swap::ArcSwap;
use std::{path::PathBuf, sync::Arc};

/// What this broker is called; never changes while it runs.
#[derive(Clone, Debug)]
pub struct Identity {
    /// 22 characters of URL-safe base64.
    pub cluster_id: String,
    pub node_id: i32,
    pub rack: Option<String>,
}

/// The parts of a running broker.
pub struct Services {
    pub identity: Identity,
    /// Settings in force; dynamic ones change while the broker runs.
    pub settings: Arc<ArcSwap<BrokerConfig>>,
    /// The settings that do not change while the broker runs; the dynamic layers are the catalog's.
    pub layers: Layers,
    /// Absolute, as clients see it.
    pub log_dir: PathBuf,
    pub topics: Topics,
    pub config_store: DynamicSettings,
    pub logs: Arc<Logs>,
    pub groups: Arc<GroupService>,
    pub fetch_sessions: Sessions,
    pub producer_ids: ProducerIds,
    pub decompression: DecompressionBudget,
    pub log_levels: LogLevels,
}

impl Services {
    /// This broker as a client of that connection must see it.
    pub fn this_broker(&self, connection: &Connection) -> ThisBroker {
        ThisBroker {
            node_id: self.identity.node_id,
            cluster_id: self.identity.cluster_id.clone(),
            rack: self.identity.rack.clone(),
            host: connection.endpoint.host.clone(),
            port: connection.endpoint.port,
        }
    }

    /// The same, as FindCoordinator answers it.
    pub fn node_endpoint<'a>(&self, connection: &'a Connection) -> NodeEndpoint<'a> {
        let Endpoint { host, port, .. } = &*connection.endpoint;
        NodeEndpoint { node_id: self.identity.node_id, host, port: *port }
    }

    /// The same, as Fetch names a leader.
    pub fn leader(&self, connection: &Connection) -> Leader {
        Leader {
            node_id: self.identity.node_id,
            rack: self.identity.rack.clone(),
            host: connection.endpoint.host.clone(),
            port: connection.endpoint.port,
        }
    }

    /// Where DescribeConfigs finds its answers.
    pub fn described<'a>(&'a self, image: &'a Image) -> Settings<'a> {
        Settings {
            image,
            others: &image.other_configs,
            layers: &self.layers,
            node_id: self.identity.node_id,
            loggers: &self.log_levels,
        }
    }

    /// The size of every partition.
    pub fn partition_sizes(&self) -> Vec<PartitionSize> {
        let size = |partition: Arc<crate::partition::Partition>| PartitionSize {
            topic: partition.topic().clone(),
            index: partition.index(),
            bytes: partition.size_bytes(),
        };
        self.logs.all().into_iter().map(size).collect()
    }
}

/// Keeps dynamic settings in the catalog, and the broker's own settings in step with them.
pub struct DynamicSettings {
    pub topics: Topics,
    pub settings: Arc<ArcSwap<BrokerConfig>>,
}

impl ConfigStore for DynamicSettings {
    async fn configure<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&Present<'_>) -> (Vec<Write>, T) + Send + 'static,
    ) -> Result<T, String> {
        let decided = self.topics.configure(move |image| {
            let (writes, answer) = decide(&Present { image, others: &image.other_configs });
            (writes.into_iter().map(change).collect(), answer)
        });
        let answer = decided.await.map_err(|error| error.to_string())?;
        match BrokerConfig::from_layers(&self.topics.layers()) {
            Ok(settings) => self.settings.store(Arc::new(settings)),
            Err(error) => {
                tracing::error!("dynamic settings do not fit together and are not in force: {error}")
            }
        }
        Ok(answer)
    }
}

fn change(write: Write) -> ConfigChange {
    let Write { resource_type, resource_name, name, value } = write;
    ConfigChange { resource_type, resource_name, name, value }
}

/// Producer ids come in blocks that the catalog never gives out twice.
pub struct CatalogBlocks(pub Arc<Catalog>);

impl BlockSource for CatalogBlocks {
    fn next_block(&self) -> NextBlock<'_> {
        let catalog = self.0.clone();
        Box::pin(async move {
            let given = tokio::task::spawn_blocking(move || catalog.next_producer_id_block()).await;
            let (first, count) =
                given.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            Ok(first..first + i64::from(count))
        })
    }
}
