//! Clients that are programs: found or, loudly, skipped.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

/// The program's path, or `None` after saying that the test is skipped.
///
/// An environment variable `DAYBOOK_<NAME>` (`DAYBOOK_KCAT`) names one that is not on the path.
pub fn find(program: &str) -> Option<PathBuf> {
    let variable = format!("DAYBOOK_{}", program.to_uppercase());
    let named = std::env::var_os(&variable).map(PathBuf::from);
    let found = named.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
    });
    if found.is_none() {
        skipped(&format!("no {program} on this machine (.ci/run installs it; {variable}=path names one)"));
    }
    found
}

/// Says that the running test did nothing, and why, past the capture of the test runner.
pub fn skipped(reason: &str) {
    use std::io::Write;
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // The runner captures `eprintln!` of a test that passes; a skip must be seen.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}

/// Runs a program to its end and expects success; returns what it printed to stdout.
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Runs a program to its end.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
