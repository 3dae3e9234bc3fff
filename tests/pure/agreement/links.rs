//! Compares the links in the documentation with the files.

use std::fs;
use std::path::Path;

use portcullis_testing::page::anchor;
use portcullis_testing::repository::{documents, read, root};

/// Every relative link leads to an existing file or folder, and to a heading in it if it names one. Links to other sites are
/// not checked.
#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for document in &documents() {
        let file = root().join(document);
        let text = read(document);
        let lost = links(&text).filter(|link| !leads_somewhere(&file, link));
        broken.extend(lost.map(|link| format!("{document}: {link}")));
    }
    assert!(broken.is_empty(), "links lead nowhere:\n{}", broken.join("\n"));
}

/// The targets of all links `[words](target)` in a text that are paths or headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets.filter(|target| !target.contains("://") && !target.contains(char::is_whitespace))
}

fn leads_somewhere(file: &Path, link: &str) -> bool {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => file.to_owned(),
        path => file.parent().expect("a file is in a folder").join(path),
    };
    match heading {
        "" => target.exists(),
        heading => fs::read_to_string(target).is_ok_and(|text| anchors(&text).any(|anchor| anchor == heading)),
    }
}

/// The anchors of a page: its headings as a browser addresses them, and those that are written out.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches(['#', ' '])));
    let written = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"').map(|(id, _)| id.to_owned()));
    headings.chain(written)
}
