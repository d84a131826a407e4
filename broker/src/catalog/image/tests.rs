use super::*;
use crate::catalog::testing::LOCAL;
use protocol_glue::records::metadata::{
    AccessControlEntry, ClientQuota, EntityData, MetadataRecord, Partition, RemoveAccessControlEntry,
    Topic as TopicRecord,
};

fn applied(records: &[MetadataRecord]) -> Result<Image, String> {
    let mut image = Image::new(LOCAL);
    for (offset, record) in (0..).zip(records) {
        image.apply(record, offset)?;
    }
    Ok(image)
}

fn topic(name: &str, id: u128) -> MetadataRecord {
    TopicRecord { name: name.to_owned(), topic_id: Uuid::from_u128(id) }.into()
}

fn partition(id: u128, index: i32) -> MetadataRecord {
    let state = PartitionState { leader_epoch: 0, partition_epoch: 0 };
    LOCAL.settled(Uuid::from_u128(id), index, &state).into()
}

#[test]
fn partitions_may_come_in_any_order_but_must_all_come() {
    let image = applied(&[topic("t", 1), partition(1, 2), partition(1, 0)]).expect("fits so far");
    assert!(image.check_complete().expect_err("incomplete").contains("partition 1"));
    let image = applied(&[topic("t", 1), partition(1, 2), partition(1, 0), partition(1, 1)]).expect("fits");
    assert_eq!(image.check_complete(), Ok(()));
}

#[test]
fn records_that_cannot_be_are_refused() {
    assert!(applied(&[topic("t", 1), topic("t", 2)]).is_err());
    assert!(applied(&[topic("t", 1), topic("u", 1)]).is_err());
    assert!(applied(&[partition(1, 0)]).is_err());
    assert!(applied(&[topic("t", 1), partition(1, i32::MAX)]).is_err());
    assert!(
        applied(&[topic("t", 1), Partition { partition_id: -1, ..Partition::default() }.into()]).is_err()
    );
    assert!(applied(&[LOCAL.take_over(Uuid::from_u128(1), 0).into()]).is_err());
}

#[test]
fn what_is_not_used_is_kept_for_snapshots() {
    let quota = |name: &str, value: f64, remove| {
        let entity = vec![EntityData { entity_type: "user".to_owned(), entity_name: Some(name.to_owned()) }];
        MetadataRecord::from(ClientQuota { entity, key: "producer_byte_rate".to_owned(), value, remove })
    };
    let entry = |id| AccessControlEntry { id: Uuid::from_u128(id), ..AccessControlEntry::default() };
    let image = applied(&[
        quota("a", 1.0, false),
        quota("b", 2.0, false),
        quota("a", 3.0, false),
        quota("b", 0.0, true),
        entry(1).into(),
        entry(2).into(),
        RemoveAccessControlEntry { id: Uuid::from_u128(1) }.into(),
    ])
    .expect("fits");
    assert_eq!(image.to_records(), [quota("a", 3.0, false), entry(2).into()]);
}
