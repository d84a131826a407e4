//! Topics, their partitions and where these are.

use crate::preflight::shape::Shape;

shapes! {
    3 Metadata: 0..=13, flexible 9 {
        topics: array of metadata_request::MetadataRequestTopic [0..] null [1..] {
            topic_id: uuid [10..];
            name: string [0..] null [10..];
        };
        allow_auto_topic_creation: boolean [4..];
        include_cluster_authorized_operations: boolean [8..=10];
        include_topic_authorized_operations: boolean [8..];
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

    34 AlterReplicaLogDirs: 1..=2, flexible 2 {
        dirs: array of alter_replica_log_dirs_request::AlterReplicaLogDir [0..] {
            path: string [0..];
            topics: array of alter_replica_log_dirs_request::AlterReplicaLogDirTopic [0..] {
                name: string [0..];
                partitions: array of int32 [0..];
            };
        };
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

    43 ElectLeaders: 0..=2, flexible 2 {
        election_type: int8 [1..];
        topic_partitions: array of elect_leaders_request::TopicPartitions [0..] null [0..] {
            topic: string [0..];
            partitions: array of int32 [0..];
        };
        timeout_ms: int32 [0..];
    }

    45 AlterPartitionReassignments: 0..=1, flexible 0 {
        timeout_ms: int32 [0..];
        allow_replication_factor_change: boolean [1..];
        topics: array of alter_partition_reassignments_request::ReassignableTopic [0..] {
            name: string [0..];
            partitions: array of alter_partition_reassignments_request::ReassignablePartition [0..] {
                partition_index: int32 [0..];
                replicas: array of int32 [0..] null [0..];
            };
        };
    }

    46 ListPartitionReassignments: 0..=0, flexible 0 {
        timeout_ms: int32 [0..];
        topics: array of list_partition_reassignments_request::ListPartitionReassignmentsTopics [0..] null [0..] {
            name: string [0..];
            partition_indexes: array of int32 [0..];
        };
    }

    75 DescribeTopicPartitions: 0..=0, flexible 0 {
        topics: array of describe_topic_partitions_request::TopicRequest [0..] {
            name: string [0..];
        };
        response_partition_limit: int32 [0..];
        cursor: structure [0..] null [0..] {
            topic_name: string [0..];
            partition_index: int32 [0..];
        };
    }
}
