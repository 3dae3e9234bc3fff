//! What others ship in their Go modules: fetched when a trial asks, by version and checksum.

use super::assets::Lack;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Asks Go for a module, which it has in its cache or fetches, and says where it lies; other bytes than the pinned ones are refused.
pub fn fetch(module: &str, version: &str, sum: &str) -> Result<PathBuf, Lack> {
    let module = format!("{module}@v{version}");
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

/// Every `.yaml` below a folder with its text, by path.
pub fn manifests(folder: &Path) -> Vec<(PathBuf, String)> {
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

/// The CustomResourceDefinitions among the documents of a file.
pub fn crds_in(file: &Path, text: &str) -> Vec<Value> {
    let documents =
        serde_saphyr::from_multiple::<Value>(text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    documents.into_iter().filter(|document| document["kind"] == "CustomResourceDefinition").collect()
}
