//! A segmented log in Apache Kafka's own file format.
//!
//! It would make sense without Kafka's network protocol: it speaks of offsets, batches, segments and I/O
//! errors, and knows no request, response or error code.

pub mod batch;
pub mod disk;
pub mod log;
