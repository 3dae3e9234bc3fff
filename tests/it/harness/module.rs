//! Fetches files from Go modules by version and checksum when a trial needs them.

use super::assets::Lack;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Locates a module with Go, which fetches it unless it is in the cache. Returns its folder. A module with another
/// checksum is an error.
pub fn fetch(module: &str, version: &str, sum: &str) -> Result<PathBuf, Lack> {
    let module = format!("{module}@v{version}");
    // The temporary folder has no go.mod nearby that could affect the result.
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json", &module]).current_dir(env::temp_dir()).env("GOWORK", "off");
    let output = go.output().map_err(|_| Lack::GoForModules)?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let folder = answer["Dir"].as_str().map(PathBuf::from).or_else(|| unpacked(&answer, &module));
    match (folder, &answer["Sum"]) {
        (Some(folder), Value::String(found)) if found == sum => Ok(folder),
        (Some(_), found) => Err(Lack::Module(format!("{module} has the checksum {found}, pinned is {sum}"))),
        _ => {
            let message = answer["Error"].as_str().map_or_else(|| String::from_utf8_lossy(&output.stderr), Into::into);
            Err(Lack::Module(format!("{module}: {message}")))
        }
    }
}

/// The folder of a module that requires a newer Go. Go unpacks it beside the others, but reports an error instead of the folder.
fn unpacked(answer: &Value, module: &str) -> Option<PathBuf> {
    let (cache, _) = answer["Zip"].as_str()?.split_once("/cache/download/")?;
    Some(Path::new(cache).join(module)).filter(|folder| folder.is_dir())
}

/// The path and the text of every `.yaml` file below a folder, sorted by path.
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

/// The CustomResourceDefinitions in a file.
pub fn crds_in(file: &Path, text: &str) -> Vec<Value> {
    let documents =
        serde_saphyr::from_multiple::<Value>(text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    documents.into_iter().filter(|document| document["kind"] == "CustomResourceDefinition").collect()
}
