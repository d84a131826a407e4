//! The project's chores; `cargo xtask` lists them.

mod cargo;
mod image;
mod stress;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask image              build the image `daybook:latest` (static binary, FROM scratch)
cargo xtask static-binary      build that binary and lay out the image's files; prints their folder
cargo xtask stress [NAME..] [--brief]
                               measure the release binary: start idle connections partitions files parked slow kill
                               (all of them without a name; --brief: smaller, for every change)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.split_first() {
        Some((&"image", [])) => image::build(),
        Some((&"static-binary", [])) => image::lay_out().map(|folder| println!("{}", folder.display())),
        Some((&"stress", names)) => stress::run(names),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprint!("{reason}");
            if !reason.ends_with('\n') {
                eprintln!();
            }
            ExitCode::FAILURE
        }
    }
}
