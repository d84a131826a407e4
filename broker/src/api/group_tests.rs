//! The group and offset APIs at every version, through the codec: what a version cannot carry must not be set.

use std::{net::IpAddr, sync::Arc};

use bytes::{Bytes, BytesMut};
use kafka_protocol::{
    messages::{
        DeleteGroupsRequest, DescribeGroupsRequest, FindCoordinatorRequest, FindCoordinatorResponse, GroupId,
        HeartbeatRequest, JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse,
        ListGroupsRequest, OffsetCommitRequest, OffsetCommitResponse, OffsetDeleteRequest,
        OffsetDeleteResponse, OffsetFetchRequest, OffsetFetchResponse, SyncGroupRequest, TopicName,
        describe_groups_response::DescribedGroup,
        join_group_request::JoinGroupRequestProtocol,
        leave_group_request::MemberIdentity,
        list_groups_response::ListedGroup,
        offset_commit_request::{OffsetCommitRequestPartition, OffsetCommitRequestTopic},
        offset_delete_request::{OffsetDeleteRequestPartition, OffsetDeleteRequestTopic},
        offset_fetch_request::{OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics},
        sync_group_request::SyncGroupRequestAssignment,
    },
    protocol::{Decodable, Encodable, StrBytes},
};
use uuid::Uuid;

use super::{
    delete_groups, describe_groups,
    find_coordinator::{self, Coordinated, CoordinatorTopics, NodeEndpoint},
    heartbeat, join_group, leave_group, list_groups, offset_commit, offset_delete, offset_fetch, sync_group,
};
use crate::{
    catalog::{Image, PartitionState, Topic},
    coordinator::{
        GroupCoordinator,
        group::GroupSettings,
        tests::{MemoryLog, coordinator},
    },
};

const LOCALHOST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// What a client reads of a response.
fn read_back<M: Encodable + Decodable>(version: i16, response: &M) -> M {
    let mut bytes = BytesMut::new();
    response.encode(&mut bytes, version).unwrap_or_else(|error| panic!("version {version}: {error}"));
    let mut bytes = bytes.freeze();
    let read = M::decode(&mut bytes, version).expect("what was encoded");
    assert!(bytes.is_empty());
    read
}

fn served() -> Arc<GroupCoordinator> {
    coordinator(GroupSettings::default(), MemoryLog::new(5))
}

/// A catalog of topic "t" with three partitions.
fn image() -> Image {
    let partition = PartitionState { leader_epoch: 0, partition_epoch: 0 };
    let topic = Arc::new(Topic {
        name: "t".into(),
        id: Uuid::from_u128(7),
        partitions: vec![partition; 3],
        configs: Arc::default(),
    });
    let mut image = Image::default();
    image.topics.insert("t".into(), topic);
    image
}

fn text(value: &str) -> StrBytes {
    StrBytes::from_string(value.to_owned())
}

fn group(value: &str) -> GroupId {
    GroupId(text(value))
}

fn join_request(member: &str) -> JoinGroupRequest {
    let protocol = JoinGroupRequestProtocol::default()
        .with_name(text("range"))
        .with_metadata(Bytes::from_static(b"\x01"));
    JoinGroupRequest::default()
        .with_group_id(group("g"))
        .with_session_timeout_ms(10_000)
        .with_rebalance_timeout_ms(20_000)
        .with_member_id(text(member))
        .with_protocol_type(text("consumer"))
        .with_protocols(vec![protocol])
}

async fn join(version: i16, request: JoinGroupRequest, groups: &GroupCoordinator) -> JoinGroupResponse {
    read_back(version, &join_group::handle(version, request, "client", LOCALHOST, groups).await)
}

fn sync_request(generation: i32, member: &str) -> SyncGroupRequest {
    let part = SyncGroupRequestAssignment::default()
        .with_member_id(text(member))
        .with_assignment(Bytes::from_static(b"all"));
    SyncGroupRequest::default()
        .with_group_id(group("g"))
        .with_generation_id(generation)
        .with_member_id(text(member))
        .with_protocol_type(Some(text("consumer")))
        .with_protocol_name(Some(text("range")))
        .with_assignments(vec![part])
}

