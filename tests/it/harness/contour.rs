//! The CRDs for delegation: ours for the kinds that upstream abandoned, and Contour's for the current ones.

use super::assets::{Lack, assets, needing};
use super::cert_manager;
use super::gateway_api;
use super::module::{self, crds_in, manifests};
use libtest_mimic::Trial;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Contour's Go module, its version, and its checksum according to Go.
const PINNED: (&str, &str, &str) =
    ("github.com/projectcontour/contour", "1.33.6", "h1:ccFUkaEpFr6QOyHjYBUYs3ZP0Kj+JMUa7yk4CwgWPOg=");

/// A trial that needs a control plane and Contour's CRDs.
pub fn on_contour_cluster(name: &str, test: fn()) -> Trial {
    needing(name, || folder().err().or_else(|| assets().err()), test)
}

/// A trial that needs a control plane and the CRDs of all kinds that checks read.
pub fn on_full_cluster(name: &str, test: fn()) -> Trial {
    let lack = || gateway_api::lack().or_else(lack).or_else(cert_manager::lack).or_else(|| assets().err());
    needing(name, lack, test)
}

/// The CRDs of IngressRoute and its TLSCertificateDelegation from this repository, and those of HTTPProxy and its
/// TLSCertificateDelegation from Contour.
pub fn delegation_crds() -> Vec<Value> {
    let mut crds = own();
    crds.extend(theirs());
    crds
}

/// A trial that reads files of Contour. It is ignored without Go, but fails then with `CI=true`.
pub fn on_contour(name: &str, test: fn()) -> Trial {
    needing(name, || folder().err(), test)
}

/// A trial that reads files of Contour and of the Gateway API, with the same conditions.
pub fn on_contour_and_gateway_api(name: &str, test: fn()) -> Trial {
    needing(name, || gateway_api::lack().or_else(lack), test)
}

/// Contour's example manifests: the path of each file relative to the module, and its text.
pub fn contour_examples() -> Vec<(PathBuf, String)> {
    let root = folder().unwrap_or_else(|why| panic!("{why}"));
    let folders = ["examples/example-workload", "site/content/examples"].into_iter();
    let files = folders.flat_map(|folder| manifests(&root.join(folder)));
    let below = |file: PathBuf| file.strip_prefix(root).expect("a file is below the folder it was found in").to_owned();
    files.map(|(file, text)| (below(file), text)).collect()
}

fn own() -> Vec<Value> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/crds");
    manifests(&ours).iter().flat_map(|(file, text)| crds_in(file, text)).collect()
}

fn theirs() -> impl Iterator<Item = Value> {
    let file = folder().unwrap_or_else(|why| panic!("{why}")).join("examples/contour/01-crds.yaml");
    let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let wanted = ["HTTPProxy", "TLSCertificateDelegation"];
    crds_in(&file, &text).into_iter().filter(move |crd| wanted.iter().any(|kind| crd["spec"]["names"]["kind"] == *kind))
}

/// Why the module is not available, if it is not.
pub fn lack() -> Option<Lack> {
    folder().err()
}

/// The folder of the module, which is fetched once per process.
fn folder() -> Result<&'static Path, Lack> {
    static FOLDER: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let (module, version, sum) = PINNED;
    FOLDER.get_or_init(|| module::fetch(module, version, sum)).as_deref().map_err(Lack::clone)
}
