//! The container image: one static binary, an empty data folder, nothing else.

use crate::cargo;
use std::{ffi::OsStr, fs, path::PathBuf, process::Command};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const STATIC: &str = "-C target-feature=+crt-static";

/// Builds `daybook:latest` from the Dockerfile at the top.
pub fn build() -> Result<(), String> {
    lay_out()?;
    let mut docker = Command::new("docker");
    docker.current_dir(cargo::workspace()).args(["build", "--tag", "daybook:latest"]);
    // The context is the workspace; `.dockerignore` leaves only what `lay_out` made.
    cargo::run(docker.arg("."))
}

/// Builds the static binary and puts what the Dockerfile copies under `target/image`; that folder.
pub fn lay_out() -> Result<PathBuf, String> {
    let arguments = ["build", "--release", "--package", "broker", "--target", TRIPLE];
    cargo::cargo(&arguments, &[("RUSTFLAGS", OsStr::new(STATIC))])?;
    // In the workspace whatever CARGO_TARGET_DIR says: docker reads only below its context.
    let folder = cargo::workspace().join("target/image");
    // Copied with its owner: a new volume takes owner and mode from it.
    fs::create_dir_all(folder.join("data")).map_err(|error| format!("{}: {error}", folder.display()))?;
    let built = cargo::target().join(TRIPLE).join("release/daybook");
    fs::copy(&built, folder.join("daybook")).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(folder)
}
