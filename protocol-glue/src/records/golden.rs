//! Bytes that Apache Kafka 4.4.0 wrote into its own logs: each must read as what it means and be written back the same.

use uuid::{Uuid, uuid};

use super::control::*;
use super::metadata::*;
use super::offsets::*;
use super::transactions::{TransactionKey, TransactionPartitions, TransactionValue};
use super::*;

const GOLDEN_TOPIC: Uuid = uuid!("5175d57b-742b-4e37-b6e6-ece432b37046");
const LOG_DIRECTORY: Uuid = uuid!("e4ebc4d3-cd42-b82e-95b7-97fa6dd81d97");

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).expect("a hexadecimal digit") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[track_caller]
fn check_metadata(hex: &str, version: i16, expected: impl Into<MetadataRecord>) {
    let expected = expected.into();
    assert_eq!(MetadataRecord::read(&bytes(hex)).as_ref(), Ok(&expected));
    assert_eq!(expected.write(version)[..], bytes(hex));
}

#[track_caller]
fn check_control(key: &str, value: &str, expected: ControlRecord) {
    assert_eq!(ControlRecord::read(&bytes(key), &bytes(value)).as_ref(), Ok(&expected));
    let (written_key, written_value) = expected.write();
    assert_eq!((&written_key[..], &written_value[..]), (&bytes(key)[..], &bytes(value)[..]));
}

#[track_caller]
fn check_offsets<M: Message + PartialEq + std::fmt::Debug>(
    (key, expected_key): (&str, OffsetsKey),
    (value, version, expected_value): (&str, i16, M),
) {
    assert_eq!(read_key(&bytes(key)).as_ref(), Ok(&expected_key));
    assert_eq!(write_key(&expected_key)[..], bytes(key));
    assert_eq!(read_value::<M>(&bytes(value)).as_ref(), Ok(&expected_value));
    assert_eq!(write_value(&expected_value, version)[..], bytes(value));
}

#[test]
fn bootstrap_transaction_and_features() {
    let begin = BeginTransaction { name: Some("Bootstrap records".into()) };
    check_metadata("01170001001212426f6f747374726170207265636f726473", 0, begin);
    let feature = FeatureLevel { name: "metadata.version".into(), feature_level: 33 };
    check_metadata("010c00116d657461646174612e76657273696f6e002100", 0, feature);
    check_metadata("01180000", 0, EndTransaction {});
    check_metadata("01140000", 0, NoOp {});
}

#[test]
fn controller_registration() {
    let feature = |name: &str, min_supported_version, max_supported_version| ControllerFeature {
        name: name.into(),
        min_supported_version,
        max_supported_version,
    };
    check_metadata(
        "011b0000000001e665ef80e9584a73b78aeea18abe890d00020b434f4e54524f4c4c45520a3132372e302e302e3171a50000\
         00080e67726f75702e76657273696f6e00000001000e6b726166742e76657273696f6e0000000100116d657461646174612e\
         76657273696f6e00070021000e73686172652e76657273696f6e00000002001073747265616d732e76657273696f6e000000\
         0100147472616e73616374696f6e2e76657273696f6e000000020021656c696769626c652e6c65616465722e7265706c6963\
         61732e76657273696f6e000000010000",
        0,
        RegisterController {
            controller_id: 1,
            incarnation_id: uuid!("e665ef80-e958-4a73-b78a-eea18abe890d"),
            zk_migration_ready: false,
            end_points: vec![ControllerEndpoint {
                name: "CONTROLLER".into(),
                host: "127.0.0.1".into(),
                port: 29093,
                security_protocol: 0,
            }],
            features: vec![
                feature("group.version", 0, 1),
                feature("kraft.version", 0, 1),
                feature("metadata.version", 7, 33),
                feature("share.version", 0, 2),
                feature("streams.version", 0, 1),
                feature("transaction.version", 0, 2),
                feature("eligible.leader.replicas.version", 0, 1),
            ],
        },
    );
}

