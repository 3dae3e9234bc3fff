//! Messages about folders and links.

use std::path::{Path, PathBuf};

use super::kustomization::Kustomization;

/// The maximum number of kustomizations that the message names.
const NAMED: usize = 3;

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
    let mut named: Vec<String> =
        files.filter(|file| Kustomization::is_named(file)).map(|file| file.display().to_string()).collect();
    let all = named.len();
    named.truncate(NAMED);
    let more = if all > NAMED { format!(" and {} more", all - NAMED) } else { String::new() };
    let subject = if all == 1 { "a kustomization is" } else { "kustomizations are" };
    let words = format!(
        "{}{more}: {subject} not built here: patches are skipped, and `namespace:` is not applied; use `lint --kustomize`, \
         or what `kubectl kustomize` prints",
        named.join(", ")
    );
    (all > 0).then_some(words)
}
