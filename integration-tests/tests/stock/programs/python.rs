//! kafka-python and confluent-kafka, through one script each (`clients/python`).

use integration_tests::{
    Daybook,
    tools::{find, run, skipped},
};
use std::{path::Path, process::Command};

/// Runs a script of `clients/python`, if Python has the module that it imports.
fn script(name: &str, module: &str) {
    let Some(python) = find("python3") else { return };
    let has_module = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if !has_module.is_ok_and(|output| output.status.success()) {
        return skipped(&format!("{} has no module {module} (.ci/run installs it)", python.display()));
    }
    let daybook = Daybook::start(&[]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/python").join(name);
    let printed = run(Command::new(&python).arg(path).arg(daybook.bootstrap()));
    assert!(printed.ends_with("ok\n"), "{printed}");
}

#[test]
fn kafka_python_round_trip() {
    script("kafka_python.py", "kafka");
}

#[test]
fn confluent_kafka_round_trip() {
    script("confluent.py", "confluent_kafka");
}
