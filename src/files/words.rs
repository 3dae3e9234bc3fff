//! Messages about folders and links.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::kustomization::Kustomization;

/// The maximum number of files that a message names.
const NAMED: usize = 3;

/// The first files, and the number of the others.
pub fn some_of(files: &[impl Display]) -> String {
    let named: Vec<String> = files.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if files.len() > NAMED { format!(" and {} more", files.len() - NAMED) } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The message about a root without a file that is named like a manifest.
pub(super) fn no_files(root: &Path) -> String {
    format!("{}: no file with the extension yaml, yml or json", root.display())
}

/// The message about a root whose files contain no manifest.
pub(super) fn no_manifests(root: &Path) -> String {
    format!("{}: no manifest (a document with apiVersion and kind)", root.display())
}

/// The message about the kustomizations among `files`; `None` if there are none.
pub(super) fn kustomized<'f>(files: impl Iterator<Item = &'f PathBuf>) -> Option<String> {
    let named: Vec<_> = files.filter(|file| Kustomization::is_named(file)).map(|file| file.display()).collect();
    let subject = if named.len() == 1 { "a kustomization is" } else { "kustomizations are" };
    let words = format!(
        "{}: {subject} not built here: patches are skipped, and `namespace:` is not applied; use `lint --kustomize`, \
         or what `kubectl kustomize` prints",
        some_of(&named)
    );
    (!named.is_empty()).then_some(words)
}
