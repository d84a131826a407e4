//! What deciding returns.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use super::{JoinReply, Record, SyncReply, group::Group};

/// Names a request that waits for its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

/// The reply to a request that may have waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Join(JoinReply),
    Sync(SyncReply),
}

/// What to do next: send the replies, then append the record, if any, and settle with its outcome.
#[derive(Debug, Default)]
#[must_use]
pub struct Step {
    pub replies: Vec<(Token, Reply)>,
    pub append: Option<Append>,
}

/// A record to append, and what its outcome decides about.
#[derive(Debug)]
pub struct Append {
    pub record: Record,
    pub then: Then,
}

/// What an append decides about; only [`super::Groups::settle`] looks inside.
#[derive(Debug)]
pub enum Then {
    /// A group was created by a join.
    Created { group_id: Arc<str>, asked_by: Token, replies: Vec<(Token, Reply)> },
    /// A group became empty; it stays so whatever happens.
    Emptied,
    /// The leader brought the assignment.
    Assigned { group_id: Arc<str>, generation: i32, assignments: HashMap<Arc<str>, Bytes> },
    /// A static member came back under a new id: the group as it is from then on.
    Replaced {
        group: Box<Group>,
        old_member_id: Arc<str>,
        new_member_id: Arc<str>,
        asked_by: Token,
        replies: Vec<(Token, Reply)>,
    },
}

/// An answer that is true once the records are appended and applied.
#[derive(Debug)]
#[must_use]
pub struct Decision<T> {
    pub records: Vec<Record>,
    pub answer: T,
}

impl Step {
    pub(super) fn reply_join(&mut self, token: Token, reply: JoinReply) {
        self.replies.push((token, Reply::Join(reply)));
    }

    pub(super) fn reply_sync(&mut self, token: Token, reply: SyncReply) {
        self.replies.push((token, Reply::Sync(reply)));
    }
}
