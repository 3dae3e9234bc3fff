//! A server under measurement. It is a separate process on its own core, so that its CPU time can be measured.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tempfile::NamedTempFile;

/// The core of the servers.
pub const SERVER_CORE: usize = 0;
/// The core of the load generator.
pub const LOAD_CORE: usize = 1;
/// The interval between two reads of the log of a starting server.
const PAUSE: Duration = Duration::from_millis(5);

/// A running server, which is killed when this is dropped.
pub struct Server {
    child: Child,
    /// The webhook address.
    pub webhook: SocketAddr,
    /// The address of health and metrics, if the server has one.
    pub health: Option<SocketAddr>,
}

/// The log line with the addresses of a server.
#[derive(Deserialize)]
struct Line {
    fields: Fields,
}

#[derive(Deserialize)]
struct Fields {
    message: String,
    webhook: Option<SocketAddr>,
    health: Option<SocketAddr>,
}

/// Logs the address of this process in the format of the product's log.
pub fn announce(webhook: SocketAddr) {
    eprintln!(r#"{{"fields":{{"message":"serving","webhook":"{webhook}"}}}}"#);
}

impl Server {
    /// Starts a command and waits until its log contains its address.
    pub fn start(mut command: Command) -> Result<Self> {
        // A file rather than a pipe, since a write to it wakes no reader.
        let log = NamedTempFile::new()?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.reopen()?).spawn()?;
        match serving(&mut child, &mut BufReader::new(log)) {
            Ok((webhook, health)) => Ok(Self { child, webhook, health }),
            Err(why) => {
                child.kill()?;
                child.wait()?;
                Err(why).with_context(|| format!("{command:?}"))
            }
        }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Errors are ignored, since the process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn serving(child: &mut Child, log: &mut impl BufRead) -> Result<(SocketAddr, Option<SocketAddr>)> {
    let mut seen = String::new();
    loop {
        let begin = seen.rfind('\n').map_or(0, |end| end + 1);
        // Whether the process has ended is determined first, so that everything that it wrote is read afterwards.
        let has_ended = child.try_wait()?.is_some();
        log.read_line(&mut seen)?;
        if !seen.ends_with('\n') {
            ensure!(!has_ended, "it ended before it served:\n{seen}");
            std::thread::sleep(PAUSE);
            continue;
        }
        let Ok(Line { fields }) = serde_json::from_str(&seen[begin..]) else { continue };
        if let ("serving", Some(webhook)) = (fields.message.as_str(), fields.webhook) {
            return Ok((webhook, fields.health));
        }
    }
}

/// A command that runs on one core, if the machine has two cores and `taskset`.
pub fn on_core(core: usize, program: impl AsRef<OsStr>) -> Command {
    if !*PINNED {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &core.to_string()]).arg(program);
    command
}

/// Whether the servers and the load generator each have a core.
pub static PINNED: LazyLock<bool> = LazyLock::new(|| {
    let cores = format!("{SERVER_CORE},{LOAD_CORE}");
    let tried = Command::new("taskset").args(["--cpu-list", &cores, "true"]).stderr(Stdio::null()).status();
    let enough = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > LOAD_CORE);
    enough && tried.is_ok_and(|status| status.success())
});
