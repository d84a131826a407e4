//! The binary from outside: starting, stopping, refusing with one sentence, and never touching what is not ours.
//!
//! This being an integration test of the package also makes `cargo test --workspace` build `target/…/daybook`,
//! which the tests of `integration-tests` run.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A clean stop takes less than this (the promise is a second; a loaded machine gets some more).
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// The command with an empty environment of settings and its own working folder.
fn daybook(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daybook"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KAFKA_")) {
        command.env_remove(name);
    }
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The arguments of a broker on a free port with its data in this folder.
fn settings(data: &Path) -> Vec<String> {
    overrides(&["listeners=PLAINTEXT://127.0.0.1:0", &format!("log.dirs={}", data.display())])
}

fn overrides(pairs: &[&str]) -> Vec<String> {
    pairs.iter().flat_map(|pair| ["--override".to_owned(), pair.to_string()]).collect()
}

/// A broker that serves; its banner was read up to the last line that tests need.
struct Running {
    child: Child,
    banner: String,
    addresses: Vec<SocketAddr>,
}

impl Running {
    fn start(mut command: Command, listeners: usize) -> Running {
        let mut child = command.spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (mut banner, mut addresses) = (String::new(), Vec::new());
        while addresses.len() < listeners || !banner.contains("stop with") {
            let Some(line) = lines.next() else {
                let mut errors = String::new();
                child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
                panic!("it ended:\n{banner}{errors}");
            };
            let line = line.expect("text");
            if let Some((_, address)) = line.split_once("listening on ") {
                addresses.push(address.trim().parse().expect("an address"));
            }
            banner.push_str(&line);
            banner.push('\n');
        }
        // What else it prints must not block it.
        thread::spawn(move || lines.for_each(drop));
        Running { child, banner, addresses }
    }

    /// Sends a signal; returns the exit code and how long it took.
    fn end(mut self, signal: &str) -> (Option<i32>, Duration) {
        let sent_at = Instant::now();
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
        let status = self.child.wait().expect("our child");
        (status.code(), sent_at.elapsed())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command that must refuse: exit code 1 and one sentence, which is returned.
fn refusal(folder: &Path, arguments: &[String]) -> String {
    let Output { status, stderr, .. } = daybook(folder).args(arguments).output().expect("the binary starts");
    let printed = String::from_utf8(stderr).expect("text");
    assert_eq!(status.code(), Some(1), "{arguments:?}: {printed}");
    let sentences: Vec<_> = printed.lines().filter(|line| line.starts_with("daybook: ")).collect();
    assert_eq!(sentences.len(), 1, "one sentence: {printed}");
    assert!(!printed.contains("panicked"), "{printed}");
    sentences[0].to_owned()
}

fn empty() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Names and contents of everything below a folder.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.push((path.clone(), fs::read(&path).expect("readable")));
        }
    }
    all.sort();
    all
}

#[test]
fn the_banner_tells_addresses_folder_version_and_how_to_stop() {
    let folder = empty();
    let mut command = daybook(folder.path());
    command.args(settings(folder.path()));
    let running = Running::start(command, 1);
    for part in [env!("CARGO_PKG_VERSION"), &folder.path().display().to_string(), "Ctrl-C"] {
        assert!(running.banner.contains(part), "{part} in {}", running.banner);
    }
    TcpStream::connect(running.addresses[0]).expect("it listens");
}

/// Clean on both signals, in under a second, with the mark of a clean shutdown; data is there at the next start.
#[test]
fn sigterm_and_sigint_stop_cleanly() {
    let folder = empty();
    for signal in ["-TERM", "-INT"] {
        let mut command = daybook(folder.path());
        command.args(settings(folder.path()));
        let running = Running::start(command, 1);
        // An open connection and half a frame must not hold it up.
        let mut open = TcpStream::connect(running.addresses[0]).expect("it listens");
        open.write_all(&[0, 0, 1]).expect("open");
        let (code, took) = running.end(signal);
        assert_eq!(code, Some(0), "{signal}");
        assert!(took < STOP_WITHIN, "{signal} took {took:?}");
        assert!(folder.path().join(".kafka_cleanshutdown").exists(), "{signal}");
    }
}

