//! What a process has used, as the kernel counts it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long the threads of a process ran, and how long they could have run but had to wait for their core.
#[derive(Clone, Copy, Default)]
pub struct Time {
    /// On the core, user and system together.
    pub ran: Duration,
    /// In the queue before it: the neighbours' time.
    pub waited: Duration,
}

/// The time of each thread of a process until some moment.
pub struct Threads(HashMap<OsString, Time>);

/// The threads of a process now.
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
    /// What the threads used since an earlier moment. One that has ended in between takes its time with it.
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
