use super::*;

fn written(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).expect("a file")
}

/// Every file and its content, to show that nothing was touched.
fn picture(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            (path.display().to_string(), fs::read(&path).unwrap_or_default())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_new_folder_gets_an_identity_and_keeps_it() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("a/b");
    let first = DataDir::open(&path, None, 1).expect("opens");
    let (cluster_id, directory_id) = (first.cluster_id().to_owned(), first.directory_id());
    assert_eq!(cluster_id.len(), 22);
    assert_eq!(first.clean_shutdown(), None);
    drop(first);
    let text = written(&path, "meta.properties");
    assert_eq!(
        text,
        format!(
            "version=1\ncluster.id={cluster_id}\nnode.id=1\ndirectory.id={}\n",
            kafka_id::encode(directory_id)
        )
    );
    let again = DataDir::open(&path, None, 1).expect("opens");
    assert_eq!((again.cluster_id(), again.directory_id()), (&*cluster_id, directory_id));
}

#[test]
fn a_name_without_content_is_what_a_power_cut_leaves_of_a_first_start() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(root.path().join("meta.properties"), "").expect("writes");
    assert!(DataDir::open(root.path(), None, 1).expect("opens").is_new());
    assert!(!DataDir::open(root.path(), None, 1).expect("opens").is_new());
    fs::write(root.path().join("meta.properties"), "").expect("writes");
    fs::create_dir(root.path().join("__cluster_metadata-0")).expect("makes");
    DataDir::open(root.path(), None, 1).expect_err("a folder that was used has lost its identity");
}

/// META-13: a configured cluster id is taken.
#[test]
fn a_configured_cluster_id_is_kept() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = DataDir::open(root.path(), Some("MkU3OEVBNTcwNTJENDM2Qk"), 1).expect("opens");
    assert_eq!(dir.cluster_id(), "MkU3OEVBNTcwNTJENDM2Qk");
    drop(dir);
    let again = DataDir::open(root.path(), None, 1).expect("opens");
    assert_eq!(again.cluster_id(), "MkU3OEVBNTcwNTJENDM2Qk");
}

/// LOG-17: both values are named, and nothing is touched.
#[test]
fn another_cluster_or_node_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    drop(DataDir::open(root.path(), Some("MkU3OEVBNTcwNTJENDM2Qk"), 1).expect("opens"));
    fs::write(root.path().join(".kafka_cleanshutdown"), "{}").expect("writes");
    fs::remove_file(root.path().join(".lock")).expect("removes");
    let before = picture(root.path());

    let error =
        DataDir::open(root.path(), Some("4L6g3nShT-eMCtK--X86sw"), 1).expect_err("refused").to_string();
    assert!(error.contains("MkU3OEVBNTcwNTJENDM2Qk") && error.contains("4L6g3nShT-eMCtK--X86sw"), "{error}");
    let error = DataDir::open(root.path(), None, 7).expect_err("refused").to_string();
    assert!(error.contains("node 1,") && error.contains("node.id 7 "), "{error}");
    assert_eq!(picture(root.path()), before);
}

#[test]
fn a_folder_in_use_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let held = DataDir::open(root.path(), None, 1).expect("opens");
    let error = DataDir::open(root.path(), None, 1).expect_err("refused").to_string();
    assert!(error.ends_with("is in use by another process"), "{error}");
    drop(held);
    DataDir::open(root.path(), None, 1).expect("free again");
}

#[test]
fn a_newer_format_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(root.path().join("meta.properties"), "version=2\ncluster.id=x\nnode.id=1\n").expect("writes");
    let before = picture(root.path());
    let error = DataDir::open(root.path(), None, 1).expect_err("refused").to_string();
    assert!(error.contains("format version 2"), "{error}");
    assert_eq!(picture(root.path()), before);
}

#[test]
fn a_metadata_log_without_identity_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("__cluster_metadata-0")).expect("makes");
    let error = DataDir::open(root.path(), None, 1).expect_err("refused").to_string();
    assert!(error.contains("no meta.properties"), "{error}");
}

#[test]
fn a_file_in_the_way_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("file");
    fs::write(&path, "x").expect("writes");
    assert!(matches!(DataDir::open(&path, None, 1), Err(DataDirError::Io { .. })));
    assert_eq!(fs::read(&path).expect("still there"), b"x");
}

#[test]
fn kafkas_own_file_is_understood() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(
        root.path().join("meta.properties"),
        "#\n#Tue Dec 01 04:49:20 UTC 2026\nnode.id=1\ndirectory.id=g_MK5LGyb6jJlR9PQoC0JQ\nversion=1\ncluster.id=flt0PYs4SR2gOGjX6lgW5w\n",
    )
    .expect("writes");
    let dir = DataDir::open(root.path(), None, 1).expect("opens");
    assert_eq!(dir.cluster_id(), "flt0PYs4SR2gOGjX6lgW5w");
    assert_eq!(kafka_id::encode(dir.directory_id()), "g_MK5LGyb6jJlR9PQoC0JQ");
}

#[test]
fn a_clean_shutdown_is_seen_once() {
    let root = tempfile::tempdir().expect("a folder");
    DataDir::open(root.path(), None, 1).expect("opens").close_cleanly(11).expect("closes");
    assert_eq!(written(root.path(), ".kafka_cleanshutdown"), r#"{"version":0,"brokerEpoch":11}"#);
    let dir = DataDir::open(root.path(), None, 1).expect("opens");
    assert_eq!(dir.clean_shutdown(), Some(11));
    dir.begin_changes().expect("removes");
    assert!(!root.path().join(".kafka_cleanshutdown").exists());
    drop(dir);
    assert_eq!(DataDir::open(root.path(), None, 1).expect("opens").clean_shutdown(), None);
}