/// A stable group "g"; its member.
async fn stable(groups: &GroupCoordinator) -> StrBytes {
    let joined = join(3, join_request(""), groups).await;
    let synced = sync_group::handle(3, sync_request(joined.generation_id, &joined.member_id), groups).await;
    assert_eq!(synced.error_code, 0);
    joined.member_id
}

/// GROUP-01
#[tokio::test]
async fn join_group_at_every_version() {
    for version in 0..=9 {
        let groups = served();
        let refused = join(version, join_request("nobody"), &groups).await;
        assert_eq!((refused.error_code, refused.generation_id), (25, -1));
        assert_eq!(refused.protocol_name, (version < 7).then(StrBytes::default), "version {version}");
        assert_eq!(&*refused.member_id, "nobody");

        let mut joined = join(version, join_request(""), &groups).await;
        if version >= 4 {
            assert_eq!(joined.error_code, 79);
            joined = join(version, join_request(&joined.member_id), &groups).await;
        }
        assert_eq!((joined.error_code, joined.generation_id, joined.members.len()), (0, 1, 1));
        assert_eq!(joined.protocol_type, (version >= 7).then(|| text("consumer")));
        assert_eq!(joined.protocol_name, Some(text("range")));
        assert_eq!(joined.leader, joined.member_id);
        assert!(joined.member_id.starts_with("client-"));
    }
}

/// GROUP-12
#[tokio::test]
async fn leader_that_returns_skips_the_assignment_from_version_9() {
    for version in 5..=9 {
        let groups = served();
        let request = join_request("").with_group_instance_id(Some(text("i1")));
        let first = join(version, request.clone(), &groups).await;
        let sync = sync_request(1, &first.member_id);
        assert_eq!(sync_group::handle(5, sync, &groups).await.error_code, 0);
        let second = join(version, request, &groups).await;
        assert_eq!((second.error_code, second.generation_id), (0, 1));
        assert_eq!(second.skip_assignment, version >= 9);
        assert_eq!(second.members.len(), usize::from(version >= 9));
        assert_eq!(second.leader, if version >= 9 { second.member_id } else { first.member_id });
    }
}

/// GROUP-05
#[tokio::test]
async fn sync_group_at_every_version() {
    for version in 0..=5 {
        let groups = served();
        let joined = join(3, join_request(""), &groups).await;
        let good = sync_request(1, &joined.member_id);
        let refused = sync_group::handle(version, good.clone().with_generation_id(9), &groups).await;
        let refused = read_back(version, &refused);
        assert_eq!((refused.error_code, refused.protocol_type), (22, None));
        let silent = good.clone().with_protocol_type(None).with_protocol_name(None);
        let silent = sync_group::handle(version, silent, &groups).await.error_code;
        assert_eq!(silent, if version >= 5 { 23 } else { 0 });
        let synced = read_back(version, &sync_group::handle(version, good, &groups).await);
        assert_eq!((synced.error_code, &synced.assignment[..]), (0, &b"all"[..]));
        assert_eq!(synced.protocol_type, (version >= 5).then(|| text("consumer")));
        assert_eq!(synced.protocol_name, (version >= 5).then(|| text("range")));
    }
}

/// GROUP-06
#[tokio::test]
async fn heartbeat_at_every_version() {
    let groups = served();
    let member = stable(&groups).await;
    for version in 0..=4 {
        for (generation, code) in [(1, 0), (2, 22)] {
            let request = HeartbeatRequest::default()
                .with_group_id(group("g"))
                .with_generation_id(generation)
                .with_member_id(member.clone());
            let response = read_back(version, &heartbeat::handle(version, request, &groups).await);
            assert_eq!(response.error_code, code);
        }
    }
}

