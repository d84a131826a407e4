//! `kill -9`, again and again, under load: the crash test of `integration-tests`, longer and on the release binary.

use super::Bench;
use crate::cargo;
use std::ffi::OsStr;

pub fn rounds(bench: &Bench) -> Result<(), String> {
    let rounds = if bench.brief { "10" } else { "50" };
    println!("kill: {rounds} rounds");
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "integration-tests",
        "--test",
        "crash",
        "--",
        "--nocapture",
        "nothing_acknowledged_is_lost_by_kill_9",
    ];
    let mut environment =
        vec![("DAYBOOK_KILL_ROUNDS", OsStr::new(rounds)), ("DAYBOOK_BINARY", bench.binary.as_os_str())];
    if !bench.brief {
        // A measurement has the machine for itself.
        environment.push(("DAYBOOK_SERVING_WITHIN_MS", OsStr::new("1000")));
    }
    cargo::cargo(&arguments, &environment)
}
