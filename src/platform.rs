//! What Unix has and Windows has not, and what takes its place there. Portcullis serves on Linux; for other systems, releases contain it
//! for the commands over files.

pub use system::*;

#[cfg(unix)]
mod system {
    use std::fs::OpenOptions;
    use std::io;
    use std::os::unix::fs::OpenOptionsExt;
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};
    pub use tokio::signal::unix::{Signal as Interrupt, Signal as Terminate};
    use tokio::signal::unix::{SignalKind, signal};

    /// Counts the time during which the machine is suspended, unlike `Instant`: a holder that wakes up must see that its time is over.
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;

    /// The time since the machine was started.
    pub fn since_boot() -> Duration {
        Duration::try_from(clock_gettime(CLOCK)).unwrap_or_default()
    }

    /// The CPU time that the current thread has taken.
    pub fn thread_cpu() -> Duration {
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
    }

    /// The name of this machine: in a pod, the name of the pod.
    pub fn host_name() -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    /// Who may read and write a file that `options` create.
    pub fn set_mode(options: &mut OpenOptions, mode: u32) {
        options.mode(mode);
    }

    /// SIGTERM from now on, which then does not kill the process.
    pub fn terminate() -> io::Result<Terminate> {
        signal(SignalKind::terminate())
    }

    /// SIGINT (Ctrl-C) from now on, which then does not kill the process.
    pub fn interrupt() -> io::Result<Interrupt> {
        signal(SignalKind::interrupt())
    }
}

#[cfg(windows)]
mod system {
    use std::fs::OpenOptions;
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    pub use tokio::signal::windows::{
        CtrlBreak as Terminate, CtrlC as Interrupt, ctrl_break as terminate, ctrl_c as interrupt,
    };

    /// The time since the first call. Here, `Instant` counts the time during which the machine is suspended.
    pub fn since_boot() -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        FIRST.elapsed()
    }

    /// The time since the first call, since safe code cannot read the CPU time. A difference is never less than that of the CPU time.
    pub fn thread_cpu() -> Duration {
        since_boot()
    }

    /// The name of this machine.
    pub fn host_name() -> String {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    }

    /// Does nothing: who may read a file follows from its folder.
    pub fn set_mode(_: &mut OpenOptions, _: u32) {}
}
