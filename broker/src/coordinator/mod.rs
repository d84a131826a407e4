//! Coordinators: who is in a group, what it has committed.
//!
//! - [`group`]: the rules, as plain data and functions. No I/O, no clock, no randomness.
//! - [`GroupCoordinator`]: the runtime around them. For each request: decide, append the records to
//!   `__consumer_offsets`, apply them, then act on the effects. Restart is applying the records again.
//! - [`OffsetsLog`]: all that the runtime knows of that topic.
//!
//! One shard per partition of the topic, one lock per shard. Nothing here knows a request or response of the wire.

mod clock;
pub mod group;
mod log;
mod placement;
mod runtime;
mod shard;
mod timer_task;

pub use clock::{Clock, Now, SystemClock};
pub use log::{AppendFailure, Durable, KeyValue, OffsetsLog, ReplayFailure, Visit};
pub use placement::partition_for;
pub use runtime::{GroupCoordinator, LoadError};

#[cfg(test)]
pub(crate) mod tests;
