//! Finds kube-apiserver, etcd and kubectl: in `KUBEBUILDER_ASSETS`, or in `target/control-plane`, where they are built
//! once if necessary, as other programs are in folders of their own.

use super::process_guard::process_guard;
use libtest_mimic::{Completion, Failed, Trial};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, OnceLock};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A trial that needs the control plane. It is ignored if the control plane is neither available nor can be built, but
/// fails with `CI=true`.
pub fn on_cluster(name: &str, test: fn()) -> Trial {
    needing(name, || assets().err(), test)
}

/// A trial that is ignored, with one line that says why, if its prerequisites are missing because Go, libfaketime or Python's venv is
/// missing. It fails with `CI=true` without Go or venv.
pub(super) fn needing(name: &str, lack: fn() -> Option<Lack>, test: fn()) -> Trial {
    Trial::ignorable_test(name, move || match lack() {
        None => {
            test();
            Ok(Completion::Completed)
        }
        Some(lack) if lack.may_be_ignored() => {
            static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            let line = format!("trials are ignored: {lack}");
            if REPORTED.lock().expect("no holder panics").insert(line.clone()) {
                eprintln!("{line}");
            }
            Ok(Completion::ignored())
        }
        Some(lack) => Err(Failed::from(lack)),
    })
}

/// Why the control plane, Helm or third-party CRDs are not available.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Lack {
    #[error("for a control plane, install Go 1.26 or set KUBEBUILDER_ASSETS")]
    Go,
    #[error("for the CRDs and schemas that come in Go modules, install Go 1.26")]
    GoForModules,
    #[error("for Helm, install Go 1.26")]
    GoForHelm,
    #[error("for promtool, install Go 1.26")]
    GoForPromtool,
    #[error("for pre-commit, install python3-venv")]
    Venv,
    #[error("for wrong clocks, install libfaketime")]
    Faketime,
    #[error("tests/{0}/build.sh: {1}")]
    Build(&'static str, String),
    #[error("go mod download: {0}")]
    Module(String),
}

impl Lack {
    fn may_be_ignored(&self) -> bool {
        match self {
            Self::Go | Self::GoForModules | Self::GoForHelm | Self::GoForPromtool | Self::Venv => {
                env::var("CI").as_deref() != Ok("true")
            }
            Self::Faketime => true,
            Self::Build(..) | Self::Module(_) => false,
        }
    }
}

/// The folder with the three programs, which is found or built once per process.
pub fn assets() -> Result<&'static Path, Lack> {
    static ASSETS: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let control_plane = GoPrograms {
        name: "control-plane",
        contents: "kube-apiserver, etcd and kubectl",
        version: pinned_version,
        without_go: Lack::Go,
    };
    let found = || env::var_os("KUBEBUILDER_ASSETS").map_or_else(|| control_plane.folder(), |ready| Ok(ready.into()));
    ASSETS.get_or_init(found).as_deref().map_err(Lack::clone)
}

/// The Kubernetes version that the control plane's go.mod requires, such as `v1.37.1`.
fn pinned_version() -> String {
    let go_mod =
        fs::read_to_string(Path::new(HERE).join("tests/control-plane/go.mod")).expect("go.mod is in the repository");
    let mut requirements = go_mod.lines().filter_map(|line| line.trim().strip_prefix("k8s.io/kubernetes v"));
    let version = requirements.next().and_then(|rest| rest.split_whitespace().next());
    format!("v{}", version.expect("go.mod requires k8s.io/kubernetes"))
}

/// Programs that a script builds with Go from pinned modules.
pub(super) struct GoPrograms {
    /// The folder of the script below `tests`, and of the programs below `target`.
    pub name: &'static str,
    /// The names of the programs, for people.
    pub contents: &'static str,
    /// The content of the file `version`, which the script writes last.
    pub version: fn() -> String,
    /// What is missing without Go.
    pub without_go: Lack,
}

impl GoPrograms {
    /// The folder with the programs, which are built if the folder does not contain them in their pinned version.
    pub(super) fn folder(&self) -> Result<PathBuf, Lack> {
        let built = self.place();
        if self.is_current(&built) { Ok(built) } else { self.build(&built) }
    }

    /// Whether the programs need not be built.
    pub(super) fn is_built(&self) -> bool {
        self.is_current(&self.place())
    }

    /// The folder of the programs, whether or not they are built.
    fn place(&self) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| Path::new(HERE).join("target"), |dir| Path::new(HERE).join(dir));
        target.join(self.name)
    }

    /// Whether the folder contains a complete build of the currently pinned version.
    fn is_current(&self, built: &Path) -> bool {
        fs::read_to_string(built.join("version")).is_ok_and(|version| version.trim() == (self.version)().trim())
    }

    /// Builds under a lock, so that a concurrent test process finds the finished build.
    fn build(&self, into: &Path) -> Result<PathBuf, Lack> {
        Command::new("go").arg("version").output().map_err(|_| self.without_go.clone())?;
        fs::create_dir_all(into).map_err(|why| self.failed(why))?;
        let lock = File::create(into.with_extension("lock")).map_err(|why| self.failed(why))?;
        lock.lock().map_err(|why| self.failed(why))?;
        if !self.is_current(into) {
            eprintln!("building {} into {}: minutes the first time", self.contents, into.display());
            self.run_build_script(into)?;
        }
        Ok(into.to_owned())
    }

    fn run_build_script(&self, into: &Path) -> Result<(), Lack> {
        let mut script = process_guard().command(Path::new(HERE).join("tests").join(self.name).join("build.sh"));
        // Go finds its caches and proxies by environment variables, so only this child inherits the developer's
        // environment.
        let output = script.arg(into).envs(env::vars_os()).output().map_err(|why| self.failed(why))?;
        if output.status.success() { Ok(()) } else { Err(self.failed(String::from_utf8_lossy(&output.stderr))) }
    }

    fn failed(&self, why: impl ToString) -> Lack {
        Lack::Build(self.name, why.to_string())
    }
}

/// A command of one of the control plane's programs, under the process guard.
pub(super) fn program(name: &str) -> Command {
    let folder = assets().unwrap_or_else(|lack| panic!("{lack}"));
    let mut command = process_guard().command(folder.join(name));
    // Collecting garbage less often saves a fifth of the CPU time that an API server takes to start and to serve CRDs.
    command.env("GOGC", "400");
    command
}

/// Starts a command that writes into this log.
pub(super) fn spawn(mut command: Command, log: PathBuf) -> Child {
    let log = File::create(log).expect("our folder is writable");
    command.stdout(log.try_clone().expect("a file handle can be duplicated")).stderr(log);
    command.spawn().unwrap_or_else(|why| panic!("{command:?}: {why}"))
}
