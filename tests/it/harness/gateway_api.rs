//! The upstream files of the Gateway API: the CRDs of each bundle and the example manifests, from the Go module.

use super::assets::{Lack, assets, needing};
use super::module::{self, crds_in, manifests};
use libtest_mimic::Trial;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// One bundle of each release line that the tests compare with, oldest first, with the checksum of the module according
/// to Go.
const PINNED: [(&str, &str); 4] = [
    ("1.4.1", "h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8="),
    ("1.5.1", "h1:RqVRIlkhLhUO8wOHKTLnTJA6o/1un4po4/6M1nRzdd0="),
    ("1.6.3", "h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc="),
    ("1.7.0", "h1:duVnm7nO6oXfMMUWfcDoBph47CYR/ME3NGxccOVglaY="),
];

/// How many of the bundles the trials with an API server use. Of 1.7.0 only the fields are compared, because no check has its new rules:
/// for retries in the standard channel, renamed fields of sessions, and filters of listeners.
const USED: usize = 3;

const MODULE: &str = "sigs.k8s.io/gateway-api";

/// The module of the conformance suite, its version, which is also that of `tests/conformance`, and its checksum.
const SUITE: (&str, &str, &str) =
    ("sigs.k8s.io/gateway-api/conformance", "1.6.3", "h1:UxhSb1GrDsyl+PdKe3g8a/BFWgP6hzy2PPFmZRgqeMQ=");

/// The newest bundle that the trials with an API server use.
pub const NEWEST: &str = PINNED[USED - 1].0;

/// The versions of the bundles that the trials with an API server use, oldest first.
pub fn versions() -> impl Iterator<Item = &'static str> {
    pinned_versions().take(USED)
}

/// The versions of the pinned bundles, oldest first.
pub fn pinned_versions() -> impl Iterator<Item = &'static str> {
    PINNED.iter().map(|(version, _)| *version)
}

/// The channel of a bundle. The experimental channel contains everything in the standard channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Standard,
    Experimental,
}

impl Channel {
    /// The name of the channel's folder, which is also the value of the channel annotation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Experimental => "experimental",
        }
    }
}

/// A trial that reads upstream files. It is ignored without Go, but fails then with `CI=true`.
pub fn on_gateway_api(name: &str, test: fn()) -> Trial {
    needing(name, lack, test)
}

/// A trial that reads the conformance suite, with the same conditions.
pub fn on_conformance_suite(name: &str, test: fn()) -> Trial {
    needing(name, || suite().err(), test)
}

/// A trial that needs a control plane and the upstream CRDs.
pub fn on_gateway_cluster(name: &str, test: fn()) -> Trial {
    needing(name, || lack().or_else(|| assets().err()), test)
}

/// The CustomResourceDefinitions of a pinned bundle, in the order of their files.
pub fn crds(version: &str, channel: Channel) -> Vec<Value> {
    let files = manifests(&folder(version).join("config/crd").join(channel.name()));
    files.iter().flat_map(|(file, text)| crds_in(file, text)).collect()
}

/// The upstream example manifests of a pinned bundle: the path of each file relative to `examples/`, and its text.
pub fn examples(version: &str) -> Vec<(PathBuf, String)> {
    let root = folder(version).join("examples");
    let below =
        |file: PathBuf| file.strip_prefix(&root).expect("a file is below the folder it was found in").to_owned();
    manifests(&root).into_iter().map(|(file, text)| (below(file), text)).collect()
}

/// The texts of the Go files that name the features of a pinned release.
pub fn feature_files(version: &str) -> Vec<String> {
    texts(&folder(version).join("pkg/features"), "go")
}

/// The texts of the tests of the conformance suite.
pub fn conformance_tests() -> Vec<String> {
    texts(&suite().unwrap_or_else(|why| panic!("{why}")).join("tests"), "go")
}

/// A manifest of the conformance suite, by its path.
pub fn conformance_manifest(path: &str) -> String {
    let file = suite().unwrap_or_else(|why| panic!("{why}")).join(path);
    fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

/// The texts of the files in a folder whose names have this ending, ordered by name.
fn texts(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a module's folder can be read").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
        .collect()
}

/// The folder of the conformance suite, which is fetched once per process.
fn suite() -> Result<&'static Path, Lack> {
    static FOLDER: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let (module, version, sum) = SUITE;
    FOLDER.get_or_init(|| module::fetch(module, version, sum)).as_deref().map_err(Lack::clone)
}

/// Why the bundles are not available, if they are not.
pub fn lack() -> Option<Lack> {
    folders().err()
}

fn folder(version: &str) -> &'static Path {
    let folders = folders().unwrap_or_else(|why| panic!("{why}"));
    let index = PINNED.iter().position(|(pinned, _)| *pinned == version);
    &folders[index.unwrap_or_else(|| panic!("no bundle {version} is pinned"))]
}

/// The folder of each pinned module, which is fetched once per process.
fn folders() -> Result<&'static [PathBuf], Lack> {
    static FOLDERS: OnceLock<Result<Vec<PathBuf>, Lack>> = OnceLock::new();
    let fetched =
        FOLDERS.get_or_init(|| PINNED.iter().map(|(version, sum)| module::fetch(MODULE, version, sum)).collect());
    fetched.as_deref().map_err(Lack::clone)
}
