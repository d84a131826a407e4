//! A segmented log in Apache Kafka's own file format.
//!
//! It would make sense without Kafka's network protocol: it speaks of offsets, batches, segments and I/O
//! errors, and knows no request, response or error code. Every byte it writes is drawn in
//! `docs/log-format.md`.
//!
//! What goes in passes [`batch::validate`] (or comes from [`batch::Builder`]); [`log::Log`] keeps it.

pub mod batch;
pub mod checkpoint;
pub mod disk;
pub mod log;
pub mod open_files;

mod builder;
mod compress;
mod epochs;
mod flush;
mod format;
mod index;
mod producer_state;
mod records;
mod recovery;
mod retention;
mod segment;
mod slice;
mod timestamps;
mod validate;
