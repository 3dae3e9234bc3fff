//! The CRD of Certificates, from cert-manager.

use super::assets::Lack;
use super::module::{self, crds_in};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The Go module of cert-manager, its version, and its checksum according to Go.
const PINNED: (&str, &str, &str) =
    ("github.com/cert-manager/cert-manager", "1.21.2", "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=");

/// The CRD of Certificates.
pub fn certificate_crds() -> Vec<Value> {
    let file = folder().unwrap_or_else(|why| panic!("{why}")).join("deploy/crds/cert-manager.io_certificates.yaml");
    let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    crds_in(&file, &text)
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
