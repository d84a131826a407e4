//! `partition.metadata`: which topic, by id, a partition's folder belongs to.

use super::folders;
use crate::data_dir::kafka_id;
use std::{
    io::{self, IoSlice},
    path::Path,
};
use storage::{
    disk::{Disk, Wait},
    log::LogError,
};
use uuid::Uuid;

const FILE_NAME: &str = "partition.metadata";
const BEFORE_ID: &str = "version: 0\ntopic_id: ";
/// More is not ours.
const MAX_LEN: u64 = 4096;

/// Makes the folder the topic's own; one that belongs to another topic is set aside first. True when the folder
/// was not the topic's before.
pub(super) fn claim(disk: &dyn Disk, folder: &Path, topic_id: Uuid) -> Result<bool, LogError> {
    let path = folder.join(FILE_NAME);
    let failed = |source| LogError::Io { path: path.clone(), source };
    let ours = text(topic_id);
    match read(disk, &path).map_err(failed)? {
        Some(found) if found == ours => return Ok(false),
        Some(found) if is_whole(&found) => folders::set_aside(disk, folder)?,
        // Nothing there, or what a crash left of it: only a whole file speaks of another topic.
        _ => {}
    }
    disk.make_dir(folder).map_err(failed)?;
    write(disk, &path, &ours).map_err(failed)?;
    Ok(true)
}

/// Writes the file when there is none. For a folder that nobody else can have.
pub(crate) fn complete(disk: &dyn Disk, folder: &Path, topic_id: Uuid) -> Result<(), LogError> {
    let path = folder.join(FILE_NAME);
    let written = match read(disk, &path) {
        Ok(None) => write(disk, &path, &text(topic_id)),
        found => found.map(drop),
    };
    written.map_err(|source| LogError::Io { path, source })
}

fn read(disk: &dyn Disk, path: &Path) -> io::Result<Option<String>> {
    let file = match disk.open(path, false) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = vec![0; file.len()?.min(MAX_LEN) as usize];
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], read as u64, Wait::Block)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(Some(String::from_utf8_lossy(&bytes[..read]).trim_end().to_owned()))
}

/// Not synced: a folder without it is claimed again, and costs nothing.
fn write(disk: &dyn Disk, path: &Path, text: &str) -> io::Result<()> {
    let file = disk.open(path, true)?;
    file.set_len(0)?;
    file.write_at(&[IoSlice::new(text.as_bytes())], 0)
}

fn is_whole(text: &str) -> bool {
    text.strip_prefix(BEFORE_ID).and_then(kafka_id::decode).is_some()
}

/// The file's content, as Kafka writes it: no newline at the end.
fn text(topic_id: Uuid) -> String {
    format!("{BEFORE_ID}{}", kafka_id::encode(topic_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_kafka_writes_them() {
        let id = Uuid::from_u128(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f);
        assert_eq!(text(id), "version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw");
    }

    #[test]
    fn what_a_crash_left_of_the_file_does_not_speak_of_another_topic() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = dir.path().join("t-0");
        let (disk, id) = (storage::disk::RealDisk, Uuid::from_u128(7));
        assert!(claim(&disk, &folder, id).expect("a write"));
        let whole = text(Uuid::from_u128(8));
        for left in ["", "\0\0\0", &whole[..10], &whole[..whole.len() - 1]] {
            std::fs::write(folder.join(FILE_NAME), left).expect("a write");
            assert!(claim(&disk, &folder, id).expect("a write"));
            assert!(!claim(&disk, &folder, id).expect("a read"), "{left:?} was replaced");
        }
        assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing was set aside");
    }
}
