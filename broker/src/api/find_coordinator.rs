//! FindCoordinator (key 10), versions 0–6. Which node is responsible for a group or a transactional id.
//!
//! - v1 the type of the key, throttle time and error message; v3 flexible; v4 several keys, each with its own answer
//!   (KIP-699); v6 share groups (KIP-932).
//! - Of types 0 (group) and 1 (transaction) every key is this node's, as soon as the internal topic is there;
//!   until then code 15, which clients retry.
//! - Share groups are not coordinated here: a well-formed key of type 2 is code 15, another one 42.
//! - A type that nobody defines is code 42.

use std::future::Future;

use kafka_protocol::{
    messages::{
        BrokerId, FindCoordinatorRequest, FindCoordinatorResponse, find_coordinator_response::Coordinator,
    },
    protocol::StrBytes,
};
use protocol_glue::ErrorCode;

use super::text::text;

/// Where clients reach this node, on the listener that they asked.
#[derive(Clone, Copy, Debug)]
pub struct NodeEndpoint<'a> {
    pub node_id: i32,
    pub host: &'a str,
    pub port: u16,
}

/// What a coordinator is asked for, and has an internal topic for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinated {
    /// Groups, in `__consumer_offsets`.
    Groups,
    /// Transactions, in `__transaction_state`.
    Transactions,
}

/// The internal topics that coordinators keep their state in.
pub trait CoordinatorTopics {
    /// Makes sure that the topic is there and served, creating it on first need; `false` if that did not work out.
    fn ensure(&self, what: Coordinated) -> impl Future<Output = bool> + Send;
}

/// Handles a request that came in where `node` is reached.
pub async fn handle(
    version: i16,
    request: FindCoordinatorRequest,
    node: NodeEndpoint<'_>,
    topics: &impl CoordinatorTopics,
) -> FindCoordinatorResponse {
    if version < 4 {
        let outcome = match KeyType::read(version, request.key_type) {
            // Without a place for several answers there is none for share groups.
            Some(KeyType::Share) | None => Err(Refusal::UNKNOWN_TYPE),
            Some(KeyType::Of(what)) => find(topics, what).await,
        };
        return single(version, outcome, node);
    }
    let key_type = KeyType::read(version, request.key_type);
    let found = match key_type {
        Some(KeyType::Of(what)) => find(topics, what).await,
        Some(KeyType::Share) => Ok(()),
        None => Err(Refusal::UNKNOWN_TYPE),
    };
    let answers = request.coordinator_keys.iter().map(|key| {
        let is_share = key_type == Some(KeyType::Share);
        answer(key, if is_share { share(version, key) } else { found }, node)
    });
    FindCoordinatorResponse::default().with_coordinators(answers.collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyType {
    Of(Coordinated),
    Share,
}

impl KeyType {
    fn read(version: i16, number: i8) -> Option<Self> {
        match number {
            // v0 has groups only.
            _ if version == 0 => Some(Self::Of(Coordinated::Groups)),
            0 => Some(Self::Of(Coordinated::Groups)),
            1 => Some(Self::Of(Coordinated::Transactions)),
            2 => Some(Self::Share),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Refusal {
    error: ErrorCode,
    message: &'static str,
}

impl Refusal {
    const UNKNOWN_TYPE: Self =
        Self { error: ErrorCode::InvalidRequest, message: "No coordinator has keys of this type." };
    const INVALID_KEY: Self = Self { error: ErrorCode::InvalidRequest, message: "" };
    const NOT_YET: Self = Self { error: ErrorCode::CoordinatorNotAvailable, message: "" };
}

async fn find(topics: &impl CoordinatorTopics, what: Coordinated) -> Result<(), Refusal> {
    if topics.ensure(what).await { Ok(()) } else { Err(Refusal::NOT_YET) }
}

fn share(version: i16, key: &str) -> Result<(), Refusal> {
    let is_valid = version >= 6 && is_share_partition(key);
    Err(if is_valid { Refusal::NOT_YET } else { Refusal::INVALID_KEY })
}

fn single(version: i16, outcome: Result<(), Refusal>, node: NodeEndpoint<'_>) -> FindCoordinatorResponse {
    let (node_id, host, port) = place(outcome, node);
    let (error, message) = match outcome {
        Ok(()) => (ErrorCode::None, "NONE"),
        Err(refusal) if refusal.message.is_empty() => (refusal.error, refusal.error.name()),
        Err(refusal) => (refusal.error, refusal.message),
    };
    FindCoordinatorResponse::default()
        .with_error_code(error.code())
        .with_error_message((version >= 1).then(|| text(message)))
        .with_node_id(node_id)
        .with_host(host)
        .with_port(port)
}

fn answer(key: &StrBytes, outcome: Result<(), Refusal>, node: NodeEndpoint<'_>) -> Coordinator {
    let (node_id, host, port) = place(outcome, node);
    let refusal = outcome.err();
    Coordinator::default()
        .with_key(key.clone())
        .with_node_id(node_id)
        .with_host(host)
        .with_port(port)
        .with_error_code(refusal.map_or(ErrorCode::None, |refusal| refusal.error).code())
        .with_error_message(Some(text(refusal.map_or("", |refusal| refusal.message))))
}

fn place(outcome: Result<(), Refusal>, node: NodeEndpoint<'_>) -> (BrokerId, StrBytes, i32) {
    match outcome {
        Ok(()) => (BrokerId(node.node_id), text(node.host), node.port.into()),
        Err(_) => (BrokerId(-1), text(""), -1),
    }
}

/// Whether a key is `group:topicId:partition`, the id in the URL-safe form of base 64 without padding.
fn is_share_partition(key: &str) -> bool {
    const UUID_CHARACTERS: usize = 22;
    let mut parts = key.rsplitn(3, ':');
    let (Some(partition), Some(topic_id), Some(group)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !group.trim().is_empty()
        && topic_id.len() == UUID_CHARACTERS
        && topic_id.bytes().all(is_base64)
        && partition.parse::<i32>().is_ok()
}
