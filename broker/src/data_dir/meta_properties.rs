//! `meta.properties`: the identity of a data folder, in Kafka's file format version 1.

use super::{DataDirError, durable_file, kafka_id};
use std::{collections::HashMap, path::Path};
use uuid::Uuid;

const NAME: &str = "meta.properties";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MetaProperties {
    pub cluster_id: String,
    pub node_id: i32,
    /// Folders from before Kafka 3.7 have none.
    pub directory_id: Option<Uuid>,
}

/// The identity of the folder; `None` when it has none yet.
pub(super) fn read(dir: &Path) -> Result<Option<MetaProperties>, DataDirError> {
    let path = dir.join(NAME);
    let Some(text) = durable_file::read(&path)? else { return Ok(None) };
    // A power cut before the first sync leaves a name without content, and nothing else in the folder.
    if text.bytes().all(|byte| byte == 0) {
        return Ok(None);
    }
    let damaged = |what: &str| DataDirError::Damaged { path: path.clone(), what: what.to_owned() };
    let properties = parse(&text);
    match properties.get("version") {
        Some(&"1") => {}
        Some(version) => {
            return Err(DataDirError::OtherFormat { path: path.clone(), version: (*version).to_owned() });
        }
        None => return Err(damaged("it has no version")),
    }
    let cluster_id = properties.get("cluster.id").ok_or_else(|| damaged("it has no cluster.id"))?;
    let node_id = properties
        .get("node.id")
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| damaged("it has no node.id that is a number"))?;
    let directory_id = match properties.get("directory.id") {
        None => None,
        Some(text) => Some(kafka_id::decode(text).ok_or_else(|| damaged("its directory.id is not an id"))?),
    };
    Ok(Some(MetaProperties { cluster_id: (*cluster_id).to_owned(), node_id, directory_id }))
}

/// Stores the identity; durable after [`sync`].
pub(super) fn write(dir: &Path, properties: &MetaProperties) -> Result<(), DataDirError> {
    let mut text =
        format!("version=1\ncluster.id={}\nnode.id={}\n", escape(&properties.cluster_id), properties.node_id);
    if let Some(id) = properties.directory_id {
        text.push_str(&format!("directory.id={}\n", kafka_id::encode(id)));
    }
    durable_file::replace_unsynced(dir, NAME, text.as_bytes())
}

/// Waits until the identity survives a power cut.
pub(super) fn sync(dir: &Path) -> Result<(), DataDirError> {
    durable_file::sync(dir, NAME)
}

/// `key=value` lines; comments and everything else are left out. Kafka writes ids and numbers only, which need
/// none of the escapes that Java's format has.
fn parse(text: &str) -> HashMap<&str, &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with(['#', '!']))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect()
}

/// A configured id is one line, whatever was configured.
fn escape(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}
