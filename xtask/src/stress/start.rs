//! Starting: how soon the first Metadata is answered, and what an idle broker holds.

use super::{Bench, daybook, within, within_time};
use integration_tests::Connection;
use kafka_protocol::messages::MetadataRequest;
use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Milliseconds from the start of the process on an empty folder to its first answer.
const FIRST_ANSWER_MS: f64 = 10.0;
/// Memory of a broker that serves and has nothing to do.
const IDLE_MIB: f64 = 8.0;

pub fn first_answer(bench: &Bench) -> Result<(), String> {
    let runs = if bench.brief { 10 } else { 50 };
    let mut times: Vec<f64> = (0..runs).map(|_| start_once(bench)).collect::<Result<_, _>>()?;
    times.sort_by(f64::total_cmp);
    println!("start: best {:.1} ms, worst {:.1} ms of {runs}", times[0], times[runs - 1]);
    if bench.brief {
        // Other work on the machine may slow most starts, not all.
        return within_time(bench, "start: first Metadata, best", times[0], FIRST_ANSWER_MS, "ms");
    }
    within_time(bench, "start: first Metadata, median", times[runs / 2], FIRST_ANSWER_MS, "ms")
}

/// One start; milliseconds.
fn start_once(bench: &Bench) -> Result<f64, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let address = free_address();
    let mut command = Command::new(&bench.binary);
    command
        .args(["--override", &format!("listeners=PLAINTEXT://{address}")])
        .args(["--override", &format!("log.dirs={}", folder.path().display())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started_at = Instant::now();
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let answered = wait_for_answer(address, started_at);
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    answered
}

fn wait_for_answer(address: SocketAddr, started_at: Instant) -> Result<f64, String> {
    while TcpStream::connect(address).is_err() {
        if started_at.elapsed() > Duration::from_secs(10) {
            return Err("not listening after ten seconds".to_owned());
        }
        thread::sleep(Duration::from_micros(100));
    }
    let request = MetadataRequest::default().with_topics(Some(Vec::new()));
    Connection::open(address).ask(12, &request);
    Ok(started_at.elapsed().as_secs_f64() * 1000.0)
}

/// A port that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound")
}

pub fn idle_memory(bench: &Bench) -> Result<(), String> {
    let daybook = daybook(bench, &[]);
    daybook.connect().all_topics();
    within("idle: memory", daybook.resident_kib() as f64 / 1024.0, IDLE_MIB, "MiB")
}
