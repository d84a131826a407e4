//! Open files: as many as the system allows, and half of them left to connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More open log files than this bring nothing.
const MOST_LOG_FILES: u64 = 16_384;

/// Raises the limit of this process as far as it may, and bounds the log files that stay open by it.
pub fn take_what_is_allowed() {
    let allowed = raised().unwrap_or(u64::MAX);
    storage::open_files::set_limit((allowed / 2).min(MOST_LOG_FILES) as usize);
}

/// Closes log files that nobody uses at this moment, for connections that need the room.
pub fn make_room() {
    storage::open_files::make_room();
}

/// The limit in force afterwards; `None` is no limit.
fn raised() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit { current: limit.maximum, maximum: limit.maximum };
    match setrlimit(Resource::Nofile, most) {
        Ok(()) => limit.maximum,
        // Not allowed, or more than the kernel can do: what there is must be enough.
        Err(_) => limit.current,
    }
}