/// Without any setting: `./daybook-data` on the loopback addresses, port 9092 (only where nobody has that port).
#[test]
fn no_setting_is_needed() {
    if TcpListener::bind("127.0.0.1:9092").is_err() || TcpListener::bind("[::1]:9092").is_err() {
        eprintln!("SKIPPED: no_setting_is_needed: port 9092 is taken, or there is no IPv6");
        return;
    }
    let folder = empty();
    let running = Running::start(daybook(folder.path()), 2);
    let expected: Vec<SocketAddr> =
        ["127.0.0.1:9092", "[::1]:9092"].iter().map(|text| text.parse().expect("an address")).collect();
    assert_eq!(running.addresses, expected);
    assert!(folder.path().join("daybook-data/meta.properties").exists());
}

/// The subcommand `start` and a file; the command line is stronger than the environment, and that than the file.
#[test]
fn settings_come_from_command_line_environment_and_file() {
    let folder = empty();
    let file = folder.path().join("server.properties");
    let from_file = folder.path().join("from-file");
    let text = format!("# a comment\nlisteners=PLAINTEXT://127.0.0.1:0\nlog.dirs={}\n", from_file.display());
    fs::write(&file, text).expect("ours");
    Running::start(
        {
            let mut command = daybook(folder.path());
            command.arg("start").arg(&file);
            command
        },
        1,
    );
    assert!(from_file.join("meta.properties").exists());

    let from_environment = folder.path().join("from-environment");
    Running::start(
        {
            let mut command = daybook(folder.path());
            command.arg(&file).env("KAFKA_LOG_DIRS", &from_environment);
            command
        },
        1,
    );
    assert!(from_environment.join("meta.properties").exists());

    let from_line = folder.path().join("from-line");
    Running::start(
        {
            let mut command = daybook(folder.path());
            command.arg(&file).env("KAFKA_LOG_DIRS", &from_environment);
            command.args(overrides(&[&format!("log.dirs={}", from_line.display())]));
            command
        },
        1,
    );
    assert!(from_line.join("meta.properties").exists());
}

/// A bad value names the setting, the value and what is allowed; nothing is made.
#[test]
fn a_bad_value_is_one_sentence_and_touches_nothing() {
    let folder = empty();
    let data = folder.path().join("data");
    for (pair, parts) in [
        ("num.partitions=abc", &["num.partitions", "abc"][..]),
        ("num.partitions=0", &["num.partitions", "0"]),
        ("node.id=-5", &["node.id", "-5"]),
        ("auto.create.topics.enable=yes", &["auto.create.topics.enable", "yes", "true"]),
        ("compression.type=lzma", &["compression.type", "lzma", "zstd"]),
        ("listeners=nonsense", &["listeners", "nonsense"]),
    ] {
        let mut arguments = settings(&data);
        arguments.extend(overrides(&[pair]));
        let sentence = refusal(folder.path(), &arguments);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{pair}: {sentence}");
    }
    let sentence = refusal(folder.path(), &["nowhere.properties".to_owned()]);
    assert!(sentence.contains("nowhere.properties"), "{sentence}");
    assert!(!data.exists());
}

/// An unknown setting is a warning with the nearest known name, and the broker starts.
#[test]
fn an_unknown_setting_is_a_warning() {
    let folder = empty();
    let mut command = daybook(folder.path());
    command.args(settings(folder.path())).args(overrides(&["num.partition=3"]));
    let mut running = Running::start(command, 1);
    let mut errors = running.child.stderr.take().expect("piped");
    let _ = running.child.kill();
    let mut printed = String::new();
    errors.read_to_string(&mut printed).expect("text");
    let printed = printed + &running.banner;
    assert!(printed.contains("num.partition") && printed.contains("num.partitions"), "{printed}");
}