#[test]
fn broker_registration_and_its_changes() {
    let feature = |name: &str, min_supported_version, max_supported_version| BrokerFeature {
        name: name.into(),
        min_supported_version,
        max_supported_version,
    };
    check_metadata(
        "010004000000010054de09a575964b2e85172dcb77a57ca2000000000000000b020a504c41494e544558540a3132372e302e\
         302e3171a400000008147472616e73616374696f6e2e76657273696f6e00000002001073747265616d732e76657273696f6e\
         00000001000e67726f75702e76657273696f6e00000001000e6b726166742e76657273696f6e00000001000e73686172652e\
         76657273696f6e0000000200116d657461646174612e76657273696f6e000700210021656c696769626c652e6c6561646572\
         2e7265706c696361732e76657273696f6e000000010000010001001102e4ebc4d3cd42b82e95b797fa6dd81d97",
        4,
        RegisterBroker {
            broker_id: 1,
            incarnation_id: uuid!("54de09a5-7596-4b2e-8517-2dcb77a57ca2"),
            broker_epoch: 11,
            end_points: vec![BrokerEndpoint {
                name: "PLAINTEXT".into(),
                host: "127.0.0.1".into(),
                port: 29092,
                security_protocol: 0,
            }],
            features: vec![
                feature("transaction.version", 0, 2),
                feature("streams.version", 0, 1),
                feature("group.version", 0, 1),
                feature("kraft.version", 0, 1),
                feature("share.version", 0, 2),
                feature("metadata.version", 7, 33),
                feature("eligible.leader.replicas.version", 0, 1),
            ],
            rack: None,
            fenced: true,
            log_dirs: vec![LOG_DIRECTORY],
            ..Default::default()
        },
    );
    let unfenced =
        BrokerRegistrationChange { broker_id: 1, broker_epoch: 11, fenced: -1, ..Default::default() };
    check_metadata("01110000000001000000000000000b010001ff", 0, unfenced);
    let cordoned = BrokerRegistrationChange {
        broker_id: 1,
        broker_epoch: 11,
        cordoned_log_dirs: Some(vec![]),
        ..Default::default()
    };
    check_metadata("01110300000001000000000000000b01030101", 3, cordoned);
}

#[test]
fn topics_partitions_and_settings() {
    let topic = Topic { name: "golden".into(), topic_id: GOLDEN_TOPIC };
    check_metadata("01020007676f6c64656e5175d57b742b4e37b6e6ece432b3704600", 0, topic);
    let retention = Config {
        resource_type: 2,
        resource_name: "golden".into(),
        name: "retention.ms".into(),
        value: Some("1234567".into()),
    };
    check_metadata("0104000207676f6c64656e0d726574656e74696f6e2e6d73083132333435363700", 0, retention);
    let cluster_default = Config {
        resource_type: 4,
        resource_name: "".into(),
        name: "min.insync.replicas".into(),
        value: Some("1".into()),
    };
    check_metadata(
        "0104000401146d696e2e696e73796e632e7265706c6963617302310\
                    0",
        0,
        cluster_default,
    );
    check_metadata(
        "010302000000015175d57b742b4e37b6e6ece432b37046020000000102000000010101000000010000000000000000\
         02e4ebc4d3cd42b82e95b797fa6dd81d9700",
        2,
        Partition {
            partition_id: 1,
            topic_id: GOLDEN_TOPIC,
            replicas: vec![1],
            isr: vec![1],
            leader: 1,
            leader_epoch: 0,
            partition_epoch: 0,
            directories: vec![LOG_DIRECTORY],
            ..Default::default()
        },
    );
    let block = ProducerIds { broker_id: 1, broker_epoch: 11, next_producer_id: 1000 };
    check_metadata("010f0000000001000000000000000b00000000000003e800", 0, block);
}

#[test]
fn users_and_quotas() {
    check_metadata(
        "010b0006616c696365011b3162776972746f74343774693879393874697939336a3333387621a11c5b2bb42752ab8633273b\
         a82230d7d5d94278469fbf86f6e62672fb490e1b217cc737ef9c81b6c5eb6819ce020bab81763b12a0d3cc0fe4286e393762\
         66bc1c0000100000",
        0,
        UserScramCredential {
            name: "alice".into(),
            mechanism: 1,
            salt: Bytes::from_static(b"1bwirtot47ti8y98tiy93j338v"),
            stored_key: bytes("a11c5b2bb42752ab8633273ba82230d7d5d94278469fbf86f6e62672fb490e1b").into(),
            server_key: bytes("7cc737ef9c81b6c5eb6819ce020bab81763b12a0d3cc0fe4286e39376266bc1c").into(),
            iterations: 4096,
        },
    );
    check_metadata(
        "010e00020a636c69656e742d696400001370726f64756365725f627974655f7261746540900000000000000000",
        0,
        ClientQuota {
            entity: vec![EntityData { entity_type: "client-id".into(), entity_name: None }],
            key: "producer_byte_rate".into(),
            value: 1024.0,
            remove: false,
        },
    );
}

