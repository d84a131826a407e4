//! The request bodies that can be checked, one shape for each API.
//!
//! A line is a field: its type, the versions that have it (`[0..]`: all that the API has here), those in which it may be
//! null, and its tag if it is a tagged field. Structures of arrays name the type that the protocol crate decodes them
//! into, for the sake of its size. The facts are those of Kafka's published schemas.

use super::shape::Shape;

shapes! {
    0 Produce: 3..=13, flexible 9 {
        transactional_id: string [0..] null [0..];
        acks: int16 [0..];
        timeout_ms: int32 [0..];
        topic_data: array of produce_request::TopicProduceData [0..] {
            name: string [0..=12];
            topic_id: uuid [13..];
            partition_data: array of produce_request::PartitionProduceData [0..] {
                index: int32 [0..];
                records: bytes [0..] null [0..];
            };
        };
    }

    1 Fetch: 4..=18, flexible 12 {
        cluster_id: string [12..] null [12..] tag 0;
        replica_id: int32 [0..=14];
        replica_state: structure [15..] tag 1 {
            replica_id: int32 [15..];
            replica_epoch: int64 [15..];
        };
        max_wait_ms: int32 [0..];
        min_bytes: int32 [0..];
        max_bytes: int32 [0..];
        isolation_level: int8 [0..];
        session_id: int32 [7..];
        session_epoch: int32 [7..];
        topics: array of fetch_request::FetchTopic [0..] {
            topic: string [0..=12];
            topic_id: uuid [13..];
            partitions: array of fetch_request::FetchPartition [0..] {
                partition: int32 [0..];
                current_leader_epoch: int32 [9..];
                fetch_offset: int64 [0..];
                last_fetched_epoch: int32 [12..];
                log_start_offset: int64 [5..];
                partition_max_bytes: int32 [0..];
                replica_directory_id: uuid [17..] tag 0;
                high_watermark: int64 [18..] tag 1;
            };
        };
        forgotten_topics_data: array of fetch_request::ForgottenTopic [7..] {
            topic: string [7..=12];
            topic_id: uuid [13..];
            partitions: array of int32 [7..];
        };
        rack_id: string [11..];
    }

    2 ListOffsets: 1..=10, flexible 6 {
        replica_id: int32 [0..];
        isolation_level: int8 [2..];
        topics: array of list_offsets_request::ListOffsetsTopic [0..] {
            name: string [0..];
            partitions: array of list_offsets_request::ListOffsetsPartition [0..] {
                partition_index: int32 [0..];
                current_leader_epoch: int32 [4..];
                timestamp: int64 [0..];
            };
        };
        timeout_ms: int32 [10..];
    }

    3 Metadata: 0..=13, flexible 9 {
        topics: array of metadata_request::MetadataRequestTopic [0..] null [1..] {
            topic_id: uuid [10..];
            name: string [0..] null [10..];
        };
        allow_auto_topic_creation: boolean [4..];
        include_cluster_authorized_operations: boolean [8..=10];
        include_topic_authorized_operations: boolean [8..];
    }

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

    18 ApiVersions: 0..=4, flexible 3 {
        client_software_name: string [3..];
        client_software_version: string [3..];
    }

    19 CreateTopics: 2..=7, flexible 5 {
        topics: array of create_topics_request::CreatableTopic [0..] {
            name: string [0..];
            num_partitions: int32 [0..];
            replication_factor: int16 [0..];
            assignments: array of create_topics_request::CreatableReplicaAssignment [0..] {
                partition_index: int32 [0..];
                broker_ids: array of int32 [0..];
            };
            configs: array of create_topics_request::CreatableTopicConfig [0..] {
                name: string [0..];
                value: string [0..] null [0..];
            };
        };
        timeout_ms: int32 [0..];
        validate_only: boolean [0..];
    }

    20 DeleteTopics: 1..=6, flexible 4 {
        topics: array of delete_topics_request::DeleteTopicState [6..] {
            name: string [6..] null [6..];
            topic_id: uuid [6..];
        };
        topic_names: array of string [0..=5];
        timeout_ms: int32 [0..];
    }

    21 DeleteRecords: 0..=2, flexible 2 {
        topics: array of delete_records_request::DeleteRecordsTopic [0..] {
            name: string [0..];
            partitions: array of delete_records_request::DeleteRecordsPartition [0..] {
                partition_index: int32 [0..];
                offset: int64 [0..];
            };
        };
        timeout_ms: int32 [0..];
    }

    22 InitProducerId: 0..=5, flexible 2 {
        transactional_id: string [0..] null [0..];
        transaction_timeout_ms: int32 [0..];
        producer_id: int64 [3..];
        producer_epoch: int16 [3..];
    }

    23 OffsetForLeaderEpoch: 2..=4, flexible 4 {
        replica_id: int32 [3..];
        topics: array of offset_for_leader_epoch_request::OffsetForLeaderTopic [0..] {
            topic: string [0..];
            partitions: array of offset_for_leader_epoch_request::OffsetForLeaderPartition [0..] {
                partition: int32 [0..];
                current_leader_epoch: int32 [0..];
                leader_epoch: int32 [0..];
            };
        };
    }

    29 DescribeAcls: 1..=3, flexible 2 {
        resource_type_filter: int8 [0..];
        resource_name_filter: string [0..] null [0..];
        pattern_type_filter: int8 [0..];
        principal_filter: string [0..] null [0..];
        host_filter: string [0..] null [0..];
        operation: int8 [0..];
        permission_type: int8 [0..];
    }

    32 DescribeConfigs: 1..=4, flexible 4 {
        resources: array of describe_configs_request::DescribeConfigsResource [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            configuration_keys: array of string [0..] null [0..];
        };
        include_synonyms: boolean [0..];
        include_documentation: boolean [3..];
    }

    35 DescribeLogDirs: 1..=4, flexible 2 {
        topics: array of describe_log_dirs_request::DescribableLogDirTopic [0..] null [0..] {
            topic: string [0..];
            partitions: array of int32 [0..];
        };
    }

    37 CreatePartitions: 0..=3, flexible 2 {
        topics: array of create_partitions_request::CreatePartitionsTopic [0..] {
            name: string [0..];
            count: int32 [0..];
            assignments: array of create_partitions_request::CreatePartitionsAssignment [0..] null [0..] {
                broker_ids: array of int32 [0..];
            };
        };
        timeout_ms: int32 [0..];
        validate_only: boolean [0..];
    }

    42 DeleteGroups: 0..=2, flexible 2 {
        groups_names: array of string [0..];
    }

    44 IncrementalAlterConfigs: 0..=1, flexible 1 {
        resources: array of incremental_alter_configs_request::AlterConfigsResource [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            configs: array of incremental_alter_configs_request::AlterableConfig [0..] {
                name: string [0..];
                config_operation: int8 [0..];
                value: string [0..] null [0..];
            };
        };
        validate_only: boolean [0..];
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

    60 DescribeCluster: 0..=2, flexible 0 {
        include_cluster_authorized_operations: boolean [0..];
        endpoint_type: int8 [1..];
        include_fenced_brokers: boolean [2..];
    }
}
