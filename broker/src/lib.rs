//! The Daybook broker as a library; `main.rs` is the command line only.

pub mod api;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod coordinator;
pub mod data_dir;
pub mod durability;
pub mod fetch_session;
pub mod group_service;
pub mod logs;
pub mod net;
pub mod observe;
pub mod offsets_topic;
pub mod open_files;
pub mod partition;
pub mod server;
pub mod services;
#[cfg(test)]
mod testing;
pub mod wait;
pub mod wall_clock;