#[test]
fn control_records_of_the_metadata_log_and_its_snapshot() {
    let voter = LeaderChangeVoter { voter_id: 1, voter_directory_id: Uuid::nil() };
    let leader =
        LeaderChange { version: 0, leader_id: 1, voters: vec![voter.clone()], granting_voters: vec![voter] };
    check_control("00000002", "00000000000102000000010002000000010000", ControlRecord::LeaderChange(leader));
    let header = SnapshotHeader { version: 0, last_contained_log_timestamp: 0x1a2_2ff1_fc36 };
    check_control("00000003", "0000000001a22ff1fc3600", ControlRecord::SnapshotHeader(header));
    check_control("00000004", "000000", ControlRecord::SnapshotFooter(SnapshotFooter { version: 0 }));
}

#[test]
fn changes_of_a_partition_when_its_broker_goes_and_comes() {
    let topic_id = GOLDEN_TOPIC;
    let elected = PartitionChange {
        partition_id: 1,
        topic_id,
        leader: 1,
        isr: Some(vec![1]),
        eligible_leader_replicas: Some(vec![]),
        last_known_elr: Some(vec![]),
        ..Default::default()
    };
    check_metadata(
        "010502000000015175d57b742b4e37b6e6ece432b370460400050200000001010400000001060101070101",
        2,
        elected.clone(),
    );
    let left = PartitionChange {
        leader: -1,
        isr: Some(vec![]),
        eligible_leader_replicas: Some(vec![1]),
        last_known_elr: Some(vec![1]),
        ..elected
    };
    check_metadata(
        "010502000000015175d57b742b4e37b6e6ece432b37046040001010104ffffffff0605020000000107050200000001",
        2,
        left,
    );
    let leaving = |fenced, in_controlled_shutdown| BrokerRegistrationChange {
        broker_id: 1,
        broker_epoch: 13,
        fenced,
        in_controlled_shutdown,
        ..Default::default()
    };
    check_metadata("01110100000001000000000000000d01010101", 1, leaving(0, 1));
    check_metadata("01110000000001000000000000000d01000101", 0, leaving(1, 0));
}

#[test]
fn what_is_removed() {
    let topic_id = uuid!("f09dc240-a91b-4bf0-bc31-81a690142f5a");
    check_metadata("010900f09dc240a91b4bf0bc3181a690142f5a00", 0, RemoveTopic { topic_id });
    let credential = RemoveUserScramCredential { name: "alice".into(), mechanism: 1 };
    check_metadata("01160006616c6963650100", 0, credential);
}

#[test]
fn access_control_entries() {
    let id = uuid!("12cc8f44-8a04-49d7-aa1e-b143994ac2fc");
    check_metadata(
        "01120012cc8f448a0449d7aa1eb143994ac2fc0207676f6c64656e030b557365723a616c696365022a030300",
        0,
        AccessControlEntry {
            id,
            resource_type: 2,
            resource_name: "golden".into(),
            pattern_type: 3,
            principal: "User:alice".into(),
            host: "*".into(),
            operation: 3,
            permission_type: 3,
        },
    );
    check_metadata("01130012cc8f448a0449d7aa1eb143994ac2fc00", 0, RemoveAccessControlEntry { id });
}

#[test]
fn control_records_of_a_quorum_whose_voters_can_change() {
    let level = KRaftVersion { version: 0, kraft_version: 1 };
    check_control("00000005", "0000000100", ControlRecord::KRaftVersion(level));
    let voters = Voters {
        version: 0,
        voters: vec![Voter {
            voter_id: 1,
            voter_directory_id: uuid!("5ce90c7e-856a-48e9-a24f-796faa399d6b"),
            endpoints: vec![VoterEndpoint {
                name: "CONTROLLER".into(),
                host: "127.0.0.1".into(),
                port: 29093,
            }],
            kraft_version_feature: KRaftVersionFeature { min_supported_version: 0, max_supported_version: 1 },
        }],
    };
    check_control(
        "00000006",
        "000002000000015ce90c7e856a48e9a24f796faa399d6b020b434f4e54524f4c4c45520a3132372e302e302e3171a5\
         0000000001000000",
        ControlRecord::Voters(voters),
    );
}

#[test]
fn the_marker_of_a_committed_transaction() {
    let marker = EndTransactionMarker { coordinator_epoch: 0 };
    check_control("00000001", "000000000000", ControlRecord::Commit(marker));
}

