//! A server under measurement: a process of its own, so that its CPU time is its own, on a core of its own.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tempfile::NamedTempFile;

/// The core that servers run on.
pub const SERVER_CORE: usize = 0;
/// The core that the load comes from.
pub const LOAD_CORE: usize = 1;
/// Between two looks at the log of a server that starts.
const PAUSE: Duration = Duration::from_millis(5);

/// A running server, ended when it is dropped.
pub struct Server {
    child: Child,
    /// Where it takes reviews.
    pub webhook: SocketAddr,
    /// Where it shows its health and its metrics, if it does.
    pub health: Option<SocketAddr>,
}

/// The log line that says where a server listens.
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

/// Says where this process listens, in the words of the product's own log.
pub fn announce(webhook: SocketAddr) {
    eprintln!(r#"{{"fields":{{"message":"serving","webhook":"{webhook}"}}}}"#);
}

impl Server {
    /// Starts a command and waits until its log says where it listens.
    pub fn start(mut command: Command) -> Result<Self> {
        // A file, since nobody has to be woken to read it.
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

    /// The id of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn serving(child: &mut Child, log: &mut impl BufRead) -> Result<(SocketAddr, Option<SocketAddr>)> {
    let mut seen = String::new();
    loop {
        let begin = seen.rfind('\n').map_or(0, |end| end + 1);
        // What was written before the end is read after it is known.
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

/// A command that runs on one core, where the machine has two and `taskset`.
pub fn on_core(core: usize, program: impl AsRef<OsStr>) -> Command {
    if !*PINNED {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &core.to_string()]).arg(program);
    command
}

/// Whether servers and load have a core each.
pub static PINNED: LazyLock<bool> = LazyLock::new(|| {
    let cores = format!("{SERVER_CORE},{LOAD_CORE}");
    let tried = Command::new("taskset").args(["--cpu-list", &cores, "true"]).stderr(Stdio::null()).status();
    let enough = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > LOAD_CORE);
    enough && tried.is_ok_and(|status| status.success())
});
