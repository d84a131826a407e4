//! Share groups (KIP-932).

use crate::preflight::shape::Shape;

shapes! {
    76 ShareGroupHeartbeat: 1..=1, flexible 0 {
        group_id: string [0..];
        member_id: string [0..];
        member_epoch: int32 [0..];
        rack_id: string [0..] null [0..];
        subscribed_topic_names: array of string [0..] null [0..];
    }

    77 ShareGroupDescribe: 1..=1, flexible 0 {
        group_ids: array of string [0..];
        include_authorized_operations: boolean [0..];
    }

    78 ShareFetch: 1..=1, flexible 0 {
        group_id: string [0..] null [0..];
        member_id: string [0..] null [0..];
        share_session_epoch: int32 [0..];
        max_wait_ms: int32 [0..];
        min_bytes: int32 [0..];
        max_bytes: int32 [0..];
        max_records: int32 [0..];
        batch_size: int32 [0..];
        topics: array of share_fetch_request::FetchTopic [0..] {
            topic_id: uuid [0..];
            partitions: array of share_fetch_request::FetchPartition [0..] {
                partition_index: int32 [0..];
                acknowledgement_batches: array of share_fetch_request::AcknowledgementBatch [0..] {
                    first_offset: int64 [0..];
                    last_offset: int64 [0..];
                    acknowledge_types: array of int8 [0..];
                };
            };
        };
        forgotten_topics_data: array of share_fetch_request::ForgottenTopic [0..] {
            topic_id: uuid [0..];
            partitions: array of int32 [0..];
        };
    }

    79 ShareAcknowledge: 1..=1, flexible 0 {
        group_id: string [0..] null [0..];
        member_id: string [0..] null [0..];
        share_session_epoch: int32 [0..];
        topics: array of share_acknowledge_request::AcknowledgeTopic [0..] {
            topic_id: uuid [0..];
            partitions: array of share_acknowledge_request::AcknowledgePartition [0..] {
                partition_index: int32 [0..];
                acknowledgement_batches: array of share_acknowledge_request::AcknowledgementBatch [0..] {
                    first_offset: int64 [0..];
                    last_offset: int64 [0..];
                    acknowledge_types: array of int8 [0..];
                };
            };
        };
    }

    83 InitializeShareGroupState: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of initialize_share_group_state_request::InitializeStateData [0..] {
            topic_id: uuid [0..];
            partitions: array of initialize_share_group_state_request::PartitionData [0..] {
                partition: int32 [0..];
                state_epoch: int32 [0..];
                start_offset: int64 [0..];
            };
        };
    }

    84 ReadShareGroupState: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of read_share_group_state_request::ReadStateData [0..] {
            topic_id: uuid [0..];
            partitions: array of read_share_group_state_request::PartitionData [0..] {
                partition: int32 [0..];
                leader_epoch: int32 [0..];
            };
        };
    }

    85 WriteShareGroupState: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of write_share_group_state_request::WriteStateData [0..] {
            topic_id: uuid [0..];
            partitions: array of write_share_group_state_request::PartitionData [0..] {
                partition: int32 [0..];
                state_epoch: int32 [0..];
                leader_epoch: int32 [0..];
                start_offset: int64 [0..];
                state_batches: array of write_share_group_state_request::StateBatch [0..] {
                    first_offset: int64 [0..];
                    last_offset: int64 [0..];
                    delivery_state: int8 [0..];
                    delivery_count: int16 [0..];
                };
            };
        };
    }

    86 DeleteShareGroupState: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of delete_share_group_state_request::DeleteStateData [0..] {
            topic_id: uuid [0..];
            partitions: array of delete_share_group_state_request::PartitionData [0..] {
                partition: int32 [0..];
            };
        };
    }

    87 ReadShareGroupStateSummary: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of read_share_group_state_summary_request::ReadStateSummaryData [0..] {
            topic_id: uuid [0..];
            partitions: array of read_share_group_state_summary_request::PartitionData [0..] {
                partition: int32 [0..];
                leader_epoch: int32 [0..];
            };
        };
    }

    90 DescribeShareGroupOffsets: 0..=0, flexible 0 {
        groups: array of describe_share_group_offsets_request::DescribeShareGroupOffsetsRequestGroup [0..] {
            group_id: string [0..];
            topics: array of describe_share_group_offsets_request::DescribeShareGroupOffsetsRequestTopic [0..] null [0..] {
                topic_name: string [0..];
                partitions: array of int32 [0..];
            };
        };
    }

    91 AlterShareGroupOffsets: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of alter_share_group_offsets_request::AlterShareGroupOffsetsRequestTopic [0..] {
            topic_name: string [0..];
            partitions: array of alter_share_group_offsets_request::AlterShareGroupOffsetsRequestPartition [0..] {
                partition_index: int32 [0..];
                start_offset: int64 [0..];
            };
        };
    }

    92 DeleteShareGroupOffsets: 0..=0, flexible 0 {
        group_id: string [0..];
        topics: array of delete_share_group_offsets_request::DeleteShareGroupOffsetsRequestTopic [0..] {
            topic_name: string [0..];
        };
    }
}
