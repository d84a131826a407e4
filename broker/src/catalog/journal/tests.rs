use super::*;
use crate::catalog::{Catalog, Image, Registration};
use protocol_glue::records::metadata::{
    AbortTransaction, BeginTransaction, BrokerEndpoint, EndTransaction, FeatureLevel, ProducerIds,
    Topic as TopicRecord,
};
use std::fs;
use storage::disk::RealDisk;

fn open(path: &std::path::Path) -> (DataDir, Catalog) {
    let data_dir = DataDir::open(path, None, 1).expect("opens");
    let catalog = Catalog::open(Arc::new(RealDisk), &data_dir, 1).expect("opens");
    (data_dir, catalog)
}

fn close((data_dir, catalog): (DataDir, Catalog)) {
    let broker_epoch = catalog.close().expect("closes");
    data_dir.close_cleanly(broker_epoch).expect("closes");
}

/// A topic with a partition.
fn create(catalog: &Catalog, name: &str) {
    catalog
        .change(|image| {
            let topic_id = crate::data_dir::kafka_id::random();
            let state = crate::catalog::PartitionState { leader_epoch: 0, partition_epoch: 0 };
            let topic = TopicRecord { name: name.to_owned(), topic_id };
            (vec![topic.into(), image.local().settled(topic_id, 0, &state).into()], ())
        })
        .expect("writes");
}

/// Without what only the offset says.
fn content(catalog: &Catalog) -> Image {
    Image { features_epoch: 0, ..(*catalog.image()).clone() }
}

fn files(path: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path.join(FOLDER))
        .expect("there")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("ascii"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_folder_is_formatted_as_kafka_does() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    assert_eq!(opened.1.image().feature("metadata.version"), 30);
    close(opened);
    let names = files(root.path());
    for name in [
        "00000000000000000000-0000000000.checkpoint",
        "00000000000000000000.log",
        "leader-epoch-checkpoint",
        "partition.metadata",
        "quorum-state",
    ] {
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
    }
    let state = fs::read_to_string(root.path().join(FOLDER).join("quorum-state")).expect("there");
    let state: serde_json::Value = serde_json::from_str(&state).expect("JSON");
    assert_eq!((&state["leaderId"], &state["leaderEpoch"]), (&1.into(), &1.into()));
    let epochs = fs::read_to_string(root.path().join(FOLDER).join("leader-epoch-checkpoint")).expect("there");
    assert_eq!(epochs, "0\n1\n1 0\n");
}

/// META-09, META-13: what clients remember is there after a restart.
#[test]
fn a_restart_arrives_at_the_same_catalog() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    create(&opened.1, "b");
    opened.1.next_producer_id_block().expect("writes");
    let end_point =
        BrokerEndpoint { name: "P".to_owned(), host: "h".to_owned(), port: 9092, security_protocol: 0 };
    opened.1.register(Registration { end_points: vec![end_point], rack: None }).expect("writes");
    let (before, cluster_id) = (opened.1.image(), opened.0.cluster_id().to_owned());
    close(opened);
    let opened = open(root.path());
    assert_eq!(*opened.1.image(), *before);
    assert_eq!(opened.0.cluster_id(), cluster_id);
}

#[test]
fn a_clean_restart_writes_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    close(opened);
    let log = root.path().join(FOLDER).join("00000000000000000000.log");
    let before = fs::read(&log).expect("there");
    close(open(root.path()));
    assert_eq!(fs::read(&log).expect("there"), before);
}

#[test]
fn leader_epochs_rise_after_an_unclean_end() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    drop(opened);
    let opened = open(root.path());
    assert_eq!(opened.1.image().topics["a"].partitions[0].leader_epoch, 1);
    close(opened);
    assert_eq!(open(root.path()).1.image().topics["a"].partitions[0].leader_epoch, 1);
}

#[test]
fn a_snapshot_replaces_the_log_before_it() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    let records = versions::write_all(&opened.1.image().to_records());
    opened.1.store().expect("open").snapshot(&records).expect("writes");
    create(&opened.1, "b");
    let before = content(&opened.1);
    close(opened);
    let snapshots: Vec<_> =
        files(root.path()).into_iter().filter(|name| name.ends_with(".checkpoint")).collect();
    assert_eq!(snapshots, ["00000000000000000004-0000000001.checkpoint"]);
    let opened = open(root.path());
    assert_eq!(content(&opened.1), before);
    create(&opened.1, "c");
    let before = content(&opened.1);
    close(opened);
    assert_eq!(content(&open(root.path()).1), before);
}

