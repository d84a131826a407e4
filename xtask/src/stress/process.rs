//! What the system says about a running process (Linux).

use std::fs;

/// Ticks of CPU time, a hundredth of a second each, that a process has used.
pub fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a live process");
    // The name may hold spaces; fields are counted behind it. utime and stime are the 14th and 15th of all.
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a name in brackets").split_whitespace().collect();
    [11, 12].map(|index| fields[index].parse::<u64>().expect("a number")).iter().sum()
}

/// How many files and sockets a process has open.
pub fn open_files(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).expect("a live process").count()
}
