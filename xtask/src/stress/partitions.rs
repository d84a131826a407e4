//! Ten thousand partitions: made, restarted, listed.

use super::{Bench, daybook, process, within};
use std::time::Instant;

/// Seconds until a broker with all of them answers again.
const RESTART_SECONDS: f64 = 5.0;
/// Seconds for one Metadata about all of them.
const LIST_SECONDS: f64 = 1.0;

pub fn many(bench: &Bench) -> Result<(), String> {
    let topics = if bench.brief { 2 } else { 10 };
    let mut daybook = daybook(bench, &[]);
    let from = Instant::now();
    let mut connection = daybook.connect();
    for topic in 0..topics {
        connection.create_topic(&format!("t{topic}"), 1000, &[]);
    }
    println!("partitions: {topics}000 made in {:.1} s", from.elapsed().as_secs_f64());

    let mut worst_restart = 0.0_f64;
    for crash in [false, true] {
        if crash {
            daybook.kill9();
        } else {
            daybook.stop();
        }
        let from = Instant::now();
        daybook.start_again();
        daybook.connect().offsets("t0", 999);
        let seconds = from.elapsed().as_secs_f64();
        println!(
            "partitions: back after {} in {seconds:.2} s",
            if crash { "kill -9" } else { "a clean stop" }
        );
        worst_restart = worst_restart.max(seconds);
    }
    let from = Instant::now();
    let listed: usize =
        daybook.connect().all_topics().topics.iter().map(|topic| topic.partitions.len()).sum();
    let list_seconds = from.elapsed().as_secs_f64();
    println!(
        "partitions: {listed} listed; {} open files, {} MiB",
        process::open_files(daybook.pid()),
        daybook.resident_kib() / 1024
    );
    if listed < topics * 1000 {
        return Err(format!("{listed} of {topics}000 partitions are listed"));
    }
    within("partitions: restart", worst_restart, RESTART_SECONDS, "s")?;
    within("partitions: one Metadata about all", list_seconds, LIST_SECONDS, "s")
}
