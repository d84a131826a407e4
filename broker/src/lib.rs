//! The Daybook broker as a library; `main.rs` is the command line only.

pub mod api;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod logs;
pub mod observe;
pub mod partition;