#[test]
fn committed_offsets() {
    let key = |partition| {
        OffsetsKey::OffsetCommit(OffsetCommitKey {
            group: "golden-group".into(),
            topic: "golden".into(),
            partition,
        })
    };
    let read = OffsetCommitValue {
        offset: 3,
        leader_epoch: 0,
        metadata: "".into(),
        commit_timestamp: 0x1a2_2ff7_7894,
        expire_timestamp: -1,
        topic_id: GOLDEN_TOPIC,
    };
    check_offsets(
        ("0001000c676f6c64656e2d67726f75700006676f6c64656e00000001", key(1)),
        (
            "000400000000000000030000000001000001a22ff778940100105175d57b742b4e37b6e6ece432b37046",
            4,
            read.clone(),
        ),
    );
    check_offsets(
        ("0001000c676f6c64656e2d67726f75700006676f6c64656e00000000", key(0)),
        (
            "00040000000000000000ffffffff01000001a22ff778940100105175d57b742b4e37b6e6ece432b37046",
            4,
            OffsetCommitValue { offset: 0, leader_epoch: -1, ..read },
        ),
    );
}

#[test]
fn group_metadata() {
    let key = || {
        let group = GroupMetadataKey { group: "golden-group".into() };
        ("0002000c676f6c64656e2d67726f7570", OffsetsKey::GroupMetadata(group))
    };
    let created = GroupMetadataValue {
        protocol_type: "".into(),
        generation: 0,
        protocol: None,
        leader: None,
        current_state_timestamp: 0x1a2_2ff7_77ff,
        members: vec![],
    };
    check_offsets(key(), ("0003000000000000ffffffff000001a22ff777ff00000000", 3, created));
    let member_id = "golden-client-6f0475d4-8365-459f-b4d3-056a058de4ba";
    let stable = GroupMetadataValue {
        protocol_type: "consumer".into(),
        generation: 1,
        protocol: Some("range".into()),
        leader: Some(member_id.into()),
        current_state_timestamp: 0x1a2_2ff7_780f,
        members: vec![GroupMember {
            member_id: member_id.into(),
            group_instance_id: None,
            client_id: "golden-client".into(),
            client_host: "/127.0.0.1".into(),
            rebalance_timeout: 300_000,
            session_timeout: 45_000,
            subscription: bytes("0003000000010006676f6c64656effffffff00000000ffffffffffff").into(),
            assignment: bytes("0003000000010006676f6c64656e000000020000000000000001ffffffff").into(),
        }],
    };
    check_offsets(
        key(),
        (
            "00030008636f6e73756d657200000001000572616e67650032676f6c64656e2d636c69656e742d36663034373564342d3833\
             36352d343539662d623464332d303536613035386465346261000001a22ff7780f000000010032676f6c64656e2d636c6965\
             6e742d36663034373564342d383336352d343539662d623464332d303536613035386465346261ffff000d676f6c64656e2d\
             636c69656e74000a2f3132372e302e302e31000493e00000afc80000001c0003000000010006676f6c64656effffffff0000\
             0000ffffffffffff0000001e0003000000010006676f6c64656e000000020000000000000001ffffffff",
            3,
            stable,
        ),
    );
}

#[test]
fn transaction_state() {
    let check = |value: &str, expected: TransactionValue| {
        assert_eq!(read_value::<TransactionValue>(&bytes(value)).as_ref(), Ok(&expected));
        assert_eq!(write_value(&expected, 1)[..], bytes(value));
    };
    let key = TransactionKey { transactional_id: "tx".into() };
    assert_eq!(transactions::read_key(&bytes("000000027478")).as_ref(), Ok(&key));
    assert_eq!(transactions::write_key(&key)[..], bytes("000000027478"));

    let new = TransactionValue {
        transaction_timeout_ms: 60_000,
        transaction_last_update_timestamp_ms: 0x1a2_3008_ef1e,
        transaction_start_timestamp_ms: -1,
        ..Default::default()
    };
    check(
        "0001000000000000000000000000ea600000000001a23008ef1effffffffffffffff0100080000000000000000",
        TransactionValue { previous_producer_id: 0, ..new.clone() },
    );
    let ongoing = TransactionValue {
        previous_producer_id: 0,
        transaction_status: 1,
        transaction_partitions: Some(vec![TransactionPartitions {
            topic: "golden".into(),
            partition_ids: vec![0],
        }]),
        transaction_last_update_timestamp_ms: 0x1a2_3008_ef90,
        transaction_start_timestamp_ms: 0x1a2_3008_ef90,
        client_transaction_version: 2,
        ..new
    };
    check(
        "0001000000000000000000000000ea60010207676f6c64656e020000000000000001a23008ef90000001a23008ef90020008\
         000000000000000002020002",
        ongoing.clone(),
    );
    check(
        "0001000000000000000000010000ea600401000001a23008efb0000001a23008ef90020008000000000000000002020002",
        TransactionValue {
            producer_epoch: 1,
            transaction_status: 4,
            transaction_partitions: Some(vec![]),
            transaction_last_update_timestamp_ms: 0x1a2_3008_efb0,
            ..ongoing
        },
    );
}
