//! Calling cargo and other programs, and where the workspace lies.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}

/// cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// Runs cargo in the workspace.
pub fn cargo<A: AsRef<OsStr>>(arguments: &[A], environment: &[(&str, &OsStr)]) -> Result<(), String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(workspace()).args(arguments).envs(environment.iter().copied());
    run(&mut command)
}

/// Builds the release binary; its path. `DAYBOOK_BINARY` names one that is there.
pub fn release_binary() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("DAYBOOK_BINARY") {
        return Ok(named.into());
    }
    cargo(&["build", "--release", "--package", "broker"], &[])?;
    Ok(target().join("release/daybook"))
}

pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if status.success() { Ok(()) } else { Err(format!("{:?} ended with {status}", command.get_program())) }
}