#[test]
fn a_snapshot_that_was_not_finished_is_not_there() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    let before = content(&opened.1);
    close(opened);
    fs::create_dir(root.path().join(FOLDER).join("snapshot.tmp")).expect("makes");
    let cut = root.path().join(FOLDER).join("snapshot.tmp/00000000000000000000.log");
    fs::write(cut, "half").expect("writes");
    assert_eq!(content(&open(root.path()).1), before);
    assert!(!files(root.path()).contains(&"snapshot.tmp".to_owned()));
}

#[test]
fn a_snapshot_without_its_end_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    create(&opened.1, "a");
    let records = versions::write_all(&opened.1.image().to_records());
    opened.1.store().expect("open").snapshot(&records).expect("writes");
    close(opened);
    let path = root.path().join(FOLDER).join("00000000000000000004-0000000001.checkpoint");
    let bytes = fs::read(&path).expect("there");
    fs::write(&path, &bytes[..bytes.len() - 10]).expect("writes");
    let data_dir = DataDir::open(root.path(), None, 1).expect("opens");
    let error = Catalog::open(Arc::new(RealDisk), &data_dir, 1).err().expect("refused").to_string();
    assert!(error.contains("the snapshot has no end"), "{error}");
}

#[test]
fn only_finished_transactions_count() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    let ids = |next_producer_id| {
        MetadataRecord::from(ProducerIds { broker_id: 1, broker_epoch: -1, next_producer_id })
    };
    let begin = || MetadataRecord::from(BeginTransaction::default());
    let records = [
        begin(),
        ids(1000),
        EndTransaction {}.into(),
        begin(),
        ids(2000),
        AbortTransaction::default().into(),
        begin(),
        ids(3000),
    ];
    opened.1.store().expect("open").append(&versions::write_all(&records)).expect("writes");
    close(opened);
    let opened = open(root.path());
    assert_eq!(opened.1.image().next_producer_id, 1000);
    assert_eq!(opened.1.next_producer_id_block().expect("writes"), (1000, 1000));
    close(opened);
    assert_eq!(
        open(root.path()).1.image().next_producer_id,
        2000,
        "what follows is not part of the unfinished one"
    );
}

#[test]
fn a_quorum_of_several_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    close(open(root.path()));
    let state = r#"{"clusterId":"","leaderId":2,"leaderEpoch":7,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}"#;
    fs::write(root.path().join(FOLDER).join("quorum-state"), state).expect("writes");
    let data_dir = DataDir::open(root.path(), None, 1).expect("opens");
    let error = Catalog::open(Arc::new(RealDisk), &data_dir, 1).err().expect("refused").to_string();
    assert!(error.contains("several controllers"), "{error}");
    assert!(root.path().join(".kafka_cleanshutdown").exists(), "refused and left as it was");
}

/// Another leader's epoch is over when we open the folder, and the log says so.
#[test]
fn a_newer_epoch_is_followed_by_ours() {
    let root = tempfile::tempdir().expect("a folder");
    close(open(root.path()));
    let state = r#"{"leaderId":-1,"leaderEpoch":7,"votedId":1,"votedDirectoryId":"x","data_version":1}"#;
    fs::write(root.path().join(FOLDER).join("quorum-state"), state).expect("writes");
    close(open(root.path()));
    let state = fs::read_to_string(root.path().join(FOLDER).join("quorum-state")).expect("there");
    assert_eq!(
        state,
        r#"{"data_version":1,"leaderEpoch":8,"leaderId":1,"votedDirectoryId":"x","votedId":-1}"#
    );
    let epochs = fs::read_to_string(root.path().join(FOLDER).join("leader-epoch-checkpoint")).expect("there");
    assert!(epochs.ends_with("8 2\n"), "{epochs}");
}

#[test]
fn a_newer_metadata_version_is_refused_and_left_as_it_was() {
    let root = tempfile::tempdir().expect("a folder");
    let opened = open(root.path());
    let level = FeatureLevel { name: "metadata.version".to_owned(), feature_level: 34 };
    opened.1.change(|_| (vec![level.into()], ())).expect("writes");
    close(opened);
    let log = root.path().join(FOLDER).join("00000000000000000000.log");
    let before = fs::read(&log).expect("there");
    let data_dir = DataDir::open(root.path(), None, 1).expect("opens");
    let error = Catalog::open(Arc::new(RealDisk), &data_dir, 1).err().expect("refused").to_string();
    assert!(error.contains("metadata.version is 34"), "{error}");
    assert_eq!(fs::read(&log).expect("there"), before);
    assert!(root.path().join(".kafka_cleanshutdown").exists());
}
