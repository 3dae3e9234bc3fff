//! Charts of Helm.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The file that makes a folder a chart.
pub(super) const FILE: &str = "Chart.yaml";

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    r#type: String,
}

/// Whether a folder is a chart.
pub(super) fn is_chart(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Whether the chart in `folder` is a library, which renders nothing by itself.
pub(super) fn is_library(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    serde_saphyr::from_str::<Document>(&text).is_ok_and(|document| document.r#type == "library")
}