/// GROUP-15
#[tokio::test]
async fn leave_group_at_every_version() {
    for version in 0..=5 {
        let groups = served();
        let leave = async |group_id: &str, members: &[&str]| -> LeaveGroupResponse {
            let request = LeaveGroupRequest::default().with_group_id(group(group_id));
            let identity = |member: &&str| MemberIdentity::default().with_member_id(text(member));
            let request = if version < 3 {
                request.with_member_id(text(members[0]))
            } else {
                request.with_members(members.iter().map(identity).collect())
            };
            read_back(version, &leave_group::handle(version, request, &groups).await)
        };
        let codes = |response: &LeaveGroupResponse| {
            response.members.iter().map(|member| member.error_code).collect::<Vec<_>>()
        };
        let missing = leave("none", &["m"]).await;
        assert_eq!(leave("", &["m"]).await.error_code, 24);
        let member = stable(&groups).await;
        let left = leave("g", &[&member, "nobody"]).await;
        if version < 3 {
            assert_eq!((missing.error_code, left.error_code), (25, 0));
        } else {
            assert_eq!((missing.error_code, codes(&missing)), (0, vec![25]));
            assert_eq!((left.error_code, codes(&left)), (0, vec![0, 25]));
        }
    }
}

fn commit_request(offsets: &[(&str, i32, i64)]) -> OffsetCommitRequest {
    let topics = offsets.iter().map(|&(topic, partition, offset)| {
        let partition = OffsetCommitRequestPartition::default()
            .with_partition_index(partition)
            .with_committed_offset(offset)
            .with_committed_metadata(None);
        OffsetCommitRequestTopic::default().with_name(TopicName(text(topic))).with_partitions(vec![partition])
    });
    OffsetCommitRequest::default()
        .with_group_id(group("g"))
        .with_generation_id_or_member_epoch(-1)
        .with_retention_time_ms(-1)
        .with_topics(topics.collect())
}

fn commit_codes(response: &OffsetCommitResponse) -> Vec<(String, Vec<(i32, i16)>)> {
    let topics = response.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|at| (at.partition_index, at.error_code));
        (topic.name.to_string(), partitions.collect())
    });
    topics.collect()
}

/// OFFS-04
#[tokio::test]
async fn offset_commit_at_every_version_stores_what_it_can() {
    for version in 2..=9 {
        let groups = served();
        let request = commit_request(&[("t", 0, 5), ("t", 9, 5), ("unknown", 0, 5), ("t", 1, 6)]);
        let response = offset_commit::handle(version, request, &image(), &groups).await;
        let codes = commit_codes(&read_back(version, &response));
        let of_t = ("t".to_owned(), vec![(9, 3), (0, 0), (1, 0)]);
        assert_eq!(codes, [of_t, ("unknown".to_owned(), vec![(0, 3)])]);
        assert_eq!(groups.fetch("g", None).expect("served")[0].1.len(), 2);

        let stale =
            commit_request(&[("t", 0, 5)]).with_generation_id_or_member_epoch(3).with_group_id(group("none"));
        let response = offset_commit::handle(version, stale, &image(), &groups).await;
        let code = if version >= 9 { 69 } else { 22 };
        assert_eq!(commit_codes(&read_back(version, &response)), [("t".to_owned(), vec![(0, code)])]);

        // Nothing that could be committed: the group is not even asked.
        let request = commit_request(&[("unknown", 0, 5)]).with_group_id(group("new"));
        offset_commit::handle(version, request, &image(), &groups).await;
        assert_eq!(groups.describe("new"), Ok(None));
    }
}

/// OFFS-08
#[tokio::test]
async fn retention_time_is_heard_in_the_versions_that_have_it() {
    for (version, retention_ms, expires) in [(2, -1, false), (4, 60_000, true), (5, 60_000, false)] {
        let groups = served();
        let request = commit_request(&[("t", 0, 5)]).with_retention_time_ms(retention_ms);
        offset_commit::handle(version, request, &image(), &groups).await;
        let found = groups.fetch("g", None).expect("served")[0].1[0].1.clone().expect("committed");
        assert_eq!(found.expire_ms.is_some(), expires, "version {version}");
    }
}

