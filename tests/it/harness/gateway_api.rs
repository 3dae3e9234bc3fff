//! The Gateway API as upstream ships it: the CRDs of each bundle and its example manifests, out of the Go module.

use super::assets::{Lack, assets, needing};
use libtest_mimic::Trial;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// One bundle of each release line that a test holds us against, oldest first, with the checksum that Go gives the module.
const PINNED: [(&str, &str); 3] = [
    ("1.4.1", "h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8="),
    ("1.5.1", "h1:RqVRIlkhLhUO8wOHKTLnTJA6o/1un4po4/6M1nRzdd0="),
    ("1.6.3", "h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc="),
];

/// The newest bundle that is pinned.
pub const NEWEST: &str = PINNED[PINNED.len() - 1].0;

/// The versions of the bundles that are pinned, oldest first.
pub fn versions() -> impl Iterator<Item = &'static str> {
    PINNED.iter().map(|(version, _)| *version)
}

/// The channel of a bundle; the experimental one holds all that the standard one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Standard,
    Experimental,
}

impl Channel {
    /// The name of its folder and of its annotation's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Experimental => "experimental",
        }
    }
}

/// A trial that reads upstream's files: ignored without Go, but failing then with `CI=true`.
pub fn on_gateway_api(name: &str, story: fn()) -> Trial {
    needing(name, || folders().err(), story)
}

/// A trial that needs both a control plane and upstream's CRDs.
pub fn on_gateway_cluster(name: &str, story: fn()) -> Trial {
    needing(name, || folders().err().or_else(|| assets().err()), story)
}

/// The CustomResourceDefinitions of a pinned bundle, in the order of their files.
pub fn crds(version: &str, channel: Channel) -> Vec<Value> {
    let files = manifests(&folder(version).join("config/crd").join(channel.name()));
    let documents = files.iter().flat_map(|(file, text)| {
        serde_saphyr::from_multiple::<Value>(text).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
    });
    documents.filter(|document| document["kind"] == "CustomResourceDefinition").collect()
}

/// Upstream's example manifests of a pinned bundle: each file's path below `examples/` and its text.
pub fn examples(version: &str) -> Vec<(PathBuf, String)> {
    let root = folder(version).join("examples");
    let below =
        |file: PathBuf| file.strip_prefix(&root).expect("a file is below the folder it was found in").to_owned();
    manifests(&root).into_iter().map(|(file, text)| (below(file), text)).collect()
}

/// Every `.yaml` below a folder with its text, by path.
fn manifests(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a module's folder can be read").path()).collect();
    paths.sort();
    let below = paths.into_iter().flat_map(|path| match path.extension() {
        _ if path.is_dir() => manifests(&path),
        Some(extension) if extension == "yaml" => {
            let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            vec![(path, text)]
        }
        _ => Vec::new(),
    });
    below.collect()
}

fn folder(version: &str) -> &'static Path {
    let folders = folders().unwrap_or_else(|why| panic!("{why}"));
    let index = PINNED.iter().position(|(pinned, _)| *pinned == version);
    &folders[index.unwrap_or_else(|| panic!("no bundle {version} is pinned"))]
}

/// The folder of each pinned module, fetched once in a process.
fn folders() -> Result<&'static [PathBuf], Lack> {
    static FOLDERS: OnceLock<Result<Vec<PathBuf>, Lack>> = OnceLock::new();
    let fetched = FOLDERS.get_or_init(|| PINNED.iter().map(|(version, sum)| fetch(version, sum)).collect());
    fetched.as_deref().map_err(Lack::clone)
}

/// Asks Go for the module, which it has in its cache or fetches; other bytes than the pinned ones are refused.
fn fetch(version: &str, sum: &str) -> Result<PathBuf, Lack> {
    let module = format!("sigs.k8s.io/gateway-api@v{version}");
    // No go.mod is near the temporary folder, so that none decides what is fetched.
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json", &module]).current_dir(env::temp_dir()).env("GOWORK", "off");
    let output = go.output().map_err(|_| Lack::GoForModules)?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    match (&answer["Dir"], &answer["Sum"]) {
        (Value::String(folder), Value::String(found)) if found == sum => Ok(folder.into()),
        (Value::String(_), found) => Err(Lack::Module(format!("{module} has the checksum {found}, pinned is {sum}"))),
        _ => {
            let said = answer["Error"].as_str().map_or_else(|| String::from_utf8_lossy(&output.stderr), Into::into);
            Err(Lack::Module(format!("{module}: {said}")))
        }
    }
}
