//! The CRDs of the Prometheus operator.

use super::assets::{Lack, assets, needing};
use super::helm;
use super::module::{self, crds_in, manifests};
use libtest_mimic::Trial;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The Go module of the operator, its version, and its checksum according to Go.
const PINNED: (&str, &str, &str) =
    ("github.com/prometheus-operator/prometheus-operator", "0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=");

/// A trial that needs these CRDs, Helm and a control plane.
pub fn on_prometheus_operator(name: &str, test: fn()) -> Trial {
    needing(name, || folder().err().or_else(helm::lack).or_else(|| assets().err()), test)
}

/// The CRDs of these kinds.
pub fn prometheus_operator_crds(kinds: &[&str]) -> Vec<Value> {
    let folder = folder().unwrap_or_else(|why| panic!("{why}")).join("example/prometheus-operator-crd");
    let crds = manifests(&folder).into_iter().flat_map(|(file, text)| crds_in(&file, &text));
    crds.filter(|crd| kinds.iter().any(|kind| crd["spec"]["names"]["kind"] == *kind)).collect()
}

/// The folder of the module, which is fetched once per process.
fn folder() -> Result<PathBuf, Lack> {
    static FOLDER: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let (module, version, sum) = PINNED;
    FOLDER.get_or_init(|| module::fetch(module, version, sum)).clone()
}
