//! Producer ids and transactions.

use crate::preflight::shape::Shape;

shapes! {
    22 InitProducerId: 0..=5, flexible 2 {
        transactional_id: string [0..] null [0..];
        transaction_timeout_ms: int32 [0..];
        producer_id: int64 [3..];
        producer_epoch: int16 [3..];
    }

    24 AddPartitionsToTxn: 0..=5, flexible 3 {
        transactions: array of add_partitions_to_txn_request::AddPartitionsToTxnTransaction [4..] {
            transactional_id: string [4..];
            producer_id: int64 [4..];
            producer_epoch: int16 [4..];
            verify_only: boolean [4..];
            topics: array of add_partitions_to_txn_request::AddPartitionsToTxnTopic [4..] {
                name: string [0..];
                partitions: array of int32 [0..];
            };
        };
        v3_and_below_transactional_id: string [0..=3];
        v3_and_below_producer_id: int64 [0..=3];
        v3_and_below_producer_epoch: int16 [0..=3];
        v3_and_below_topics: array of add_partitions_to_txn_request::AddPartitionsToTxnTopic [0..=3] {
            name: string [0..];
            partitions: array of int32 [0..];
        };
    }

    25 AddOffsetsToTxn: 0..=4, flexible 3 {
        transactional_id: string [0..];
        producer_id: int64 [0..];
        producer_epoch: int16 [0..];
        group_id: string [0..];
    }

    26 EndTxn: 0..=5, flexible 3 {
        transactional_id: string [0..];
        producer_id: int64 [0..];
        producer_epoch: int16 [0..];
        committed: boolean [0..];
    }

    27 WriteTxnMarkers: 1..=1, flexible 1 {
        markers: array of write_txn_markers_request::WritableTxnMarker [0..] {
            producer_id: int64 [0..];
            producer_epoch: int16 [0..];
            transaction_result: boolean [0..];
            topics: array of write_txn_markers_request::WritableTxnMarkerTopic [0..] {
                name: string [0..];
                partition_indexes: array of int32 [0..];
            };
            coordinator_epoch: int32 [0..];
        };
    }

    28 TxnOffsetCommit: 0..=5, flexible 3 {
        transactional_id: string [0..];
        group_id: string [0..];
        producer_id: int64 [0..];
        producer_epoch: int16 [0..];
        generation_id_or_member_epoch: int32 [3..];
        member_id: string [3..];
        group_instance_id: string [3..] null [3..];
        topics: array of txn_offset_commit_request::TxnOffsetCommitRequestTopic [0..] {
            name: string [0..];
            partitions: array of txn_offset_commit_request::TxnOffsetCommitRequestPartition [0..] {
                partition_index: int32 [0..];
                committed_offset: int64 [0..];
                committed_leader_epoch: int32 [2..];
                committed_metadata: string [0..] null [0..];
            };
        };
    }

    61 DescribeProducers: 0..=0, flexible 0 {
        topics: array of describe_producers_request::TopicRequest [0..] {
            name: string [0..];
            partition_indexes: array of int32 [0..];
        };
    }

    65 DescribeTransactions: 0..=0, flexible 0 {
        transactional_ids: array of string [0..];
    }

    66 ListTransactions: 0..=2, flexible 0 {
        state_filters: array of string [0..];
        producer_id_filters: array of int64 [0..];
        duration_filter: int64 [1..];
        transactional_id_pattern: string [2..] null [2..];
    }
}
