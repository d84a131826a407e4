//! franz-go, through the program of `clients/go`, which .ci/run builds.

use integration_tests::{
    Daybook,
    tools::{find, run},
};
use std::process::Command;

#[test]
fn franz_go_round_trip() {
    let Some(program) = find("go_client") else { return };
    let daybook = Daybook::start(&[]);
    let printed = run(Command::new(program).arg(daybook.bootstrap()));
    assert!(printed.ends_with("ok\n"), "{printed}");
}
