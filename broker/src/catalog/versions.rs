//! Which version a metadata record is written in: the oldest that says everything, so that the oldest reader copes.

use bytes::Bytes;
use protocol_glue::records::metadata::MetadataRecord;

/// Record values, ready for the log.
pub(super) fn write_all(records: &[MetadataRecord]) -> Vec<Bytes> {
    records.iter().map(|record| record.write(version_of(record))).collect()
}

fn version_of(record: &MetadataRecord) -> i16 {
    match record {
        MetadataRecord::RegisterBroker(broker) if broker.cordoned_log_dirs.is_some() => 4,
        MetadataRecord::RegisterBroker(_) => 3,
        MetadataRecord::Partition(partition)
            if partition.eligible_leader_replicas.is_some() || partition.last_known_elr.is_some() =>
        {
            2
        }
        MetadataRecord::Partition(_) => 1,
        MetadataRecord::PartitionChange(change)
            if change.eligible_leader_replicas.is_some() || change.last_known_elr.is_some() =>
        {
            2
        }
        MetadataRecord::PartitionChange(change) if change.directories.is_some() => 1,
        MetadataRecord::BrokerRegistrationChange(change) if change.cordoned_log_dirs.is_some() => 3,
        MetadataRecord::BrokerRegistrationChange(change) if !change.log_dirs.is_empty() => 2,
        MetadataRecord::BrokerRegistrationChange(change) if change.in_controlled_shutdown != 0 => 1,
        _ => 0,
    }
}
