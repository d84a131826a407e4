//! Folders of deleted partitions: renamed at once, removed after a while.

use crate::catalog::names;
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};
use storage::{disk::Disk, log::LogError};
use tokio::time::Instant;
use uuid::Uuid;

const DELETED: &str = "-delete";
const STRAY: &str = "-stray";
/// What file systems allow for a name.
const MAX_NAME_LEN: usize = 255;

/// A folder to remove when its time has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Doomed {
    pub folder: PathBuf,
    pub due: Instant,
}

/// Renames a partition's folder, to be removed after `delay_ms`.
pub(super) fn doom(disk: &dyn Disk, folder: &Path, delay_ms: i64) -> Result<Doomed, LogError> {
    let renamed = rename(disk, folder, DELETED)?;
    let delay = Duration::from_millis(u64::try_from(delay_ms).unwrap_or(0));
    Ok(Doomed { folder: renamed, due: Instant::now() + delay })
}

/// Renames a folder that no topic owns, and leaves it for a person to look at.
pub(super) fn set_aside(disk: &dyn Disk, folder: &Path) -> Result<(), LogError> {
    let renamed = rename(disk, folder, STRAY)?;
    tracing::warn!("{} belongs to no topic; it is now {}", folder.display(), renamed.display());
    Ok(())
}

/// What a process that ended early left to remove.
pub(super) fn left_to_remove(disk: &dyn Disk, data_dir: &Path) -> Result<Vec<Doomed>, LogError> {
    let names = disk.list(data_dir).map_err(|source| LogError::Io { path: data_dir.to_owned(), source })?;
    let doomed = names.into_iter().filter(|name| name.ends_with(DELETED));
    Ok(doomed.map(|name| Doomed { folder: data_dir.join(name), due: Instant::now() }).collect())
}

/// Folders with a partition's name, as topic and index; not those of the metadata log.
pub(super) fn partitions_in(
    disk: &dyn Disk,
    data_dir: &Path,
) -> Result<impl Iterator<Item = (String, i32)>, LogError> {
    let mut names =
        disk.list(data_dir).map_err(|source| LogError::Io { path: data_dir.to_owned(), source })?;
    names.sort();
    let parse = |name: String| {
        let (topic, index) = name.rsplit_once('-')?;
        let index: i32 = index.parse().ok().filter(|number: &i32| number.to_string() == index)?;
        (names::check(topic).is_ok() && topic != names::CLUSTER_METADATA).then(|| (topic.to_owned(), index))
    };
    Ok(names.into_iter().filter_map(parse))
}

/// The line about folders that belong to no topic.
pub(super) fn stray_line(strays: &[(String, i32)]) -> String {
    const NAMED: usize = 20;
    let names: Vec<_> = strays.iter().take(NAMED).map(|(topic, index)| format!("{topic}-{index}")).collect();
    let more = if strays.len() > NAMED { ", …" } else { "" };
    format!("{} folders belong to no topic and are left alone: {}{more}", strays.len(), names.join(", "))
}

fn rename(disk: &dyn Disk, folder: &Path, suffix: &str) -> Result<PathBuf, LogError> {
    let name =
        folder.file_name().and_then(OsStr::to_str).expect("a partition's folder is named after its topic");
    let renamed = folder.with_file_name(retired_name(name, Uuid::new_v4(), suffix));
    disk.rename(folder, &renamed).map_err(|source| LogError::Io { path: folder.to_owned(), source })?;
    Ok(renamed)
}

/// `<name>.<unique><suffix>`; a name that would be too long is cut, for the unique part says enough.
fn retired_name(name: &str, unique: Uuid, suffix: &str) -> String {
    let tail = format!(".{}{suffix}", unique.simple());
    // Topic names are ASCII, so that a cut never splits a character.
    let kept = name.len().min(MAX_NAME_LEN - tail.len());
    format!("{}{tail}", &name[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::disk::RealDisk;

    #[test]
    fn folders_of_partitions_are_told_from_all_others_and_named_in_one_line() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for name in [
            "a-b-10",
            "t-0",
            "t-x",
            "t-01",
            "t--1",
            "t-0.0123456789abcdef0123456789abcdef-delete",
            "t-1.0123456789abcdef0123456789abcdef-stray",
            "__cluster_metadata-0",
            "é-0",
            "lost+found",
        ] {
            std::fs::create_dir(dir.path().join(name)).expect("a folder");
        }
        let mut found: Vec<_> = partitions_in(&RealDisk, dir.path()).expect("lists").collect();
        let expected = [("a-b", 10), ("t-", 1), ("t", 0)].map(|(topic, index)| (topic.to_owned(), index));
        assert_eq!(found, expected);
        assert_eq!(stray_line(&found), "3 folders belong to no topic and are left alone: a-b-10, t--1, t-0");
        found = (0..1000).map(|index| ("t".to_owned(), index)).collect();
        assert!(stray_line(&found).ends_with("t-18, t-19, …"));
    }

    #[test]
    fn retired_names_are_kafkas_and_never_too_long() {
        let unique = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let name = retired_name("my-topic-3", unique, DELETED);
        assert_eq!(name, "my-topic-3.0123456789abcdef0123456789abcdef-delete");
        assert_eq!(retired_name(&"x".repeat(255), unique, DELETED).len(), MAX_NAME_LEN);
    }
}
