use super::{
    testing::{Fixture, Stored, replay, restart, wanted},
    *,
};
use kafka_protocol::ResponseError;
use protocol_glue::records::metadata::{BrokerEndpoint, PartitionChange};
use uuid::Uuid;

fn named(name: &str) -> delete::Named {
    delete::Named { name: Some(name.to_owned()), id: Uuid::nil() }
}

fn topic_config(name: &str, key: &str, value: Option<&str>) -> ConfigChange {
    ConfigChange {
        resource_type: 2,
        resource_name: name.to_owned(),
        name: key.to_owned(),
        value: value.map(str::to_owned),
    }
}

/// A history with everything in it.
async fn lively() -> Fixture {
    let fixture = Fixture::new();
    fixture.create("a", 3).await;
    fixture.create("b", 1).await;
    let grow = grow::Wanted { name: "b".to_owned(), count: 4, assignments: None };
    fixture.topics.grow(vec![grow], false).await.expect("writes")[0].1.as_ref().expect("grows");
    fixture.topics.delete(vec![named("a")]).await.expect("writes");
    fixture.create("a", 2).await;
    fixture.topics.ensure(vec!["__consumer_offsets".to_owned()]).await.expect("writes");
    let changes = vec![
        topic_config("a", "retention.ms", Some("5")),
        topic_config("b", "retention.ms", Some("5")),
        topic_config("b", "retention.ms", None),
        ConfigChange { resource_type: 4, resource_name: String::new(), ..topic_config("", "x", Some("1")) },
        ConfigChange { resource_type: 16, ..topic_config("metrics", "interval.ms", Some("1")) },
    ];
    fixture.topics.configure(move |_| (changes, ())).await.expect("writes");
    fixture.catalog.next_producer_id_block().expect("writes");
    let end_point = BrokerEndpoint {
        name: "PLAINTEXT".to_owned(),
        host: "h".to_owned(),
        port: 9092,
        security_protocol: 0,
    };
    fixture.catalog.register(Registration { end_points: vec![end_point], rack: None }).expect("writes");
    fixture
}

#[tokio::test]
async fn replay_arrives_at_the_live_image() {
    let fixture = lively().await;
    assert_eq!(replay(&fixture.stored.lock().batches), *fixture.catalog.image());
}

#[tokio::test]
async fn a_snapshot_stands_for_all_records() {
    let fixture = lively().await;
    let image = fixture.catalog.image();
    let snapshot = replay(&[versions::write_all(&image.to_records())]);
    assert_eq!(Image { features_epoch: image.features_epoch, ..snapshot }, *image);
}

#[test]
fn a_new_folder_gets_metadata_version_30_and_nothing_is_written_again() {
    let stored = Arc::new(Mutex::new(Stored::default()));
    assert_eq!(restart(&stored, false).image().features, [("metadata.version".to_owned(), 30)]);
    restart(&stored, true);
    restart(&stored, false);
    assert_eq!(stored.lock().batches.len(), 1);
}

#[tokio::test]
async fn leader_epochs_rise_after_a_crash_and_stay_after_a_clean_end() {
    let fixture = Fixture::new();
    fixture.create("a", 2).await;
    fixture.create("b", 1).await;
    let epochs = |catalog: &Catalog| {
        let image = catalog.image();
        let mut epochs: Vec<_> = image.topics.values().flat_map(|topic| topic.partitions.clone()).collect();
        epochs.dedup();
        epochs
    };
    let state = |leader_epoch, partition_epoch| vec![PartitionState { leader_epoch, partition_epoch }];
    assert_eq!(epochs(&fixture.catalog), state(0, 0));
    assert_eq!(epochs(&restart(&fixture.stored, true)), state(0, 0));
    assert_eq!(epochs(&restart(&fixture.stored, false)), state(1, 1));
    assert_eq!(epochs(&restart(&fixture.stored, false)), state(2, 2));
    assert_eq!(epochs(&restart(&fixture.stored, true)), state(2, 2));
    let crash = fixture.stored.lock().batches.last().expect("written").len();
    assert_eq!(crash, 3, "one batch for all partitions");
}

