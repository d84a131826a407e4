//! Round trips, bounds, and bytes written by hand from the schemas.

use proptest::prelude::*;
use uuid::Uuid;

use super::control::*;
use super::metadata::*;
use super::offsets::*;
use super::*;

fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

#[test]
fn every_metadata_record_type_survives_a_round_trip_in_its_latest_version() {
    for record in MetadataRecord::one_of_each() {
        assert_eq!(MetadataRecord::read(&record.write(record.latest_version())), Ok(record));
    }
}

#[test]
fn a_full_metadata_record_survives_a_round_trip() {
    let record = MetadataRecord::from(PartitionChange {
        partition_id: 3,
        topic_id: uuid(7),
        isr: Some(vec![1, 2]),
        leader: 2,
        replicas: Some(vec![1, 2]),
        removing_replicas: Some(vec![]),
        adding_replicas: Some(vec![9]),
        leader_recovery_state: 1,
        directories: Some(vec![uuid(1), uuid(2)]),
        eligible_leader_replicas: Some(vec![4]),
        last_known_elr: Some(vec![5, 6]),
    });
    assert_eq!(MetadataRecord::read(&record.write(2)), Ok(record));
}

#[test]
fn a_topic_record_is_the_frame_and_then_its_fields() {
    let bytes = MetadataRecord::from(Topic { name: "ab".into(), topic_id: uuid(0x1122) }).write(0);
    assert_eq!(bytes[..], [1, 2, 0, 3, b'a', b'b', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0]);
}

#[test]
fn tagged_fields_are_written_in_the_order_of_their_tags_and_only_when_set() {
    let change = PartitionChange {
        partition_id: 1,
        topic_id: uuid(0),
        leader: 5,
        directories: Some(vec![]),
        last_known_elr: Some(vec![]),
        ..Default::default()
    };
    let bytes = MetadataRecord::from(change).write(2);
    let tagged = &bytes[3 + 4 + 16..];
    assert_eq!(tagged, [3, 1, 4, 0, 0, 0, 5, 7, 1, 1, 8, 1, 1]);
}

#[test]
fn an_unknown_tagged_field_is_passed_over() {
    let bytes = [1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1, 40, 2, 0xaa, 0xbb];
    assert_eq!(MetadataRecord::read(&bytes), Ok(RemoveTopic { topic_id: uuid(9) }.into()));
}

#[test]
fn what_cannot_be_understood_in_the_metadata_is_an_error() {
    let unknown = |what, key| Err(DecodeError::UnknownKey { what, key });
    assert_eq!(MetadataRecord::read(&[1, 99, 0, 0]), unknown("metadata record type", 99));
    assert_eq!(MetadataRecord::read(&[1, 20, 0, 0, 7]), Err(DecodeError::TrailingBytes { count: 1 }));
    let version = |what, version| Err(DecodeError::UnsupportedVersion { what, version });
    assert_eq!(MetadataRecord::read(&[2, 20, 0, 0]), version("metadata frame", 2));
    assert_eq!(MetadataRecord::read(&[1, 20, 1, 0]), version("NoOp", 1));
    assert_eq!(MetadataRecord::read(&[]), Err(DecodeError::Truncated { missing: 1 }));
    assert_eq!(MetadataRecord::read(&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0]), Err(DecodeError::VarintTooLong));
}

#[test]
fn a_count_is_checked_against_the_bytes_that_are_there() {
    // Partition record: replicas claims 2^28 elements and there are two bytes.
    let mut bytes = vec![1, 3, 0];
    bytes.extend([0; 20]);
    bytes.extend([0xff, 0xff, 0xff, 0x7f, 1, 2]);
    assert!(matches!(MetadataRecord::read(&bytes), Err(DecodeError::CountTooLarge { remaining: 2, .. })));
}

#[test]
#[should_panic(expected = "directories cannot be written in version 0 of Partition")]
fn a_field_that_the_version_lacks_is_not_dropped_in_silence() {
    MetadataRecord::from(Partition { directories: vec![uuid(1)], ..Default::default() }).write(0);
}

#[test]
fn an_offset_commit_key_is_type_group_topic_partition() {
    let key =
        OffsetsKey::OffsetCommit(OffsetCommitKey { group: "g".into(), topic: "tt".into(), partition: 258 });
    let bytes = write_key(&key);
    assert_eq!(bytes[..], [0, 1, 0, 1, b'g', 0, 2, b't', b't', 0, 0, 1, 2]);
    assert_eq!(read_key(&bytes), Ok(key.clone()));
    let mut legacy = bytes.to_vec();
    legacy[1] = 0;
    assert_eq!(read_key(&legacy), Ok(key));
}

#[test]
fn a_key_of_another_record_type_is_told_apart() {
    assert_eq!(read_key(&[0, 3, 0, 1, b'g']), Ok(OffsetsKey::Unknown(3)));
    assert_eq!(read_key(&[0]), Err(DecodeError::Truncated { missing: 1 }));
}

