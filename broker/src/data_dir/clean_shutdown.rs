//! `.kafka_cleanshutdown`: there when the last process closed everything properly (KIP-966).

use super::{DataDirError, durable_file};
use std::path::Path;

const NAME: &str = ".kafka_cleanshutdown";

/// The broker epoch in the note. An unreadable note counts: only its presence says "clean".
pub(super) fn read(dir: &Path) -> Result<Option<i64>, DataDirError> {
    let Some(text) = durable_file::read(&dir.join(NAME))? else { return Ok(None) };
    let epoch =
        serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|note| note["brokerEpoch"].as_i64());
    Ok(Some(epoch.unwrap_or(-1)))
}

/// Takes the note away for good.
pub(super) fn remove(dir: &Path) -> Result<(), DataDirError> {
    durable_file::remove(dir, NAME)
}

/// Leaves the note; durable when this returns.
pub(super) fn write(dir: &Path, broker_epoch: i64) -> Result<(), DataDirError> {
    let note = format!(r#"{{"version":0,"brokerEpoch":{broker_epoch}}}"#);
    durable_file::replace(dir, NAME, note.as_bytes())
}