#[tokio::test]
async fn partitions_that_kafka_closed_become_ours() {
    let fixture = Fixture::new();
    let id = fixture.create("a", 1).await;
    let closed = PartitionChange {
        partition_id: 0,
        topic_id: id,
        isr: Some(Vec::new()),
        leader: -1,
        eligible_leader_replicas: Some(vec![1]),
        last_known_elr: Some(vec![1]),
        ..PartitionChange::default()
    };
    fixture.catalog.change(|_| (vec![closed.into()], ())).expect("writes");
    let catalog = restart(&fixture.stored, true);
    let partition = &catalog.image().topics["a"].partitions[0];
    assert_eq!(*partition, PartitionState { leader_epoch: 2, partition_epoch: 2 });
    assert_eq!(replay(&fixture.stored.lock().batches), *catalog.image());
    let before = fixture.stored.lock().batches.len();
    restart(&fixture.stored, true);
    assert_eq!(fixture.stored.lock().batches.len(), before, "settled for good");
}

#[tokio::test]
async fn partitions_of_other_brokers_stop_the_start() {
    let fixture = Fixture::new();
    let id = fixture.create("a", 1).await;
    let moved = PartitionChange {
        partition_id: 0,
        topic_id: id,
        replicas: Some(vec![1, 2]),
        ..PartitionChange::default()
    };
    fixture.catalog.change(|_| (vec![moved.into()], ())).expect("writes");
    let image = replay(&fixture.stored.lock().batches);
    assert!(image.settling_changes().expect_err("foreign").contains("brokers [1, 2]"));
}

#[test]
fn producer_ids_are_never_given_out_twice() {
    let stored = Arc::new(Mutex::new(Stored::default()));
    let catalog = restart(&stored, true);
    assert_eq!(catalog.next_producer_id_block().expect("writes"), (0, 1000));
    assert_eq!(catalog.next_producer_id_block().expect("writes"), (1000, 1000));
    assert_eq!(restart(&stored, false).next_producer_id_block().expect("writes"), (2000, 1000));
}

#[test]
fn the_same_registration_is_written_once() {
    let stored = Arc::new(Mutex::new(Stored::default()));
    let at = |port| Registration {
        end_points: vec![BrokerEndpoint {
            name: "P".to_owned(),
            host: "h".to_owned(),
            port,
            security_protocol: 0,
        }],
        rack: None,
    };
    restart(&stored, true).register(at(9092)).expect("writes");
    let catalog = restart(&stored, true);
    catalog.register(at(9092)).expect("nothing to write");
    assert_eq!(stored.lock().batches.len(), 2);
    catalog.register(at(9093)).expect("writes");
    assert_eq!(catalog.image().brokers[&1].broker_epoch, 2);
    assert_eq!(catalog.close().expect("closes"), 2);
    assert!(stored.lock().closed);
}

/// The catalog never runs ahead of its log, and the process is told to stop.
#[tokio::test]
async fn a_log_that_cannot_be_written_ends_all_changes() {
    let fixture = Fixture::new();
    fixture.create("a", 1).await;
    fixture.stored.lock().broken = true;
    fixture.topics.create(vec![wanted("b", 1)], false).await.expect_err("not written");
    assert!(!fixture.topics.image().topics.contains_key("b"));
    fixture.stored.lock().broken = false;
    let again = fixture.topics.create(vec![wanted("c", 1)], false).await;
    assert!(matches!(again, Err(CatalogError::FailedBefore(_))));
    assert!(fixture.catalog.failed().await.contains("/broken"));
}

#[tokio::test]
async fn a_snapshot_is_taken_when_it_is_due() {
    let fixture = Fixture::new();
    fixture.stored.lock().snapshot_due = true;
    fixture.create("a", 1).await;
    let stored = fixture.stored.lock();
    assert_eq!(replay(&stored.snapshots).topics, fixture.catalog.image().topics);
}

/// META-12: the name is free when the answer is there, with its partitions gone.
#[tokio::test]
async fn a_deleted_topic_can_be_created_again_at_once() {
    let fixture = Fixture::new();
    let mut id = fixture.create("a", 2).await;
    for _ in 0..50 {
        fixture.topics.delete(vec![named("a")]).await.expect("writes");
        assert!(fixture.topics.image().topics.is_empty());
        assert!(fixture.host.partitions.lock().is_empty());
        let next = fixture.create("a", 2).await;
        assert_ne!(next, id);
        id = next;
    }
}

