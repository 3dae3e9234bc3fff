//! Nothing outlives the test process: its child processes and its folder are removed when it ends, even by SIGKILL.
//!
//! All children are started in one process group. A shell in that group, the leader, reads from a pipe whose other end
//! only this process holds. When this process ends, however that happens, the pipe closes and the leader kills its
//! group. A second shell outside the group, the sweeper, reads from a pipe that only the leader holds. When that pipe
//! closes, the children are dead and the sweeper removes their folder.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

static PROCESS_GUARD: OnceLock<ProcessGuard> = OnceLock::new();

/// The guard of this process, which is created on the first call.
pub fn process_guard() -> &'static ProcessGuard {
    PROCESS_GUARD.get_or_init(ProcessGuard::begin)
}

/// Ends the guard of this process, if it was created.
pub fn end() {
    PROCESS_GUARD.get().into_iter().for_each(ProcessGuard::end);
}

/// A process group and a folder that are removed when the process ends.
pub struct ProcessGuard {
    group: i32,
    folder: PathBuf,
    given: AtomicUsize,
    shells: Mutex<Option<[Child; 2]>>,
}

impl ProcessGuard {
    /// Creates the folder and starts the two shells.
    pub fn begin() -> Self {
        let folder = tempfile::Builder::new().prefix("portcullis-it-").tempdir().expect("a temporary folder").keep();
        let mut leader = shell("cat >/dev/null; kill -KILL 0", &[], Stdio::piped(), Stdio::piped());
        let alive = leader.stdout.take().expect("its output is piped");
        let sweeper = shell(r#"cat >/dev/null; rm -rf -- "$1""#, &[folder.as_os_str()], alive.into(), Stdio::null());
        let group = i32::try_from(leader.id()).expect("a process id is an i32");
        Self { group, folder, given: AtomicUsize::default(), shells: Mutex::new(Some([leader, sweeper])) }
    }

    /// A command whose process and descendants end with this process. Its environment contains only `PATH` and a
    /// separate `HOME`, so that no kubeconfig, proxy or cache of the developer is used.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.process_group(self.group).stdin(Stdio::null());
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path))).env("HOME", &self.folder);
        command
    }

    /// A new empty folder below the root folder.
    pub fn folder(&self, name: &str) -> PathBuf {
        let number = self.given.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("{name}-{number}"));
        std::fs::create_dir(&folder).expect("the guard's folder is writable and the number is new");
        folder
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.folder
    }

    /// Closes the pipe, as the end of this process would, and waits until both shells have finished.
    pub fn end(&self) {
        let shells = self.shells.lock().expect("no holder panics").take();
        for mut shell in shells.into_iter().flatten() {
            drop(shell.stdin.take());
            shell.wait().expect("a child of ours can be waited for");
        }
    }
}

/// A shell in its own process group, so that Ctrl-C in the terminal reaches the tests, but not the processes that clean
/// up after them.
fn shell(script: &str, args: &[&OsStr], stdin: Stdio, stdout: Stdio) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).args(args).process_group(0).stdin(stdin).stdout(stdout);
    command.spawn().expect("sh is on the PATH")
}
