//! What must stay small, fast and whole, measured on the release binary. Each check prints what it measured.

mod connections;
mod files;
mod kill;
mod partitions;
mod process;
mod start;

use crate::cargo;
use std::path::PathBuf;

/// What a check needs to know.
pub struct Bench {
    /// The release binary.
    pub binary: PathBuf,
    /// Smaller numbers, for every change.
    pub brief: bool,
}

type Check = fn(&Bench) -> Result<(), String>;

const CHECKS: [(&str, Check); 8] = [
    ("start", start::first_answer),
    ("idle", start::idle_memory),
    ("connections", connections::idle),
    ("partitions", partitions::many),
    ("files", files::few),
    ("parked", connections::parked),
    ("slow", connections::slow),
    ("kill", kill::rounds),
];

/// Runs the checks of these names, all without a name.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let (flags, names): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|text| text.starts_with("--"));
    if let Some(unknown) = names.iter().find(|name| !CHECKS.iter().any(|(known, _)| known == *name)) {
        let known: Vec<_> = CHECKS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no check called {unknown}; there are {}", known.join(" ")));
    }
    let bench = Bench { binary: cargo::release_binary()?, brief: flags.contains(&"--brief") };
    let mut failures = Vec::new();
    for (name, check) in CHECKS {
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        if let Err(reason) = check(&bench) {
            println!("{name}: FAILED: {reason}");
            failures.push(name);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join(" "))) }
}

/// Prints a measured value beside its limit, and fails above it.
fn within(what: &str, measured: f64, limit: f64, unit: &str) -> Result<(), String> {
    let line = format!("{what}: {measured:.1} {unit} (at most {limit} {unit})");
    println!("{line}");
    if measured <= limit { Ok(()) } else { Err(line) }
}

/// As [`within`], for times. In brief, a time above its limit is only said: on a machine that is busy with other work
/// it proves nothing.
fn within_time(bench: &Bench, what: &str, measured: f64, limit: f64, unit: &str) -> Result<(), String> {
    match within(what, measured, limit, unit) {
        Err(line) if bench.brief => {
            println!("OVER ITS LIMIT: {line}; run it again on a quiet machine");
            Ok(())
        }
        judged => judged,
    }
}

/// A daybook of the release binary with these settings.
fn daybook(bench: &Bench, settings: &[(&str, &str)]) -> integration_tests::Daybook {
    integration_tests::Daybook::start_binary(bench.binary.clone(), settings)
}
