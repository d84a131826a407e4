//! What the broker tells about itself.

pub mod logging;
mod thinning;
