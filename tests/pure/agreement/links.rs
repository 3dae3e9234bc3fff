//! Compares the links in the documentation with the files.

use std::fs;
use std::path::Path;

use portcullis_testing::repository::{files, read, root};

/// The documents outside `docs/`.
const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Every relative link leads to an existing file or folder. Links to other sites and to headings of the same page are
/// not checked.
#[test]
fn links_lead_to_files() {
    let in_docs = files("docs").into_iter().filter(|file| file.ends_with(".md"));
    let documents: Vec<String> = DOCUMENTS.map(str::to_owned).into_iter().chain(in_docs).collect();
    let mut broken = Vec::new();
    for document in &documents {
        let folder = root().join(document).parent().expect("a file is in a folder").to_owned();
        let text = read(document);
        let lost = links(&text).filter(|link| !leads_somewhere(&folder, link));
        broken.extend(lost.map(|link| format!("{document}: {link}")));
    }
    assert!(broken.is_empty(), "links lead nowhere:\n{}", broken.join("\n"));
}

/// The targets of all links `[words](target)` in a text that are paths.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets
        .filter(|target| !target.contains("://") && !target.starts_with('#') && !target.contains(char::is_whitespace))
}

fn leads_somewhere(folder: &Path, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    fs::exists(folder.join(path)).unwrap_or_default()
}
