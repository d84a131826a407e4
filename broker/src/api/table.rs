//! The one table of APIs: key, name, versions, handler.

use super::{
    api_versions, create_partitions, create_topics, delete_groups, delete_records, delete_topics,
    describe_acls, describe_cluster, describe_configs, describe_groups, describe_log_dirs, fetch,
    find_coordinator, heartbeat, incremental_alter_configs, init_producer_id, join_group, leave_group,
    list_groups, list_offsets, metadata, offset_commit, offset_delete, offset_fetch, offset_for_leader_epoch,
    produce, sync_group,
};
use crate::{
    net::{Connection, Piece},
    services::Services,
    wall_clock::now_ms,
};
use bytes::Bytes;
use kafka_protocol::{
    messages::*,
    protocol::{Decodable, Encodable},
};
use protocol_glue::{DecodeError, codec, codec::Rope, versions};
use std::{future::Future, ops::RangeInclusive, pin::Pin};

/// A row: one API as it is served.
pub struct Api {
    pub key: i16,
    pub name: &'static str,
    /// Served: what both Apache Kafka 4.4 and our codec know.
    pub versions: RangeInclusive<i16>,
    /// The lowest version that ApiVersions lists.
    pub advertised_from: i16,
    /// The request carries record batches, so its frame may be as large as `socket.request.max.bytes`.
    pub carries_records: bool,
    pub run: Handler,
}

/// One request, for handlers that need to know who asks.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub version: i16,
    pub correlation_id: i32,
    /// Empty when the client gave none.
    pub client_id: &'a str,
    pub connection: &'a Connection,
}

/// What comes of a request.
pub enum Outcome {
    Respond(Vec<Piece>),
    /// acks=0 has no answer.
    Nothing,
    /// Close the connection; the text is for the log.
    Close(String),
}

/// Why a request could not be answered although its API and version are served.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    #[error("it could not be read: {0}")]
    Decode(#[from] DecodeError),
    #[error("the answer could not be written: {0}")]
    Encode(#[from] codec::EncodeError),
}

type Handler = for<'a> fn(
    &'a Services,
    Call<'a>,
    Bytes,
) -> Pin<Box<dyn Future<Output = Result<Outcome, Unanswered>> + Send + 'a>>;

/// A row. The handler gets the services to pick from, the call, and the decoded request.
macro_rules! api {
    ($key:literal $name:ident($request:ty) $versions:expr, |$services:ident, $call:ident, $body:ident| $answer:expr) => {
        Api {
            key: $key,
            name: stringify!($name),
            versions: $versions,
            advertised_from: *$versions.start(),
            carries_records: false,
            run: |$services, $call, mut body| {
                Box::pin(async move {
                    let $body: $request = read(&mut body, $call.version)?;
                    // The frame is not needed while the request waits.
                    drop(body);
                    let response = $answer.await;
                    respond($key, $call, &response)
                })
            },
        }
    };
}

