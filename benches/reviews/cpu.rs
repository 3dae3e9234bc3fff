//! What a process has used, as the kernel counts it.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// The time that the threads of a process have run, user and system together. A thread that has ended is not counted.
pub fn run_time(pid: u32) -> Result<Duration> {
    let mut total = Duration::ZERO;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let statistics = fs::read_to_string(thread?.path().join("schedstat"))?;
        let running = statistics.split_ascii_whitespace().next().context("an empty schedstat")?;
        total += Duration::from_nanos(running.parse()?);
    }
    Ok(total)
}

/// The memory of a process that is resident now, in bytes.
pub fn resident(pid: u32) -> Result<u64> {
    status(pid, "VmRSS:")
}

/// The most memory of a process that ever was resident, in bytes.
pub fn most_resident(pid: u32) -> Result<u64> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).with_context(|| format!("no {field}"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes << 10)
}
