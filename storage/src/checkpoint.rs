//! The text files that keep offsets across restarts: a version line, a count line, and one line per entry.
//!
//! A file is replaced as a whole, so a crash leaves the old or the new one.

use crate::{
    disk::{Disk, read_whole, replace},
    format::CHECKPOINT_VERSION,
    log::LogError,
};
use std::path::Path;

/// Entries (topic, partition, offset) of a `*-offset-checkpoint` file; none when there is no file.
///
/// # Errors
/// `Damaged` when the file is not a checkpoint; the caller decides whether to go on without it.
pub fn read(disk: &dyn Disk, path: &Path) -> Result<Vec<(String, i32, i64)>, LogError> {
    let Some(lines) = read_lines(disk, path)? else { return Ok(Vec::new()) };
    let parse = |line: &String| {
        let mut fields = line.split_ascii_whitespace();
        let entry = (fields.next()?.to_owned(), fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        fields.next().is_none().then_some(entry)
    };
    lines.iter().map(|line| parse(line).ok_or_else(|| damaged(path, line))).collect()
}

/// Replaces a `*-offset-checkpoint` file.
pub fn write(disk: &dyn Disk, path: &Path, entries: &[(String, i32, i64)]) -> Result<(), LogError> {
    let line = |(topic, partition, offset): &(String, i32, i64)| format!("{topic} {partition} {offset}");
    write_lines(disk, path, entries.iter().map(line).collect())
}

/// The entry lines of a checkpoint; `None` when there is no file.
pub(crate) fn read_lines(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<String>>, LogError> {
    let Some(bytes) = read_whole(disk, path).map_err(|source| LogError::io(path, source))? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged(path, "not text"))?;
    let mut lines = text.lines();
    match lines.next() {
        Some(CHECKPOINT_VERSION) => {}
        other => return Err(damaged(path, &format!("unknown version {other:?}"))),
    }
    let count: Option<usize> = lines.next().and_then(|line| line.trim().parse().ok());
    let entries: Vec<String> = lines.map(str::to_owned).collect();
    match count == Some(entries.len()) {
        true => Ok(Some(entries)),
        false => Err(damaged(path, &format!("{} entries, {count:?} announced", entries.len()))),
    }
}

pub(crate) fn write_lines(disk: &dyn Disk, path: &Path, lines: Vec<String>) -> Result<(), LogError> {
    let mut text = format!("{CHECKPOINT_VERSION}\n{}\n", lines.len());
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    replace(disk, path, text.as_bytes()).map_err(|source| LogError::io(path, source))
}

fn damaged(path: &Path, what: &str) -> LogError {
    LogError::Damaged { path: path.to_owned(), what: format!("not a checkpoint: {what}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn entries_come_back_as_they_were_written() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("recovery-point-offset-checkpoint");
        assert_eq!(read(&RealDisk, &path).expect("no file"), []);
        let entries = [("a-b".to_owned(), 3, 17), ("__consumer_offsets".to_owned(), 0, i64::MAX)];
        write(&RealDisk, &path, &entries).expect("writes");
        assert_eq!(read(&RealDisk, &path).expect("reads"), entries);
        let text = std::fs::read_to_string(&path).expect("reads");
        assert_eq!(text, format!("0\n2\na-b 3 17\n__consumer_offsets 0 {}\n", i64::MAX));
        assert_eq!(RealDisk.list(dir.path()).expect("lists").len(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_no_checkpoint_is_an_error_and_not_a_guess() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("c");
        for text in [
            "",
            "1\n0\n",
            "0\n",
            "0\n2\na 0 1\n",
            "0\n1\na 0\n",
            "0\n1\na 0 x\n",
            "0\n1\na 0 1 2\n",
            "\0\0\0\0",
        ] {
            std::fs::write(&path, text).expect("writes");
            assert!(matches!(read(&RealDisk, &path), Err(LogError::Damaged { .. })), "{text:?}");
        }
    }
}
