//! Consumer groups, of the classic protocol and of KIP-848.

use crate::preflight::shape::Shape;

shapes! {
    8 OffsetCommit: 2..=9, flexible 8 {
        group_id: string [0..];
        generation_id_or_member_epoch: int32 [0..];
        member_id: string [0..];
        group_instance_id: string [7..] null [7..];
        retention_time_ms: int64 [0..=4];
        topics: array of offset_commit_request::OffsetCommitRequestTopic [0..] {
            name: string [0..];
            partitions: array of offset_commit_request::OffsetCommitRequestPartition [0..] {
                partition_index: int32 [0..];
                committed_offset: int64 [0..];
                committed_leader_epoch: int32 [6..];
                committed_metadata: string [0..] null [0..];
            };
        };
    }

    9 OffsetFetch: 1..=9, flexible 6 {
        group_id: string [0..=7];
        topics: array of offset_fetch_request::OffsetFetchRequestTopic [0..=7] null [2..=7] {
            name: string [0..=7];
            partition_indexes: array of int32 [0..=7];
        };
        groups: array of offset_fetch_request::OffsetFetchRequestGroup [8..] {
            group_id: string [8..];
            member_id: string [9..] null [9..];
            member_epoch: int32 [9..];
            topics: array of offset_fetch_request::OffsetFetchRequestTopics [8..] null [8..] {
                name: string [8..];
                partition_indexes: array of int32 [8..];
            };
        };
        require_stable: boolean [7..];
    }

    10 FindCoordinator: 0..=6, flexible 3 {
        key: string [0..=3];
        key_type: int8 [1..];
        coordinator_keys: array of string [4..];
    }

    11 JoinGroup: 0..=9, flexible 6 {
        group_id: string [0..];
        session_timeout_ms: int32 [0..];
        rebalance_timeout_ms: int32 [1..];
        member_id: string [0..];
        group_instance_id: string [5..] null [5..];
        protocol_type: string [0..];
        protocols: array of join_group_request::JoinGroupRequestProtocol [0..] {
            name: string [0..];
            metadata: bytes [0..];
        };
        reason: string [8..] null [8..];
    }

    12 Heartbeat: 0..=4, flexible 4 {
        group_id: string [0..];
        generation_id: int32 [0..];
        member_id: string [0..];
        group_instance_id: string [3..] null [3..];
    }

    13 LeaveGroup: 0..=5, flexible 4 {
        group_id: string [0..];
        member_id: string [0..=2];
        members: array of leave_group_request::MemberIdentity [3..] {
            member_id: string [3..];
            group_instance_id: string [3..] null [3..];
            reason: string [5..] null [5..];
        };
    }

    14 SyncGroup: 0..=5, flexible 4 {
        group_id: string [0..];
        generation_id: int32 [0..];
        member_id: string [0..];
        group_instance_id: string [3..] null [3..];
        protocol_type: string [5..] null [5..];
        protocol_name: string [5..] null [5..];
        assignments: array of sync_group_request::SyncGroupRequestAssignment [0..] {
            member_id: string [0..];
            assignment: bytes [0..];
        };
    }

    15 DescribeGroups: 0..=6, flexible 5 {
        groups: array of string [0..];
        include_authorized_operations: boolean [3..];
    }

    16 ListGroups: 0..=5, flexible 3 {
        states_filter: array of string [4..];
        types_filter: array of string [5..];
    }

    42 DeleteGroups: 0..=2, flexible 2 {
        groups_names: array of string [0..];
    }

    47 OffsetDelete: 0..=0, flexible never {
        group_id: string [0..];
        topics: array of offset_delete_request::OffsetDeleteRequestTopic [0..] {
            name: string [0..];
            partitions: array of offset_delete_request::OffsetDeleteRequestPartition [0..] {
                partition_index: int32 [0..];
            };
        };
    }

    68 ConsumerGroupHeartbeat: 0..=1, flexible 0 {
        group_id: string [0..];
        member_id: string [0..];
        member_epoch: int32 [0..];
        instance_id: string [0..] null [0..];
        rack_id: string [0..] null [0..];
        rebalance_timeout_ms: int32 [0..];
        subscribed_topic_names: array of string [0..] null [0..];
        subscribed_topic_regex: string [1..] null [1..];
        server_assignor: string [0..] null [0..];
        topic_partitions: array of consumer_group_heartbeat_request::TopicPartitions [0..] null [0..] {
            topic_id: uuid [0..];
            partitions: array of int32 [0..];
        };
    }

    69 ConsumerGroupDescribe: 0..=1, flexible 0 {
        group_ids: array of string [0..];
        include_authorized_operations: boolean [0..];
    }
}
