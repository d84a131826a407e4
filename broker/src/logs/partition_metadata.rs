//! `partition.metadata`: which topic, by id, a partition's folder belongs to.

use super::folders;
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
/// More is not ours.
const MAX_LEN: u64 = 4096;
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Makes the folder the topic's own; one that belongs to another topic is set aside first.
pub(super) fn claim(disk: &dyn Disk, folder: &Path, topic_id: Uuid) -> Result<(), LogError> {
    let path = folder.join(FILE_NAME);
    let failed = |source| LogError::Io { path: path.clone(), source };
    let ours = text(topic_id);
    match read(disk, &path).map_err(failed)? {
        Some(found) if found == ours => return Ok(()),
        Some(_) => folders::set_aside(disk, folder)?,
        None => {}
    }
    disk.make_dir(folder).map_err(failed)?;
    write(disk, &path, &ours).map_err(failed)
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
    let text = String::from_utf8_lossy(&bytes[..read]);
    // Empty after a crash: as if it had never been written.
    Ok((!text.is_empty()).then(|| text.trim_end().to_owned()))
}

/// Not synced: a folder without it is claimed again, and costs nothing.
fn write(disk: &dyn Disk, path: &Path, text: &str) -> io::Result<()> {
    let file = disk.open(path, true)?;
    file.write_at(&[IoSlice::new(text.as_bytes())], 0)
}

/// The file's content, as Kafka writes it: no newline at the end.
fn text(topic_id: Uuid) -> String {
    format!("version: 0\ntopic_id: {}", base64_url(topic_id))
}

/// An id as Kafka writes it: 22 characters of URL-safe base64, without padding.
fn base64_url(id: Uuid) -> String {
    let bits = id.as_u128();
    // 128 bits and four zero bits make 22 groups of six.
    let group = |at: u32| if at == 21 { (bits << 4) & 63 } else { (bits >> (122 - 6 * at)) & 63 };
    (0..22).map(|at| char::from(BASE64_URL[group(at) as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_kafka_writes_them() {
        assert_eq!(base64_url(Uuid::nil()), "AAAAAAAAAAAAAAAAAAAAAA");
        assert_eq!(base64_url(Uuid::from_u128(u128::MAX)), "_____________________w");
        assert_eq!(base64_url(Uuid::from_u128(1)), "AAAAAAAAAAAAAAAAAAAAAQ");
        let id = Uuid::from_u128(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f);
        assert_eq!(text(id), "version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw");
    }
}
