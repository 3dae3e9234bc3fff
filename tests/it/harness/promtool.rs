//! promtool, which checks and tests alerts. It takes minutes to build, so a trial uses it only where it is built already.

use super::assets::{GoPrograms, Lack};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The program, if `tests/promtool/build.sh` has built it; it is built here with `PORTCULLIS_SLOW=1`.
pub fn promtool() -> Result<Option<PathBuf>, Lack> {
    let programs =
        GoPrograms { name: "promtool", contents: "promtool", version: pinned, without_go: Lack::GoForPromtool };
    let is_wanted = programs.is_built() || env::var_os("PORTCULLIS_SLOW").is_some();
    is_wanted.then(|| Ok(programs.folder()?.join("promtool"))).transpose()
}

/// The text of go.mod, of which the build script keeps a copy.
fn pinned() -> String {
    let go_mod = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promtool/go.mod");
    fs::read_to_string(go_mod).expect("go.mod is in the repository")
}
