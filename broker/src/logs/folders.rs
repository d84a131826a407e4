//! Folders of deleted partitions: renamed at once, removed after a while.

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

    #[test]
    fn retired_names_are_kafkas_and_never_too_long() {
        let unique = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let name = retired_name("my-topic-3", unique, DELETED);
        assert_eq!(name, "my-topic-3.0123456789abcdef0123456789abcdef-delete");
        assert_eq!(retired_name(&"x".repeat(255), unique, DELETED).len(), MAX_NAME_LEN);
    }
}
