//! `partition.metadata`: which topic, by id, a partition's folder belongs to (KIP-516).

use super::{DataDirError, durable_file, kafka_id};
use std::path::Path;
use uuid::Uuid;

const NAME: &str = "partition.metadata";

/// The topic id in a partition's folder; `None` when the folder has no such file.
pub fn read(dir: &Path) -> Result<Option<Uuid>, DataDirError> {
    let path = dir.join(NAME);
    let Some(text) = durable_file::read(&path)? else { return Ok(None) };
    let field = |name: &str| {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.trim())
    };
    match field("version") {
        Some("0") => {}
        Some(version) => return Err(DataDirError::OtherFormat { path, version: version.to_owned() }),
        None => return Err(DataDirError::Damaged { path, what: "it has no version".to_owned() }),
    }
    match field("topic_id").and_then(kafka_id::decode) {
        Some(id) => Ok(Some(id)),
        None => Err(DataDirError::Damaged { path, what: "it has no topic id".to_owned() }),
    }
}

/// Stores the topic id in a partition's folder; durable when this returns. Kafka ends the file without a newline.
pub fn write(dir: &Path, topic_id: Uuid) -> Result<(), DataDirError> {
    let text = format!("version: 0\ntopic_id: {}", kafka_id::encode(topic_id));
    durable_file::replace(dir, NAME, text.as_bytes())
}
