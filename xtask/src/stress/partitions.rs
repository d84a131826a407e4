//! Ten thousand partitions: made, restarted, listed.

use super::{Bench, daybook, process, within_time};
use integration_tests::Daybook;
use std::time::Instant;

/// Seconds until a broker with all of them answers again.
const RESTART_SECONDS: f64 = 5.0;
/// Seconds for one Metadata about all of them.
const LIST_SECONDS: f64 = 1.0;

pub fn many(bench: &Bench) -> Result<(), String> {
    let shapes = if bench.brief { [(1, 2000), (200, 10)] } else { [(1, 10_000), (1000, 10)] };
    shapes.into_iter().try_for_each(|(topics, partitions)| of_shape(bench, topics, partitions))
}

fn of_shape(bench: &Bench, topics: usize, partitions: usize) -> Result<(), String> {
    let mut daybook = daybook(bench, &[]);
    let from = Instant::now();
    let mut connection = daybook.connect();
    for topic in 0..topics {
        connection.create_topic(&format!("t{topic}"), partitions as i32, &[]);
    }
    println!("partitions: {topics} x {partitions} made in {:.1} s", from.elapsed().as_secs_f64());

    let mut worst_restart = 0.0_f64;
    for crash in [false, true] {
        worst_restart = worst_restart.max(restart(&mut daybook, partitions, crash));
    }
    let from = Instant::now();
    let listed: usize =
        daybook.connect().all_topics().topics.iter().map(|topic| topic.partitions.len()).sum();
    let list_seconds = from.elapsed().as_secs_f64();
    println!(
        "partitions: {listed} listed in {list_seconds:.3} s; {} open files, {} MiB",
        process::open_files(daybook.pid()),
        daybook.resident_kib() / 1024
    );
    if listed != topics * partitions {
        return Err(format!("{listed} of {} partitions are listed", topics * partitions));
    }
    within_time(bench, "partitions: restart", worst_restart, RESTART_SECONDS, "s")?;
    within_time(bench, "partitions: one Metadata about all", list_seconds, LIST_SECONDS, "s")
}

/// Seconds until the last partition answers again.
fn restart(daybook: &mut Daybook, partitions: usize, crash: bool) -> f64 {
    if crash {
        daybook.kill9();
    } else {
        daybook.stop();
    }
    let from = Instant::now();
    daybook.start_again();
    daybook.connect().offsets("t0", partitions as i32 - 1);
    let seconds = from.elapsed().as_secs_f64();
    println!("partitions: back after {} in {seconds:.2} s", if crash { "kill -9" } else { "a clean stop" });
    seconds
}