async fn fetch(version: i16, request: OffsetFetchRequest, groups: &GroupCoordinator) -> OffsetFetchResponse {
    read_back(version, &offset_fetch::handle(version, request, groups).await)
}

/// OFFS-01, OFFS-02
#[tokio::test]
async fn offset_fetch_of_one_group_at_every_version() {
    let groups = served();
    offset_commit::handle(9, commit_request(&[("t", 0, 5)]), &image(), &groups).await;
    let asked = |topics: Option<&[&str]>| {
        let topic = |name: &&str| {
            OffsetFetchRequestTopic::default()
                .with_name(TopicName(text(name)))
                .with_partition_indexes(vec![0, 9])
        };
        let topics = topics.map(|topics| topics.iter().map(topic).collect());
        OffsetFetchRequest::default().with_group_id(group("g")).with_topics(topics)
    };
    for version in 1..=7 {
        let response = fetch(version, asked(Some(&["t", "unknown"])), &groups).await;
        let found = response.topics.iter().flat_map(|topic| &topic.partitions);
        let found: Vec<_> =
            found.map(|at| (at.committed_offset, at.metadata.clone(), at.error_code)).collect();
        let empty = Some(StrBytes::default());
        let nothing = (-1, empty.clone(), 0);
        assert_eq!(found, [(5, empty, 0), nothing.clone(), nothing.clone(), nothing]);
        assert!(fetch(version, asked(Some(&[])), &groups).await.topics.is_empty());
        if version >= 2 {
            assert_eq!(fetch(version, asked(None), &groups).await.topics.len(), 1);
            let unknown = fetch(version, asked(None).with_group_id(group("none")), &groups).await;
            assert_eq!((unknown.error_code, unknown.topics.len()), (0, 0));
        }
    }
    groups.stop();
    for version in 1..=7 {
        let refused = fetch(version, asked(Some(&["t"])), &groups).await;
        let code = if version < 2 { refused.topics[0].partitions[0].error_code } else { refused.error_code };
        assert_eq!(code, 15);
    }
}

/// OFFS-01, GROUP-19
#[tokio::test]
async fn offset_fetch_of_several_groups_at_every_version() {
    let groups = served();
    offset_commit::handle(9, commit_request(&[("t", 0, 5)]), &image(), &groups).await;
    let topic =
        OffsetFetchRequestTopics::default().with_name(TopicName(text("t"))).with_partition_indexes(vec![0]);
    let of = |name: &str, topics| {
        OffsetFetchRequestGroup::default().with_group_id(group(name)).with_topics(topics)
    };
    let request = OffsetFetchRequest::default().with_groups(vec![
        of("g", Some(vec![topic.clone()])),
        of("g", None),
        of("none", Some(vec![topic])),
        of("none", None),
    ]);
    for version in 8..=9 {
        let response = fetch(version, request.clone(), &groups).await;
        let offsets: Vec<Vec<i64>> = response
            .groups
            .iter()
            .map(|group| {
                let partitions = group.topics.iter().flat_map(|topic| &topic.partitions);
                partitions.map(|at| at.committed_offset).collect()
            })
            .collect();
        assert_eq!(offsets, [vec![5], vec![5], vec![-1], vec![]]);
        assert!(response.groups.iter().all(|group| group.error_code == 0));
    }
    groups.stop();
    for version in 8..=9 {
        let response = fetch(version, request.clone(), &groups).await;
        assert!(response.groups.iter().all(|group| group.error_code == 15));
    }
}

