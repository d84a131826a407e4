//! The composition root: everything that handlers may be handed. Rows of the table pick what a handler uses;
//! no handler receives this.

use crate::{
    catalog::Topics,
    config::{BrokerConfig, Layers},
    coordinator::GroupCoordinator,
    fetch_session::FetchSessions,
    logs::Logs,
    net::Endpoint,
};
use arc_swap::ArcSwap;
use std::sync::Arc;

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
    pub layers: Arc<ArcSwap<Layers>>,
    pub endpoints: Vec<Arc<Endpoint>>,
    pub topics: Arc<Topics>,
    pub logs: Arc<Logs>,
    pub groups: Arc<GroupCoordinator>,
    pub fetch_sessions: FetchSessions,
}
