//! Where kube-apiserver, etcd and kubectl are: `KUBEBUILDER_ASSETS`, or `target/control-plane`, built once if need be.

use super::process_guard::process_guard;
use libtest_mimic::{Completion, Failed, Trial};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A trial that needs the control plane: ignored where it can be had neither ready-made nor built, but failing there
/// with `CI=true`.
pub fn on_cluster(name: &str, story: fn()) -> Trial {
    needing(name, || assets().err(), story)
}

/// A trial that is ignored where what it needs lacks for want of Go, and fails there with `CI=true`.
pub(super) fn needing(name: &str, lack: fn() -> Option<Lack>, story: fn()) -> Trial {
    Trial::ignorable_test(name, move || match lack() {
        None => {
            story();
            Ok(Completion::Completed)
        }
        Some(lack) if lack.is_of_go() && !env::var("CI").is_ok_and(|ci| ci == "true") => {
            static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            let line = format!("trials are ignored: {lack}");
            if SAID.lock().expect("no holder panics").insert(line.clone()) {
                eprintln!("{line}");
            }
            Ok(Completion::ignored())
        }
        Some(lack) => Err(Failed::from(lack)),
    })
}

/// Why there is no control plane, or why CRDs of others are not to be had.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Lack {
    #[error("for a control plane, install Go 1.26 or set KUBEBUILDER_ASSETS")]
    Go,
    #[error("for the CRDs that come in Go modules, install Go 1.26")]
    GoForModules,
    #[error("tests/control-plane/build.sh: {0}")]
    Build(String),
    #[error("go mod download: {0}")]
    Module(String),
}

impl Lack {
    fn is_of_go(&self) -> bool {
        matches!(self, Self::Go | Self::GoForModules)
    }
}

/// The folder with the three programs; found, or built, once in a process.
pub fn assets() -> Result<&'static Path, Lack> {
    static ASSETS: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    ASSETS.get_or_init(find).as_deref().map_err(Lack::clone)
}

fn find() -> Result<PathBuf, Lack> {
    if let Some(ready) = env::var_os("KUBEBUILDER_ASSETS") {
        return Ok(ready.into());
    }
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| Path::new(HERE).join("target"), |dir| Path::new(HERE).join(dir));
    let built = target.join("control-plane");
    if is_current(&built) { Ok(built) } else { build(&built) }
}

/// Whether what lies there was built, to the end, from the version that is pinned now.
fn is_current(built: &Path) -> bool {
    fs::read_to_string(built.join("version")).is_ok_and(|version| version.trim() == pinned_version())
}

/// The Kubernetes version that the control plane's go.mod asks for, such as `v1.37.1`.
fn pinned_version() -> String {
    let go_mod =
        fs::read_to_string(Path::new(HERE).join("tests/control-plane/go.mod")).expect("go.mod is in the repository");
    let mut requirements = go_mod.lines().filter_map(|line| line.trim().strip_prefix("k8s.io/kubernetes v"));
    let version = requirements.next().and_then(|rest| rest.split_whitespace().next());
    format!("v{}", version.expect("go.mod requires k8s.io/kubernetes"))
}

/// Builds while holding a lock, so that of two test processes the second finds the work done.
fn build(into: &Path) -> Result<PathBuf, Lack> {
    Command::new("go").arg("version").output().map_err(|_| Lack::Go)?;
    let failed = |why: std::io::Error| Lack::Build(why.to_string());
    fs::create_dir_all(into).map_err(failed)?;
    let lock = File::create(into.with_extension("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if !is_current(into) {
        eprintln!("building kube-apiserver, etcd and kubectl into {}: minutes the first time", into.display());
        run_build_script(into)?;
    }
    Ok(into.to_owned())
}

fn run_build_script(into: &Path) -> Result<(), Lack> {
    let mut script = process_guard().command(Path::new(HERE).join("tests/control-plane/build.sh"));
    // Go finds its caches and proxies in the developer's environment; this is the one child that keeps it.
    let output = script.arg(into).envs(env::vars_os()).output().map_err(|why| Lack::Build(why.to_string()))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(Lack::Build(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
