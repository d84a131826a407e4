//! The command line: what to do, and the sources of settings.

use crate::{config::Sources, observe::logging::Format};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// What the process is to do.
#[derive(Clone, Debug)]
pub enum Command {
    /// Run a broker.
    Start { sources: Sources, log_format: Format },
}

/// Reads the arguments and the environment of the process. Ends it for `--help`, `--version` and bad arguments.
pub fn parse() -> Command {
    command(CommandLine::parse(), std::env::vars_os())
}

/// A broker that speaks the Kafka protocol.
#[derive(Debug, Parser)]
#[command(name = "daybook", version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
struct CommandLine {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    start: Start,
}

const AFTER_HELP: &str = "\
Settings have Kafka's names. They come, strongest first, from --override, from KAFKA_*
variables (KAFKA_LOG_RETENTION_MS is log.retention.ms) and from FILE. Without any,
Daybook listens on localhost:9092 and keeps its data in ./daybook-data.

Examples:
  daybook
  daybook server.properties
  daybook start --override listeners=PLAINTEXT://:9092 --override num.partitions=3";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a broker; what daybook does without a command
    Start(Start),
}

#[derive(Debug, Args)]
struct Start {
    /// Settings in the form of Kafka's server.properties
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// One setting, stronger than all other sources; can be given several times
    #[arg(long = "override", value_name = "KEY=VALUE", value_parser = key_and_value)]
    overrides: Vec<(String, String)>,
    /// Form of the log on standard error
    #[arg(long, value_enum, env = "DAYBOOK_LOG_FORMAT", default_value_t)]
    log_format: Format,
}

fn command(
    line: CommandLine,
    environment: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
) -> Command {
    let start = match line.verb {
        Some(Verb::Start(start)) => start,
        None => line.start,
    };
    // A variable that is not text is no setting.
    let environment = environment
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let sources = Sources { overrides: start.overrides, environment, file: start.file };
    Command::Start { sources, log_format: start.log_format }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it must be key=value")?;
    match key.trim() {
        "" => Err("it must be key=value".into()),
        key => Ok((key.to_owned(), value.trim().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(arguments: &[&str]) -> (Sources, Format) {
        let line = CommandLine::try_parse_from(arguments).expect("well-formed");
        let Command::Start { sources, log_format } = command(line, [("KAFKA_NODE_ID".into(), "7".into())]);
        (sources, log_format)
    }

    #[test]
    fn without_a_command_a_broker_starts() {
        let (sources, format) = start(&["daybook"]);
        assert_eq!((sources.file, format), (None, Format::Text));
        assert_eq!(sources.environment, [("KAFKA_NODE_ID".to_owned(), "7".to_owned())]);
    }

    #[test]
    fn the_file_and_the_overrides_go_with_and_without_the_command() {
        for arguments in [
            &["daybook", "start", "a.properties", "--override", "x=1", "--override", "y = a=b"][..],
            &["daybook", "--override", "x=1", "a.properties", "--override", "y = a=b"][..],
        ] {
            let (sources, _) = start(arguments);
            assert_eq!(sources.file.as_deref(), Some("a.properties".as_ref()));
            let pairs: Vec<_> =
                sources.overrides.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!(pairs, [("x", "1"), ("y", "a=b")]);
        }
    }

    #[test]
    fn malformed_overrides_are_refused() {
        for text in ["novalue", "=1"] {
            assert!(CommandLine::try_parse_from(["daybook", "--override", text]).is_err(), "{text}");
        }
    }

    #[test]
    fn the_log_can_be_json() {
        assert_eq!(start(&["daybook", "start", "--log-format", "json"]).1, Format::Json);
    }

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        CommandLine::command().debug_assert();
    }
}
