//! The Daybook broker as a library; `main.rs` is the command line only.

pub mod api;
pub mod catalog;
pub mod config;
pub mod coordinator;
pub mod logs;
pub mod partition;
