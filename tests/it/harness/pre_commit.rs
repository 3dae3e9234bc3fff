//! pre-commit, which is installed once from PyPI.

use super::assets::{Lack, assets, needing};
use super::process_guard::process_guard;
use libtest_mimic::Trial;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A trial that needs pre-commit and the programs of the control plane. It is ignored without Python's venv, but fails then with `CI=true`.
pub fn on_pre_commit(name: &str, test: fn()) -> Trial {
    needing(name, || installed().err().or_else(|| assets().err()), test)
}

/// The program.
pub fn pre_commit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/pre-commit/bin/pre-commit")
}

fn installed() -> Result<(), Lack> {
    static INSTALLED: OnceLock<Result<(), Lack>> = OnceLock::new();
    INSTALLED.get_or_init(install).clone()
}

fn install() -> Result<(), Lack> {
    let failed = |why: String| Lack::Build("pre-commit", why);
    let venv = Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
    if !venv.is_ok_and(|output| output.status.success()) {
        return Err(Lack::Venv);
    }
    let mut script = process_guard().command(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pre-commit/build.sh"));
    // pip finds its index and certificates by environment variables, so this child inherits the developer's environment.
    let output = script.envs(env::vars_os()).output().map_err(|why| failed(why.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&output.stderr).into_owned())) }
}
