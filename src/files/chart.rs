//! Charts of Helm.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file that makes a folder a chart.
pub(super) const FILE: &str = "Chart.yaml";

/// What Helm reads of a chart, beside the files of values.
const INPUTS: [&str; 7] = [FILE, "Chart.lock", "charts", "crds", "requirements.lock", "requirements.yaml", "templates"];

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    r#type: String,
}

/// Whether a folder is a chart.
pub(super) fn is_chart(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// The files and folders of a chart from which Helm renders it. Others beside them are manifests as elsewhere.
pub(super) fn inputs(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_input = |name: &str| INPUTS.contains(&name) || name.starts_with("values");
    entries.filter(move |entry| entry.file_name().to_str().is_some_and(is_input)).map(|entry| entry.path())
}

/// Whether the chart in `folder` is a library, which renders nothing by itself.
pub(super) fn is_library(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    serde_saphyr::from_str::<Document>(&text).is_ok_and(|document| document.r#type == "library")
}
