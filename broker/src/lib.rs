//! The Daybook broker as a library; `main.rs` is the command line only.

pub mod api;
pub mod catalog;
pub mod config;
pub mod durability;
pub mod fetch_session;
pub mod logs;
pub mod partition;
#[cfg(test)]
mod testing;
pub mod wait;
