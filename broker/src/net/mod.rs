//! Sockets: listening, limits on connections, frames in, replies out in order. Knows no API.

mod budget;
mod connection;
mod limits;
mod listener;
mod refusal;
mod reply;
#[cfg(test)]
mod tests;

pub use budget::Budget;
pub use connection::{Connection, FrameHandler, Surroundings};
pub use limits::{ConnectionLimits, Refused};
pub use listener::{Endpoint, Listeners, Shutdown, SocketBuffers};
pub use reply::{Piece, Reply, Stored, Unsent};
