//! Producing, fetching, offsets of partitions.

use crate::preflight::shape::Shape;

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
}
