//! More partitions with data than the system allows open files.

use super::{Bench, process, within};
use integration_tests::{Daybook, batch::Batch, verbs::fetch_request};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

const ALLOWED_FILES: usize = 1024;
const CONNECTIONS: usize = 300;

/// Writes and reads 2,000 partitions with 1,024 files allowed, before and after a crash.
pub fn few(bench: &Bench) -> Result<(), String> {
    let partitions = if bench.brief { 1200 } else { 2000 };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut daybook = Daybook::start_binary(limited(bench, folder.path().join("daybook"))?, &[]);
    daybook.connect().create_topic("t", partitions, &[]);
    let mut connection = daybook.connect();
    for round in 0..2 {
        for index in 0..partitions {
            assert_eq!(connection.produce("t", index, &Batch::of(&["x"])), round, "partition {index}");
        }
    }
    let mut others: Vec<_> = (0..CONNECTIONS).map(|_| daybook.connect()).collect();
    others.iter_mut().for_each(|other| drop(other.all_topics()));
    all_readable(&daybook, partitions)?;
    let open = process::open_files(daybook.pid());
    drop(others);
    daybook.kill9();
    daybook.start_again();
    all_readable(&daybook, partitions)?;
    println!(
        "files: {partitions} partitions with data and {CONNECTIONS} connections, before and after kill -9"
    );
    within("files: open", open as f64, ALLOWED_FILES as f64, "files")
}

/// One fetch of everything, so that every partition is looked at in the same moment.
fn all_readable(daybook: &Daybook, partitions: i32) -> Result<(), String> {
    let wanted: Vec<_> = (0..partitions).map(|index| (index, 0)).collect();
    let answer = daybook.connect().ask(12, &fetch_request("t", &wanted));
    let read = answer.responses.iter().flat_map(|topic| &topic.partitions);
    let good =
        read.filter(|data| data.error_code == 0 && data.records.as_ref().is_some_and(|r| !r.is_empty()));
    match good.count() {
        all if all == partitions as usize => Ok(()),
        some => Err(format!("{some} of {partitions} partitions could be read")),
    }
}

/// A script that starts the binary with few files allowed.
fn limited(bench: &Bench, script: PathBuf) -> Result<PathBuf, String> {
    let text = format!("#!/bin/sh\nulimit -n {ALLOWED_FILES}\nexec '{}' \"$@\"\n", bench.binary.display());
    let failed = |error: std::io::Error| error.to_string();
    fs::write(&script, text).map_err(failed)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    Ok(script)
}