#[tokio::test]
async fn offset_delete_answers_for_each_partition_or_for_the_group() {
    let groups = served();
    let delete = async |name: &str, topics: &[(&str, &[i32])]| -> OffsetDeleteResponse {
        let topics = topics.iter().map(|(topic, partitions)| {
            let at = |&index: &i32| OffsetDeleteRequestPartition::default().with_partition_index(index);
            OffsetDeleteRequestTopic::default()
                .with_name(TopicName(text(topic)))
                .with_partitions(partitions.iter().map(at).collect())
        });
        let request = OffsetDeleteRequest::default().with_group_id(group(name)).with_topics(topics.collect());
        read_back(0, &offset_delete::handle(0, request, &image(), &groups).await)
    };
    assert_eq!(delete("none", &[("t", &[0])]).await.error_code, 69);
    assert_eq!(delete("none", &[("unknown", &[0])]).await.error_code, 69);
    assert_eq!(delete("", &[("t", &[0])]).await.error_code, 24);
    offset_commit::handle(9, commit_request(&[("t", 0, 5)]), &image(), &groups).await;
    let response = delete("g", &[("t", &[0, 9, 1]), ("unknown", &[0])]).await;
    let codes: Vec<_> = response.topics.iter().flat_map(|topic| &topic.partitions).collect();
    let codes: Vec<_> = codes.iter().map(|at| (at.partition_index, at.error_code)).collect();
    assert_eq!((response.error_code, codes), (0, vec![(9, 3), (0, 0), (1, 0), (0, 3)]));
    assert!(groups.fetch("g", None).expect("served").is_empty());
}

/// GADM-01, GADM-02
#[tokio::test]
async fn describe_groups_at_every_version() {
    let groups = served();
    let member = stable(&groups).await;
    for version in 0..=6 {
        let request = DescribeGroupsRequest::default()
            .with_groups(vec![group("g"), group("none")])
            .with_include_authorized_operations(version >= 3);
        let response = read_back(version, &describe_groups::handle(version, request, &groups).await);
        let [known, unknown]: [DescribedGroup; 2] = response.groups.try_into().expect("two answers");
        assert_eq!((known.error_code, &*known.group_state, &*known.protocol_data), (0, "Stable", "range"));
        assert_eq!(known.authorized_operations, if version >= 3 { 3400 } else { i32::MIN });
        assert_eq!(known.error_message, None);
        assert_eq!((&known.members[0].member_id, &*known.members[0].client_host), (&member, "/127.0.0.1"));
        assert_eq!((&*unknown.group_state, &*unknown.group_id.0), ("Dead", "none"));
        assert_eq!(unknown.error_code, if version >= 6 { 69 } else { 0 });
        assert_eq!(unknown.error_message.is_some(), version >= 6);
    }
}

/// GADM-03
#[tokio::test]
async fn list_groups_at_every_version_and_with_filters() {
    let groups = served();
    stable(&groups).await;
    let simple = commit_request(&[("t", 0, 5)]).with_group_id(group("simple"));
    offset_commit::handle(9, simple, &image(), &groups).await;
    let list = async |version, states: &[&str], types: &[&str]| -> Vec<ListedGroup> {
        let words = |filter: &[&str]| filter.iter().map(|word| text(word)).collect();
        let request =
            ListGroupsRequest::default().with_states_filter(words(states)).with_types_filter(words(types));
        read_back(version, &list_groups::handle(version, request, &groups).await).groups
    };
    for version in 0..=5 {
        let shown = list(version, &[], &[]).await;
        let shown: Vec<_> = shown
            .iter()
            .map(|it| (&*it.group_id.0, &*it.protocol_type, &*it.group_state, &*it.group_type))
            .collect();
        let state = |state| if version >= 4 { state } else { "" };
        let classic = if version >= 5 { "classic" } else { "" };
        let expected = [("g", "consumer", state("Stable"), classic), ("simple", "", state("Empty"), classic)];
        assert_eq!(shown, expected);
    }
    assert_eq!(list(5, &["stable", "nonsense"], &[]).await.len(), 1);
    assert_eq!(list(5, &["nonsense"], &[]).await.len(), 0);
    assert_eq!(list(5, &["EMPTY"], &["CLASSIC"]).await.len(), 1);
    assert_eq!(list(5, &[], &["consumer"]).await.len(), 0);
}

