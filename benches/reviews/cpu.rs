//! The CPU time and memory of a process, as the kernel counts them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long the threads of a process ran, and how long they were runnable but waited for a core.
#[derive(Clone, Copy, Default)]
pub struct Time {
    /// The time on a core, user and system time together.
    pub ran: Duration,
    /// The time in the run queue, caused by other processes.
    pub waited: Duration,
}

/// The times of all threads of a process at one moment.
pub struct Threads(HashMap<OsString, Time>);

/// The current times of the threads of a process.
pub fn threads(pid: u32) -> Result<Threads> {
    let mut threads = HashMap::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?;
        let statistics = fs::read_to_string(thread.path().join("schedstat"))?;
        let mut nanoseconds = statistics.split_ascii_whitespace().map(str::parse);
        let mut next = || anyhow::Ok(Duration::from_nanos(nanoseconds.next().context("a short schedstat")??));
        threads.insert(thread.file_name(), Time { ran: next()?, waited: next()? });
    }
    Ok(Threads(threads))
}

impl Threads {
    /// The time that the threads used since an earlier moment. The time of a thread that has ended in between is lost.
    pub fn since(&self, before: &Self) -> Time {
        let mut used = Time::default();
        for (id, now) in &self.0 {
            let then = before.0.get(id).copied().unwrap_or_default();
            used.ran += now.ran.saturating_sub(then.ran);
            used.waited += now.waited.saturating_sub(then.waited);
        }
        used
    }
}

/// The current resident memory of a process, in bytes.
pub fn resident(pid: u32) -> Result<u64> {
    status(pid, "VmRSS:")
}

/// The maximum resident memory of a process so far, in bytes.
pub fn most_resident(pid: u32) -> Result<u64> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).with_context(|| format!("no {field}"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes << 10)
}
