//! The CRDs of OpenReports, from its Go module.

use super::assets::{Lack, assets, needing};
use super::module::{self, crds_in, manifests};
use libtest_mimic::Trial;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The Go module of the API, its version, and its checksum according to Go.
const PINNED: (&str, &str, &str) =
    ("github.com/openreports/reports-api", "0.2.1", "h1:g9KS3yle9Y1elmww4TK9EkD1rl6inIaiIJPX6e+u680=");

/// A trial that needs these CRDs and a control plane.
pub fn on_openreports(name: &str, test: fn()) -> Trial {
    needing(name, || folder().err().or_else(|| assets().err()), test)
}

/// The CRDs of Report and ClusterReport.
pub fn openreports_crds() -> Vec<Value> {
    let folder = folder().unwrap_or_else(|lack| panic!("{lack}")).join("config/crd");
    manifests(&folder).into_iter().flat_map(|(file, text)| crds_in(&file, &text)).collect()
}

/// The folder of the module, which is fetched once per process.
fn folder() -> Result<PathBuf, Lack> {
    static FOLDER: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let (module, version, sum) = PINNED;
    FOLDER.get_or_init(|| module::fetch(module, version, sum)).clone()
}
