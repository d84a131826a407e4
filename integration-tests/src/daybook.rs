//! A Daybook of its own for one test: the binary that users run, on a free port, with an empty folder.

use crate::{Connection, eventually};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A start that takes longer than this on any machine is a failure.
const START_WITHIN: Duration = Duration::from_secs(20);
/// SIGTERM ends the broker in under a second; this leaves room for a loaded machine.
const STOP_WITHIN: Duration = Duration::from_secs(10);
const LISTENING: &str = "listening on ";

/// A running (or stopped, or killed) broker and its folder. Killed when dropped.
pub struct Daybook {
    binary: PathBuf,
    settings: Vec<(String, String)>,
    folder: Folder,
    child: Option<Child>,
    output: Output,
    addresses: Vec<SocketAddr>,
}

enum Folder {
    Temporary(TempDir),
    Kept(PathBuf),
}

/// Everything the process printed so far, and a bell for each new line.
type Output = Arc<(Mutex<String>, Condvar)>;

impl Daybook {
    /// Starts a broker with these settings on top of `listeners=PLAINTEXT://127.0.0.1:0` and an empty folder.
    pub fn start(settings: &[(&str, &str)]) -> Daybook {
        Daybook::start_binary(binary(), settings)
    }

    /// As [`Daybook::start`], with this binary.
    pub fn start_binary(binary: PathBuf, settings: &[(&str, &str)]) -> Daybook {
        let folder = tempfile::Builder::new().prefix("daybook-test-").tempdir().expect("a temporary folder");
        Daybook::launch(binary, Folder::Temporary(folder), settings)
    }

    /// As [`Daybook::start_binary`], in a folder that is the caller's.
    pub fn start_in(binary: PathBuf, folder: &Path, settings: &[(&str, &str)]) -> Daybook {
        Daybook::launch(binary, Folder::Kept(folder.to_owned()), settings)
    }

    fn launch(binary: PathBuf, folder: Folder, settings: &[(&str, &str)]) -> Daybook {
        let mut daybook = Daybook {
            binary,
            settings: settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            folder,
            child: None,
            output: Output::default(),
            addresses: Vec::new(),
        };
        daybook.start_again();
        daybook
    }

    /// Starts the binary again on the same folder and, so that clients find it, the same port.
    pub fn start_again(&mut self) {
        assert!(self.child.is_none(), "already running");
        let mut command = Command::new(&self.binary);
        command.args(self.arguments()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The environment is a source of settings: a test must not depend on the developer's.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KAFKA_"))
        {
            command.env_remove(name);
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.binary.display()));
        let from = self.log().len();
        listen(child.stdout.take().expect("piped"), self.output.clone());
        listen(child.stderr.take().expect("piped"), self.output.clone());
        self.child = Some(child);
        self.addresses = self.wait_until_listening(from);
    }

    fn arguments(&self) -> Vec<OsString> {
        let port = self.addresses.first().map_or(0, SocketAddr::port);
        let mut all = vec![
            ("listeners".to_owned(), format!("PLAINTEXT://127.0.0.1:{port}")),
            ("log.dirs".to_owned(), self.folder().display().to_string()),
        ];
        for (name, value) in &self.settings {
            all.retain(|(known, _)| known != name);
            all.push((name.clone(), value.clone()));
        }
        all.into_iter()
            .flat_map(|(name, value)| ["--override".into(), format!("{name}={value}").into()])
            .collect()
    }

    fn wait_until_listening(&mut self, from: usize) -> Vec<SocketAddr> {
        let deadline = Instant::now() + START_WITHIN;
        let (text, bell) = &*self.output.clone();
        let mut printed = text.lock().expect("no panic while printing");
        loop {
            let found = listening_addresses(&printed[from..]);
            // A banner is written at once, its lines are read one by one: all listeners must have come.
            if found.len() >= self.wanted_listeners() {
                return found;
            }
            let status = self.child.as_mut().expect("just started").try_wait().expect("our child");
            if let Some(status) = status {
                drop(printed);
                panic!("the broker ended with {status} while starting; it printed:\n{}", self.log());
            }
            assert!(Instant::now() < deadline, "not listening within {START_WITHIN:?}; printed:\n{printed}");
            printed =
                bell.wait_timeout(printed, Duration::from_millis(50)).expect("no panic while printing").0;
        }
    }