/// Nobody must believe to be protected: settings that ask for what is not there stop the start.
#[test]
fn a_setting_that_asks_for_missing_protection_stops_the_start() {
    let folder = empty();
    let data = folder.path().join("data");
    for pairs in [
        &["listeners=SSL://127.0.0.1:0"][..],
        &["listeners=SASL_PLAINTEXT://127.0.0.1:0"],
        &["listeners=A://127.0.0.1:0", "listener.security.protocol.map=A:SASL_SSL"],
        &["authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer"],
        &["delegation.token.secret.key=secret"],
    ] {
        let mut arguments = settings(&data);
        arguments.extend(overrides(pairs));
        let sentence = refusal(folder.path(), &arguments);
        assert!(!sentence.contains("secret\""), "{sentence}");
    }
    assert!(!data.exists());
}

/// LOG-17: one folder belongs to one running broker; the second one says so and leaves it alone.
#[test]
fn a_folder_in_use_is_refused() {
    let folder = empty();
    let mut command = daybook(folder.path());
    command.args(settings(folder.path()));
    let running = Running::start(command, 1);
    let sentence = refusal(folder.path(), &settings(folder.path()));
    assert!(
        sentence.contains("in use") && sentence.contains(&folder.path().display().to_string()),
        "{sentence}"
    );
    TcpStream::connect(running.addresses[0]).expect("the first one serves on");
}

/// LOG-17: a folder of another node or cluster, or of a newer format, is refused with both values, and untouched.
#[test]
fn a_folder_of_somebody_else_is_refused_and_untouched() {
    let folder = empty();
    let mut command = daybook(folder.path());
    command.args(settings(folder.path()));
    Running::start(command, 1).end("-TERM");
    let before = contents(folder.path());
    for (pair, parts) in [
        ("node.id=7", &["node", "1", "7"][..]),
        ("cluster.id=MkU3OEVBNTcwNTJENDM2Qk", &["cluster", "MkU3OEVBNTcwNTJENDM2Qk"]),
    ] {
        let mut arguments = settings(folder.path());
        arguments.extend(overrides(&[pair]));
        let sentence = refusal(folder.path(), &arguments);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
        assert_eq!(contents(folder.path()), before, "{pair}");
    }
    let properties = folder.path().join("meta.properties");
    let newer = fs::read_to_string(&properties).expect("text").replace("version=1", "version=2");
    fs::write(&properties, newer).expect("ours");
    let before = contents(folder.path());
    let sentence = refusal(folder.path(), &settings(folder.path()));
    assert!(sentence.contains("version"), "{sentence}");
    assert_eq!(contents(folder.path()), before);
}

/// A folder that cannot be written is one sentence with its name.
#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let folder = empty();
    let file = folder.path().join("a-file");
    fs::write(&file, "").expect("ours");
    let sentence = refusal(folder.path(), &settings(&file.join("data")));
    assert!(sentence.contains("a-file"), "{sentence}");
}

/// A port in use is one sentence that names the address; the data folder is not made.
#[test]
fn a_port_in_use_is_refused() {
    let folder = empty();
    let data = folder.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    let arguments =
        overrides(&[&format!("listeners=PLAINTEXT://{address}"), &format!("log.dirs={}", data.display())]);
    let sentence = refusal(folder.path(), &arguments);
    assert!(sentence.contains(&address), "{sentence}");
    assert!(!data.exists());
}

#[test]
fn help_and_version_are_printed() {
    let folder = empty();
    for (argument, part) in [("--help", "--override"), ("--version", env!("CARGO_PKG_VERSION"))] {
        let output = daybook(folder.path()).arg(argument).output().expect("the binary starts");
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains(part), "{argument}");
    }
}

/// A command that does not exist is told, with exit code 2 as command lines do.
#[test]
fn an_unknown_argument_is_refused() {
    let folder = empty();
    let output = daybook(folder.path()).arg("--no-such-option").output().expect("the binary starts");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-such-option"));
    assert!(contents(folder.path()).is_empty());
}