/// Every API that is served, by key.
pub static APIS: &[Api] = &[
    Api {
        key: 0,
        name: "Produce",
        versions: 3..=13,
        advertised_from: 0,
        carries_records: true,
        run: |services, call, body| Box::pin(run_produce(services, call, body)),
    },
    Api {
        key: 1,
        name: "Fetch",
        versions: 4..=18,
        advertised_from: 4,
        carries_records: false,
        run: |services, call, body| Box::pin(run_fetch(services, call, body)),
    },
    api!(2 ListOffsets(ListOffsetsRequest) 1..=10, |s, c, r| list_offsets::handle(c.version, r, &s.logs)),
    api!(3 Metadata(MetadataRequest) 0..=13, |s, c, r| async {
        metadata::handle(c.version, r, &s.this_broker(c.connection), &s.topics).await
    }),
    api!(8 OffsetCommit(OffsetCommitRequest) 2..=9, |s, c, r| async {
        offset_commit::handle(c.version, r, &s.topics.image(), s.groups.ready().await).await
    }),
    api!(9 OffsetFetch(OffsetFetchRequest) 1..=9, |s, c, r| async {
        offset_fetch::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(10 FindCoordinator(FindCoordinatorRequest) 0..=6, |s, c, r| async {
        find_coordinator::handle(c.version, r, s.node_endpoint(c.connection), &*s.groups).await
    }),
    api!(11 JoinGroup(JoinGroupRequest) 0..=9, |s, c, r| async {
        let address = c.connection.peer.ip();
        join_group::handle(c.version, r, c.client_id, address, s.groups.ready().await).await
    }),
    api!(12 Heartbeat(HeartbeatRequest) 0..=4, |s, c, r| async {
        heartbeat::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(13 LeaveGroup(LeaveGroupRequest) 0..=5, |s, c, r| async {
        leave_group::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(14 SyncGroup(SyncGroupRequest) 0..=5, |s, c, r| async {
        sync_group::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(15 DescribeGroups(DescribeGroupsRequest) 0..=6, |s, c, r| async {
        describe_groups::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(16 ListGroups(ListGroupsRequest) 0..=5, |s, c, r| {
        list_groups::handle(c.version, r, s.groups.coordinator())
    }),
    api!(18 ApiVersions(ApiVersionsRequest) 0..=4, |s, c, r| async {
        api_versions::handle(c.version, r, c.connection, &s.topics.image(), APIS)
    }),
    api!(19 CreateTopics(CreateTopicsRequest) 2..=7, |s, c, r| {
        create_topics::handle(c.version, r, &s.topics, create_topics::described)
    }),
    api!(20 DeleteTopics(DeleteTopicsRequest) 1..=6, |s, c, r| async {
        let response = delete_topics::handle(c.version, r, &s.topics).await;
        // What groups committed for a topic goes with it.
        let deleted = response.responses.iter().filter(|topic| topic.error_code == 0);
        s.groups.forget_topics(&deleted.filter_map(|topic| Some(&***topic.name.as_ref()?)).collect()).await;
        response
    }),
    api!(21 DeleteRecords(DeleteRecordsRequest) 0..=2, |s, c, r| delete_records::handle(c.version, r, &s.logs)),
    api!(22 InitProducerId(InitProducerIdRequest) 0..=5, |s, c, r| {
        init_producer_id::handle(c.version, r, c.client_id, &s.producer_ids)
    }),
    api!(23 OffsetForLeaderEpoch(OffsetForLeaderEpochRequest) 2..=4, |s, c, r| {
        offset_for_leader_epoch::handle(c.version, r, &s.logs)
    }),
    api!(29 DescribeAcls(DescribeAclsRequest) 1..=3, |_s, c, r| describe_acls::handle(c.version, r)),
    api!(32 DescribeConfigs(DescribeConfigsRequest) 1..=4, |s, c, r| async {
        let image = s.topics.image();
        describe_configs::handle(c.version, r, s.described(&image)).await
    }),
    api!(35 DescribeLogDirs(DescribeLogDirsRequest) 1..=4, |s, c, r| {
        describe_log_dirs::handle(c.version, r, &s.log_dir, s.partition_sizes())
    }),
    api!(37 CreatePartitions(CreatePartitionsRequest) 0..=3, |s, c, r| {
        create_partitions::handle(c.version, r, &s.topics)
    }),
    api!(42 DeleteGroups(DeleteGroupsRequest) 0..=2, |s, c, r| async {
        delete_groups::handle(c.version, r, s.groups.ready().await).await
    }),
    api!(44 IncrementalAlterConfigs(IncrementalAlterConfigsRequest) 0..=1, |s, c, r| async {
        let layers = s.topics.layers();
        let store = &s.config_store;
        incremental_alter_configs::handle(c.version, r, store, &layers, s.identity.node_id, &s.log_levels).await
    }),
    api!(47 OffsetDelete(OffsetDeleteRequest) 0..=0, |s, c, r| async {
        offset_delete::handle(c.version, r, &s.topics.image(), s.groups.ready().await).await
    }),
    api!(60 DescribeCluster(DescribeClusterRequest) 0..=2, |s, c, r| async {
        describe_cluster::handle(c.version, r, &s.this_broker(c.connection)).await
    }),
];

/// The row of an API.
pub fn api_of(key: i16) -> Option<&'static Api> {
    APIS.iter().find(|api| api.key == key)
}

async fn run_produce<'a>(
    services: &'a Services,
    call: Call<'a>,
    mut body: Bytes,
) -> Result<Outcome, Unanswered> {
    let request = read(&mut body, call.version)?;
    drop(body);
    let image = services.topics.image();
    let (logs, budget) = (&services.logs, &services.decompression);
    Ok(match produce::handle(call.version, request, call.client_id, logs, &image, budget, now_ms()).await {
        produce::Outcome::Respond(response) => respond(0, call, &response)?,
        produce::Outcome::Nothing => Outcome::Nothing,
        produce::Outcome::Close(why) => Outcome::Close(why),
    })
}

async fn run_fetch<'a>(
    services: &'a Services,
    call: Call<'a>,
    mut body: Bytes,
) -> Result<Outcome, Unanswered> {
    let request = read(&mut body, call.version)?;
    drop(body);
    let image = services.topics.image();
    let fetched = fetch::handle(
        call.version,
        request,
        &services.logs,
        &image,
        &services.fetch_sessions,
        services.settings.load().fetch_max_bytes,
        &services.leader(call.connection),
    )
    .await;
    let rope = codec::encode_fetch_response(call.correlation_id, &fetched.response, call.version)?;
    Ok(Outcome::Respond(fetched.stored.put_into(rope)))
}

fn read<R: Decodable>(body: &mut Bytes, version: i16) -> Result<R, DecodeError> {
    codec::decode_body(body, version)
}

fn respond<R: Encodable>(key: i16, call: Call<'_>, response: &R) -> Result<Outcome, Unanswered> {
    let header = versions::api(key).expect("every row has a known key").response_header_version(call.version);
    Ok(Outcome::Respond(pieces(codec::encode_response(call.correlation_id, header, response, call.version)?)))
}

/// An answer that is in memory as a whole.
pub fn pieces(rope: Rope) -> Vec<Piece> {
    rope.segments.into_iter().map(Piece::from).collect()
}