    fn wanted_listeners(&self) -> usize {
        self.settings
            .iter()
            .find(|(name, _)| name == "listeners")
            .map_or(1, |(_, value)| value.split(',').count())
    }

    /// The first listener's address.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// The addresses of all listeners, in the banner's order.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The first listener's address as clients are configured with it.
    pub fn bootstrap(&self) -> String {
        self.address().to_string()
    }

    /// A connection to the first listener.
    pub fn connect(&self) -> Connection {
        Connection::open(self.address())
    }

    /// The broker's data folder.
    pub fn folder(&self) -> &Path {
        match &self.folder {
            Folder::Temporary(folder) => folder.path(),
            Folder::Kept(folder) => folder,
        }
    }

    /// Everything printed so far, by every process this was.
    pub fn log(&self) -> String {
        self.output.0.lock().expect("no panic while printing").clone()
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("running").id()
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Sends SIGTERM and waits for the end.
    pub fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        let child = self.child.as_mut().expect("running");
        let mut ended = None;
        eventually("stop after SIGTERM", STOP_WITHIN, || {
            ended = child.try_wait().expect("our child");
            ended.is_some()
        });
        self.child = None;
        ended.expect("waited for")
    }

    /// A clean stop and a new start.
    pub fn restart(&mut self) {
        let status = self.stop();
        assert!(status.success(), "a clean stop ends with {status}; printed:\n{}", self.log());
        self.start_again();
    }

    /// Ends the process as a crash would; what it wrote is still in the page cache.
    pub fn kill9(&mut self) {
        let mut child = self.child.take().expect("running");
        child.kill().expect("our child");
        child.wait().expect("our child");
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.pid() as i32).expect("a pid is not 0");
        kill_process(pid, signal).expect("our child");
    }

    /// Memory in use (VmRSS), in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("Linux");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a live process");
        line.split_whitespace().nth(1).expect("VmRSS: N kB").parse().expect("a number")
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| child.try_wait().expect("our child").is_none())
    }
}

impl Drop for Daybook {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if thread::panicking() {
            eprintln!("--- the broker printed:\n{}---", self.log());
        }
    }
}

/// The `daybook` that cargo built beside this test: `target/PROFILE/daybook`. `DAYBOOK_BINARY` names another.
pub fn binary() -> PathBuf {
    if let Some(named) = std::env::var_os("DAYBOOK_BINARY") {
        return named.into();
    }
    let here = std::env::current_exe().expect("a test knows its path");
    let profile =
        here.ancestors().find(|folder| folder.join("deps").is_dir()).expect("cargo's target folder");
    let binary = profile.join("daybook");
    assert!(
        binary.exists(),
        "{} is missing: `cargo test --workspace` builds it, or `cargo build -p broker`",
        binary.display()
    );
    binary
}

fn listening_addresses(printed: &str) -> Vec<SocketAddr> {
    printed
        .lines()
        .filter_map(|line| line.split_once(LISTENING))
        .filter_map(|(_, address)| address.split_whitespace().next()?.parse().ok())
        .collect()
}

/// Reads a pipe to its end in a thread of its own, so that the broker never blocks on it.
fn listen(pipe: impl Read + Send + 'static, output: Output) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n') {
            let Ok(line) = line else { return };
            let (text, bell) = &*output;
            let mut text = text.lock().expect("no panic while printing");
            text.push_str(&String::from_utf8_lossy(&line));
            text.push('\n');
            bell.notify_all();
        }
    });
}
