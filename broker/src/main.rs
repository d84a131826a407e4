//! The command line; everything else is the library's.

use broker::{cli, config, observe::logging};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("daybook: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: cli::Command) -> Result<(), String> {
    let cli::Command::Start { sources, log_format } = command;
    let loaded = config::load(&sources)?;
    let filter = std::env::var("RUST_LOG").ok();
    let _levels = logging::start(log_format, filter.as_deref())?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("daybook")
        .build()
        .map_err(|error| format!("The threads cannot be started: {error}."))?;
    runtime.block_on(async {
        println!("{:#?}", loaded.config);
    });
    Ok(())
}