#[test]
fn each_version_of_an_offset_commit_value_keeps_what_it_has_room_for() {
    let value = OffsetCommitValue {
        offset: 5,
        leader_epoch: 6,
        metadata: "m".into(),
        commit_timestamp: 7,
        expire_timestamp: 8,
        topic_id: uuid(9),
    };
    for version in 0..=4 {
        let read: OffsetCommitValue = read_value(&write_value(&value, version)).expect("what was written");
        let expected = OffsetCommitValue {
            leader_epoch: if version >= 3 { 6 } else { -1 },
            expire_timestamp: if version == 1 { 8 } else { -1 },
            topic_id: uuid(if version >= 4 { 9 } else { 0 }),
            ..value.clone()
        };
        assert_eq!(read, expected, "version {version}");
    }
}

#[test]
fn an_offset_commit_value_in_version_3_and_4() {
    let value =
        OffsetCommitValue { offset: 1, metadata: "m".into(), commit_timestamp: 2, ..Default::default() };
    let v3 = [0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 0, 1, b'm', 0, 0, 0, 0, 0, 0, 0, 2];
    assert_eq!(write_value(&value, 3)[..], v3);
    let v4 = [0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 2, b'm', 0, 0, 0, 0, 0, 0, 0, 2, 0];
    assert_eq!(write_value(&value, 4)[..], v4);
}

#[test]
fn each_version_of_a_group_keeps_what_it_has_room_for() {
    let member = GroupMember {
        member_id: "m".into(),
        group_instance_id: Some("i".into()),
        client_id: "c".into(),
        client_host: "h".into(),
        rebalance_timeout: 1,
        session_timeout: 2,
        subscription: Bytes::from_static(b"sub"),
        assignment: Bytes::from_static(b""),
    };
    let group = GroupMetadataValue {
        protocol_type: "consumer".into(),
        generation: 3,
        protocol: None,
        leader: Some("m".into()),
        current_state_timestamp: 4,
        members: vec![member.clone()],
    };
    for version in 0..=4 {
        let read: GroupMetadataValue = read_value(&write_value(&group, version)).expect("what was written");
        let expected = GroupMetadataValue {
            current_state_timestamp: if version >= 2 { 4 } else { -1 },
            members: vec![GroupMember {
                group_instance_id: member.group_instance_id.clone().filter(|_| version >= 3),
                rebalance_timeout: if version >= 1 { 1 } else { -1 },
                ..member.clone()
            }],
            ..group.clone()
        };
        assert_eq!(read, expected, "version {version}");
    }
}

#[test]
fn null_where_none_is_allowed_is_an_error() {
    assert_eq!(read_key(&[0, 2, 255, 255]), Err(DecodeError::UnexpectedNull));
}

#[test]
fn control_records_survive_a_round_trip() {
    let voter = LeaderChangeVoter { voter_id: 1, voter_directory_id: uuid(5) };
    let records = [
        ControlRecord::Abort(EndTransactionMarker { coordinator_epoch: 4 }),
        ControlRecord::Commit(EndTransactionMarker { coordinator_epoch: 5 }),
        ControlRecord::LeaderChange(LeaderChange {
            version: 1,
            leader_id: 1,
            voters: vec![voter.clone()],
            granting_voters: vec![voter],
        }),
        ControlRecord::SnapshotHeader(SnapshotHeader { version: 0, last_contained_log_timestamp: 99 }),
        ControlRecord::SnapshotFooter(SnapshotFooter { version: 0 }),
        ControlRecord::KRaftVersion(KRaftVersion { version: 0, kraft_version: 1 }),
        ControlRecord::Voters(Voters { version: 0, voters: vec![Voter::default()] }),
    ];
    for record in records {
        let (key, value) = record.write();
        assert_eq!(ControlRecord::read(&key, &value), Ok(record));
    }
}

#[test]
fn a_transaction_marker_is_version_and_coordinator_epoch() {
    let (key, value) = ControlRecord::Commit(EndTransactionMarker { coordinator_epoch: 7 }).write();
    assert_eq!((&key[..], &value[..]), (&[0, 0, 0, 1][..], &[0, 0, 0, 0, 0, 7][..]));
}

proptest! {
    /// Damaged logs are read too: whatever the bytes are, they are read or refused.
    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        record: prop::sample::Index,
        damage: (prop::sample::Index, u8),
    ) {
        let records = MetadataRecord::one_of_each();
        let record = record.get(&records);
        let mut damaged = record.write(record.latest_version()).to_vec();
        let at = damage.0.index(damaged.len());
        damaged[at] = damage.1;
        for bytes in [&bytes, &damaged] {
            if let Ok(read) = MetadataRecord::read(bytes) {
                prop_assert_eq!(MetadataRecord::read(&read.write(read.latest_version())).is_ok(), true);
            }
            let _ = (read_key(bytes), transactions::read_key(bytes));
            let _ = (read_value::<OffsetCommitValue>(bytes), read_value::<GroupMetadataValue>(bytes));
            let _ = read_value::<transactions::TransactionValue>(bytes);
            for kind in 0..8 {
                let _ = ControlRecord::read(&[0, 0, 0, kind], bytes);
            }
        }
    }
}
