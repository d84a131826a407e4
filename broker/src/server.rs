//! Starting and stopping: puts the parts together in the order that keeps every promise.
//!
//! Start: settings, addresses, data folder, catalog, logs, groups; only then can clients connect, so that
//! none meets a broker that is not ready. Stop: no new requests, answers or ends for those in work, flush,
//! checkpoints, and last the mark of a clean shutdown.

use crate::{
    api::Dispatcher,
    config::{BrokerConfig, Layers, Loaded},
    net::{Budget, ConnectionLimits, Endpoint, Listeners, RefusalLog, Shutdown, Surroundings},
    services::{Identity, Services},
};
