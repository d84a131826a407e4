//! The command line; everything else is the library's.

use broker::{cli, config, observe::logging, open_files, server::Server};
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

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
    open_files::take_what_is_allowed();
    let filter = std::env::var("RUST_LOG").ok();
    let levels = logging::start(log_format, filter.as_deref())?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("daybook")
        .build()
        .map_err(|error| format!("The threads cannot be started: {error}."))?;
    let outcome = runtime.block_on(serve(loaded, levels));
    // Everything is closed; what still runs on a blocking thread has nobody left to answer.
    runtime.shutdown_background();
    outcome
}

/// Runs until SIGTERM or SIGINT (then it stops cleanly, or at once when told again), or until the broker cannot go on.
async fn serve(loaded: config::Loaded, levels: logging::LogLevels) -> Result<(), String> {
    let no_signal = |error| format!("Signals cannot be received: {error}.");
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signal)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signal)?;
    let server = Server::start(loaded, levels).await?;
    print!("{}", banner(&server));
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        why = server.failed() => return Err(why),
    }
    tokio::select! {
        stopped = server.stop() => stopped,
        _ = terminate.recv() => Err(STOPPED_AT_ONCE.into()),
        _ = interrupt.recv() => Err(STOPPED_AT_ONCE.into()),
    }
}

const STOPPED_AT_ONCE: &str =
    "Told to stop twice: stopped before everything was closed; the next start checks the logs.";

fn banner(server: &Server) -> String {
    let mut banner = format!("Daybook {}\n", env!("CARGO_PKG_VERSION"));
    for address in server.addresses() {
        banner.push_str(&format!("listening on {address}\n"));
    }
    banner.push_str(&format!("data in {}\n", server.data_folder().display()));
    banner.push_str("stop with Ctrl-C\n");
    banner
}
