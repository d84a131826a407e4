//! Connections that do nothing, wait, or misbehave: what they cost.

use super::{Bench, daybook, process, within, within_time};
use integration_tests::{
    Connection, Daybook,
    batch::Batch,
    connection::Next,
    verbs::{fetch_request, produce_request},
};
use kafka_protocol::messages::{FetchRequest, MetadataRequest};
use std::{
    io::Write,
    thread,
    time::{Duration, Instant},
};

/// Memory that a thousand idle connections may cost.
const THOUSAND_IDLE_MIB: f64 = 30.0;
/// CPU that a thousand parked fetches may use, in hundredths of one core.
const PARKED_CPU_PERCENT: f64 = 2.0;
/// From an append to the answer of a fetch that waited for it, the first of a crowd that is woken as well.
const WAKE_MS: f64 = 20.0;
/// The same, alone; the best of many.
const WAKE_ALONE_MS: f64 = 1.0;
/// What misbehaving clients may add to the broker's memory.
const SLOW_CLIENTS_MIB: f64 = 64.0;

fn mib(daybook: &Daybook) -> f64 {
    daybook.resident_kib() as f64 / 1024.0
}

/// A thousand clients that asked once and stay.
pub fn idle(bench: &Bench) -> Result<(), String> {
    let daybook = daybook(bench, &[]);
    let before = mib(&daybook);
    let mut connections: Vec<_> = (0..1000).map(|_| daybook.connect()).collect();
    for connection in &mut connections {
        connection.ask(12, &MetadataRequest::default().with_topics(Some(Vec::new())));
    }
    let result = within("connections: 1,000 idle ones", mib(&daybook) - before, THOUSAND_IDLE_MIB, "MiB");
    println!("connections: {} open files", process::open_files(daybook.pid()));
    result
}

/// Fetches that wait use no CPU, and an append wakes them at once.
pub fn parked(bench: &Bench) -> Result<(), String> {
    let count = if bench.brief { 200 } else { 1000 };
    let daybook = daybook(bench, &[]);
    daybook.connect().create_topic("t", 1, &[]);
    let mut waiting: Vec<_> = (0..count).map(|_| daybook.connect()).collect();
    for connection in &mut waiting {
        connection.send(12, &fetch_request("t", &[(0, 0)]).with_max_wait_ms(60_000));
    }
    thread::sleep(Duration::from_millis(500));
    let (before, from) = (process::cpu_ticks(daybook.pid()), Instant::now());
    thread::sleep(Duration::from_secs(3));
    let used = (process::cpu_ticks(daybook.pid()) - before) as f64 / from.elapsed().as_secs_f64();
    let cpu =
        within_time(bench, &format!("parked: CPU of {count} waiting fetches"), used, PARKED_CPU_PERCENT, "%");

    let appended_at = Instant::now();
    daybook.connect().produce("t", 0, &Batch::of(&["x"]));
    waiting[0].answer::<FetchRequest>(12);
    let wake = within_time(
        bench,
        "parked: from append to answer",
        appended_at.elapsed().as_secs_f64() * 1000.0,
        WAKE_MS,
        "ms",
    );
    for connection in &mut waiting[1..] {
        connection.answer::<FetchRequest>(12);
    }
    println!("parked: all {count} answered after {:.1} ms", appended_at.elapsed().as_secs_f64() * 1000.0);
    cpu.and(wake).and(parked_alone(bench, &daybook))
}

/// One fetch that waits, and one producer on a connection that is open.
fn parked_alone(bench: &Bench, daybook: &Daybook) -> Result<(), String> {
    daybook.connect().create_topic("alone", 1, &[]);
    let (mut consumer, mut producer) = (daybook.connect(), daybook.connect());
    let mut times: Vec<f64> = (0..100)
        .map(|offset| {
            consumer.send(12, &fetch_request("alone", &[(0, offset)]).with_max_wait_ms(60_000));
            // Long enough for the fetch to be parked on any machine that is not overloaded.
            thread::sleep(Duration::from_millis(2));
            let appended_at = Instant::now();
            producer.produce("alone", 0, &Batch::of(&["x"]));
            consumer.answer::<FetchRequest>(12);
            appended_at.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("parked: alone, from append to answer: median {:.3} ms", times[times.len() / 2]);
    within_time(bench, "parked: alone, best", times[0], WAKE_ALONE_MS, "ms")
}

/// A slow reader, clients that never read their answers, and halves of frames.
pub fn slow(bench: &Bench) -> Result<(), String> {
    let daybook = daybook(bench, &[]);
    fill(&daybook);
    let before = mib(&daybook);
    let count = if bench.brief { 20 } else { 200 };
    let mut deaf: Vec<_> = (0..count).map(|_| ask_and_never_read(&daybook)).collect();
    let mut halves: Vec<_> = (0..20).map(|_| half_a_frame(&daybook)).collect();
    // Whoever reads slowly gets everything in the end.
    let mut reader = daybook.connect();
    reader.send(12, &fetch_everything());
    thread::sleep(Duration::from_secs(2));
    let grown = mib(&daybook) - before;
    let Next::Frame(answer) = reader.next(Duration::from_secs(5)) else {
        return Err("the slow reader got no answer".to_owned());
    };
    println!("slow: {count} deaf clients, 20 halves of frames; a slow reader got {} bytes", answer.len());
    daybook.connect().all_topics();
    deaf.clear();
    halves.clear();
    within("slow: memory", grown, SLOW_CLIENTS_MIB, "MiB")
}

/// Fifty megabytes in one partition.
fn fill(daybook: &Daybook) {
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let large = Batch::of(&["x".repeat(900_000).as_str()]);
    for _ in 0..56 {
        connection.produce("t", 0, &large);
    }
}

/// Asks for the whole topic again and again, as far as the sockets take it, and reads nothing.
fn ask_and_never_read(daybook: &Daybook) -> Connection {
    let mut connection = daybook.connect();
    for _ in 0..20 {
        connection.send(12, &fetch_everything());
    }
    connection
}

/// Fifty megabytes in one answer.
fn fetch_everything() -> FetchRequest {
    let mut request = fetch_request("t", &[(0, 0)]);
    request.topics[0].partitions[0].partition_max_bytes = 50 << 20;
    request
}

/// The length of a large frame, and a small part of it.
fn half_a_frame(daybook: &Daybook) -> Connection {
    let connection = daybook.connect();
    let whole = connection.frame(
        9,
        &produce_request("t", 0, Batch::of(&["x".repeat(900_000).as_str()]).encode(), -1),
        1,
    );
    connection.stream().write_all(&whole[..whole.len() / 2]).expect("open");
    connection
}