/// GADM-04
#[tokio::test]
async fn delete_groups_at_every_version_answers_each_name_once() {
    for version in 0..=2 {
        let groups = served();
        stable(&groups).await;
        let simple = commit_request(&[("t", 0, 5)]).with_group_id(group("simple"));
        offset_commit::handle(9, simple, &image(), &groups).await;
        let names = ["g", "simple", "none", "simple"].map(group).to_vec();
        let request = DeleteGroupsRequest::default().with_groups_names(names);
        let response = read_back(version, &delete_groups::handle(version, request, &groups).await);
        let codes: Vec<_> =
            response.results.iter().map(|result| (&*result.group_id.0, result.error_code)).collect();
        assert_eq!(codes, [("g", 68), ("simple", 0), ("none", 69)]);
        assert!(groups.fetch("simple", None).expect("served").is_empty());
    }
}

struct Topics {
    are_there: bool,
}

impl CoordinatorTopics for Topics {
    async fn ensure(&self, _what: Coordinated) -> bool {
        self.are_there
    }
}

async fn find(version: i16, request: FindCoordinatorRequest, are_there: bool) -> FindCoordinatorResponse {
    let node = NodeEndpoint { node_id: 1, host: "here", port: 9092 };
    read_back(version, &find_coordinator::handle(version, request, node, &Topics { are_there }).await)
}

/// GROUP-19
#[tokio::test]
async fn find_coordinator_of_one_key_at_every_version() {
    for version in 0..=3 {
        let of = |key_type| FindCoordinatorRequest::default().with_key(text("x")).with_key_type(key_type);
        for key_type in if version == 0 { 0..=0 } else { 0..=1 } {
            let found = find(version, of(key_type), true).await;
            assert_eq!((found.error_code, *found.node_id, &*found.host, found.port), (0, 1, "here", 9092));
            if version >= 1 {
                assert_eq!(found.error_message, Some(text("NONE")));
            }
            let missing = find(version, of(key_type), false).await;
            assert_eq!(
                (missing.error_code, *missing.node_id, &*missing.host, missing.port),
                (15, -1, "", -1)
            );
        }
        for key_type in if version == 0 { 0..0 } else { 2..4 } {
            let refused = find(version, of(key_type), true).await;
            assert_eq!((refused.error_code, *refused.node_id, refused.port), (42, -1, -1));
            assert!(refused.error_message.is_some());
        }
    }
}

/// GROUP-19
#[tokio::test]
async fn find_coordinator_of_several_keys_at_every_version() {
    let good = "g:AAAAAAAAAAAAAAAAAAAABQ:0";
    for version in 4..=6 {
        let codes = async |key_type, keys: &[&str], are_there| {
            let request = FindCoordinatorRequest::default()
                .with_key_type(key_type)
                .with_coordinator_keys(keys.iter().map(|key| text(key)).collect());
            let response = find(version, request, are_there).await;
            let echoed: Vec<_> = response.coordinators.iter().map(|found| found.key.to_string()).collect();
            assert_eq!(echoed, keys);
            for found in &response.coordinators {
                let is_found = found.error_code == 0;
                assert_eq!((*found.node_id, found.port), if is_found { (1, 9092) } else { (-1, -1) });
                assert!(found.error_message.is_some());
            }
            response.coordinators.iter().map(|found| found.error_code).collect::<Vec<_>>()
        };
        assert_eq!(codes(0, &["x", "", "x"], true).await, [0, 0, 0]);
        assert_eq!(codes(1, &["x"], true).await, [0]);
        assert_eq!(codes(0, &["x"], false).await, [15]);
        assert_eq!(codes(9, &["x", ""], true).await, [42, 42]);
        assert_eq!(codes(-1, &["x"], true).await, [42]);
        let malformed = ["x", "", "g:AAAAAAAAAAAAAAAAAAAABQ:x", ":AAAAAAAAAAAAAAAAAAAABQ:0", "g:zz:0"];
        assert_eq!(codes(2, &malformed, true).await, [42; 5]);
        assert_eq!(codes(2, &[good], true).await, [if version >= 6 { 15 } else { 42 }]);
    }
}