/// ADM-14: the partitions are there when the answer is.
#[tokio::test]
async fn a_created_topic_has_its_partitions() {
    let fixture = Fixture::new();
    fixture.create("a", 2).await;
    assert!(fixture.topics.image().topics.contains_key("a"));
    let made = fixture.host.partitions.lock().clone();
    assert_eq!(made, [("a".to_owned(), 0), ("a".to_owned(), 1)].into());
}

#[tokio::test]
async fn a_topic_that_cannot_be_stored_is_not_in_the_catalog() {
    let fixture = Fixture::new();
    *fixture.host.full.lock() = true;
    let outcomes = fixture.topics.create(vec![wanted("a", 1)], false).await.expect("nothing to write");
    let refusal = outcomes[0].1.as_ref().expect_err("no room");
    assert_eq!(refusal.error, ResponseError::KafkaStorageError);
    assert!(fixture.topics.image().topics.is_empty());
}

#[tokio::test]
async fn open_logs_follow_changed_settings() {
    let fixture = Fixture::new();
    fixture.create("a", 1).await;
    fixture.create("b", 1).await;
    fixture
        .topics
        .configure(|_| (vec![topic_config("a", "retention.ms", Some("5"))], ()))
        .await
        .expect("writes");
    assert_eq!(fixture.topics.image().topics["a"].configs["retention.ms"], "5");
    assert_eq!(*fixture.host.reconfigured.lock(), ["a"]);
    let broker =
        ConfigChange { resource_type: 4, resource_name: "1".to_owned(), ..topic_config("", "x", Some("1")) };
    fixture.topics.configure(|_| (vec![broker], ())).await.expect("writes");
    assert_eq!(fixture.host.reconfigured.lock().len(), 3, "a broker setting can matter to every topic");
    assert_eq!(fixture.topics.layers().broker["x"], "1");
}

#[tokio::test]
async fn the_offsets_topic_has_its_own_shape() {
    let fixture = Fixture::new();
    let names = ["__consumer_offsets", "__transaction_state", "__cluster_metadata", "plain"];
    let outcomes = fixture.topics.ensure(names.map(str::to_owned).to_vec()).await.expect("writes");
    let mut refused: Vec<_> =
        outcomes.iter().filter(|(_, outcome)| outcome.is_err()).map(|(name, _)| name.as_str()).collect();
    refused.sort();
    assert_eq!(refused, ["__cluster_metadata", "__transaction_state"]);
    let image = fixture.topics.image();
    assert_eq!(image.topics["__consumer_offsets"].partitions.len(), 5);
    assert_eq!(image.topics["__consumer_offsets"].configs["cleanup.policy"], "compact");
    assert_eq!(image.topics["plain"].partitions.len(), 1);
}

/// LOG-15: metadata that has no room is refused whole, and the broker lives on.
#[tokio::test]
async fn a_full_disk_refuses_a_change_leaves_nothing_behind_and_heals() {
    let fixture = Fixture::new();
    fixture.create("a", 2).await;
    fixture.stored.lock().full = true;
    let before = (fixture.catalog.image(), fixture.host.partitions.lock().clone());
    let refused = fixture.topics.create(vec![wanted("b", 3)], false).await.expect_err("no room");
    assert_eq!(refused.refusal().error, ResponseError::KafkaStorageError);
    let grow = || vec![grow::Wanted { name: "a".to_owned(), count: 4, assignments: None }];
    assert!(fixture.topics.grow(grow(), false).await.is_err());
    assert!(fixture.topics.delete(vec![named("a")]).await.is_err());
    assert!(fixture.catalog.next_producer_id_block().is_err());
    assert_eq!((fixture.catalog.image(), fixture.host.partitions.lock().clone()), before);
    fixture.stored.lock().full = false;
    fixture.create("b", 3).await;
    fixture.topics.grow(grow(), false).await.expect("writes")[0].1.as_ref().expect("grows");
    assert_eq!(replay(&fixture.stored.lock().batches), *fixture.catalog.image());
}
