//! The broker's settings: one typed table, the layers their values come from, and what is in force.
//!
//! Names, units, defaults and limits are Kafka's. Nothing here reads a request or writes the catalog: `describe`
//! and `alter` are plain functions over the layers that the API handlers call.

pub mod alter;
mod broker;
pub mod describe;
mod environment;
mod layers;
mod listeners;
mod load;
mod nearest;
mod page;
mod properties;
mod setting;
pub mod table;
mod topic;
mod value;

pub use self::{
    broker::BrokerConfig,
    layers::{Layers, Source},
    listeners::ListenerConfig,
    load::{Loaded, Sources, load},
    page::configuration_page,
    setting::{Check, Scope, Setting},
    topic::{TopicConfig, check_topic_overrides, overrides_from_request, topic_config},
    value::{Type, Value},
};
use std::collections::BTreeMap;

/// Settings as they were written: Kafka's name to text.
pub type ConfigMap = BTreeMap<String, String>;
