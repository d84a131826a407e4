//! Sockets: listening, limits on connections, frames in, replies out in order. Knows no API.

mod budget;
mod connection;
mod limits;
mod listener;
mod refusal;
#[cfg(test)]
mod tests;

pub use budget::Budget;
pub use connection::{Connection, FrameHandler, Reply, Surroundings};
pub use limits::{ConnectionLimits, Refused};
pub use listener::{Endpoint, Listeners, Shutdown};
