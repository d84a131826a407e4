//! The classic group protocol and committed offsets, without I/O.
//!
//! [`Groups`] is the state of one shard. Time, fresh ids and the tokens of waiting requests come in as arguments. Two
//! kinds of answers come out:
//!
//! - Membership ([`Groups::join`], [`Groups::sync`], [`Groups::leave`], [`Groups::on_time`]): a [`Step`]. It may carry
//!   one record to append; the outcome goes back in through [`Groups::settle`], which says what follows. Replies are
//!   addressed to tokens, because a join or sync may wait for others.
//! - Offsets and administration ([`Groups::commit`], [`Groups::delete_groups`], …): a [`Decision`], which changes
//!   nothing. Its records are applied with [`Groups::apply`] once they are appended; if they cannot be, nothing
//!   happened.
//!
//! Not here: KIP-848 groups, transactions, authorization, and which topics exist.

mod admin;
mod error;
mod expiry;
#[allow(clippy::module_inception, reason = "a group is what this module is about")]
mod group;
mod heartbeat;
mod join;
mod leave;
mod member;
mod messages;
mod offsets;
mod rebalance;
mod records;
mod replay;
mod settings;
mod step;
mod subscription;
mod sync;
mod timers;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub use error::GroupError;
pub use group::State;
pub use messages::*;
pub use offsets::CommittedOffset;
pub use records::{Record, RecordError};
pub use settings::GroupSettings;
pub use step::{Append, Decision, Reply, Step, Then, Token};

use group::Group;
use offsets::GroupOffsets;
use timers::Timers;

/// The groups of one shard.
#[derive(Debug)]
pub struct Groups {
    settings: Arc<GroupSettings>,
    groups: HashMap<Arc<str>, Group>,
    /// Beside the groups, because a group can be replaced as a whole without touching its offsets.
    offsets: HashMap<Arc<str>, GroupOffsets>,
    timers: Timers,
    /// Groups that came into being without a record. As in Kafka, nobody is shown them until something is written.
    unwritten: HashSet<Arc<str>>,
}

impl Groups {
    /// A shard without groups.
    pub fn new(settings: Arc<GroupSettings>) -> Self {
        Self {
            settings,
            groups: HashMap::new(),
            offsets: HashMap::new(),
            timers: Timers::default(),
            unwritten: HashSet::new(),
        }
    }

    /// When [`Groups::on_time`] has something to do next, in ticks.
    pub fn next_deadline_ms(&self) -> Option<i64> {
        self.timers.next_deadline_ms()
    }
}

#[cfg(test)]
mod tests;
