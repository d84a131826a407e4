//! From what was read to the Fetch response of a version.

use super::{Fetched, LEADER_HINTS, read::PartitionResult};
use crate::fetch_session::{Answer, Asked, TopicKey};
use kafka_protocol::{
    messages::{
        BrokerId, FetchResponse, TopicName,
        fetch_response::{
            EpochEndOffset, FetchableTopicResponse, LeaderIdAndEpoch, NodeEndpoint, PartitionData,
        },
    },
    protocol::StrBytes,
};
use protocol_glue::ErrorCode;

/// This broker as a client's listener knows it; told to clients whose leader epoch is old (KIP-951).
#[derive(Clone, Debug)]
pub struct Leader {
    pub node_id: i32,
    pub host: String,
    pub port: u16,
    pub rack: Option<String>,
}

/// The results that the session lets through, neighbours of one topic together.
pub(super) fn response(
    version: i16,
    answer: Answer,
    results: Vec<PartitionResult>,
    leader: &Leader,
) -> Fetched {
    let mut fetched = Fetched::default();
    let response = &mut fetched.response;
    response.session_id = answer.session_id;
    let mut open: Option<TopicKey> = None;
    for (mut result, _) in results.into_iter().zip(answer.include).filter(|(_, included)| *included) {
        let topic = &result.key.topic;
        if open.as_ref() != Some(topic) {
            response.responses.push(topic_response(topic));
            open = Some(topic.clone());
        }
        if version >= LEADER_HINTS && points_elsewhere(result.code) && response.node_endpoints.is_empty() {
            response.node_endpoints.push(endpoint(leader));
        }
        if let Some(slice) = result.stored.take() {
            result.records = fetched.stored.push(slice);
        }
        let topic = response.responses.last_mut().expect("pushed above");
        topic.partitions.push(partition_data(version, result, leader));
    }
    fetched
}

/// An error about the session: no partitions, and the session is as it was.
pub(super) fn top_level_error(code: ErrorCode) -> Fetched {
    Fetched { response: FetchResponse::default().with_error_code(code.code()), ..Fetched::default() }
}

/// The request as a whole is wrong: told at the top and for each partition, as old versions have no top.
pub(super) fn refusal_of_all(version: i16, code: ErrorCode, listed: Vec<Asked>) -> Fetched {
    let results: Vec<_> = listed.iter().map(|asked| PartitionResult::unknown(asked, code)).collect();
    let include = vec![true; results.len()];
    let nobody = Leader { node_id: -1, host: String::new(), port: 0, rack: None };
    let mut refused = response(version, Answer { session_id: 0, include }, results, &nobody);
    refused.response.error_code = code.code();
    refused
}

fn topic_response(topic: &TopicKey) -> FetchableTopicResponse {
    match topic {
        TopicKey::Name(name) => {
            FetchableTopicResponse::default().with_topic(TopicName(StrBytes::from_string(name.to_string())))
        }
        TopicKey::Id(id) => FetchableTopicResponse::default().with_topic_id(*id),
    }
}

fn partition_data(version: i16, result: PartitionResult, leader: &Leader) -> PartitionData {
    let offset = |get: fn(crate::partition::Offsets) -> i64| result.offsets.map_or(-1, get);
    let mut data = PartitionData::default()
        .with_partition_index(result.key.partition)
        .with_error_code(result.code.code())
        .with_high_watermark(offset(|offsets| offsets.high_watermark))
        .with_last_stable_offset(offset(|offsets| offsets.last_stable))
        .with_log_start_offset(offset(|offsets| offsets.log_start))
        // No transactions yet, so none were aborted. Null says that nobody asked.
        .with_aborted_transactions(result.lists_aborted.then(Vec::new))
        .with_records(Some(result.records));
    if let Some((epoch, end_offset)) = result.diverging {
        data = data
            .with_diverging_epoch(EpochEndOffset::default().with_epoch(epoch).with_end_offset(end_offset));
    }
    if version >= LEADER_HINTS && points_elsewhere(result.code) {
        let hint = LeaderIdAndEpoch::default().with_leader_id(BrokerId(leader.node_id));
        data = data.with_current_leader(hint.with_leader_epoch(result.leader_epoch));
    }
    data
}

/// Errors after which a client looks for the leader.
fn points_elsewhere(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotLeaderOrFollower | ErrorCode::FencedLeaderEpoch)
}

fn endpoint(leader: &Leader) -> NodeEndpoint {
    NodeEndpoint::default()
        .with_node_id(BrokerId(leader.node_id))
        .with_host(StrBytes::from_string(leader.host.clone()))
        .with_port(i32::from(leader.port))
        .with_rack(leader.rack.clone().map(StrBytes::from_string))
}
