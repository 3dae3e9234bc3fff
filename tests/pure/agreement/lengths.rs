//! The length of the documentation and of source files.

use std::fs;
use std::path::PathBuf;

use portcullis_testing::repository::{documents, read, root};

use super::layers::{SOURCES, sources};

/// The maximum number of words of a page that is written by hand.
const MAX_WORDS: usize = 2_600;

/// The maximum number of words of ARCHITECTURE.md.
const MAX_ARCHITECTURE_WORDS: usize = 2_500;

/// The maximum number of words of CHANGELOG.md.
const MAX_CHANGELOG_WORDS: usize = 1_600;

/// The maximum number of lines of the README.
const MAX_LINES: usize = 120;

/// The maximum number of lines of a source file of the two crates.
const MAX_SOURCE_LINES: usize = 400;

/// The pages that are generated, and need not be read from beginning to end.
const GENERATED: [&str; 5] = [
    "docs/checks.md",
    "docs/conditions.md",
    "docs/configuration-reference.md",
    "docs/design-documents.md",
    "docs/messages.md",
];

/// A page that has become longer is split, or a part of it is left out.
#[test]
fn a_page_is_short_enough_to_be_read() {
    let pages = documents().into_iter().filter(|page| page.starts_with("docs/") && !GENERATED.contains(&&**page));
    let words = |page: &str| read(page).split_whitespace().count();
    let counted = pages.map(|page| (words(&page), page));
    let long: Vec<(usize, String)> = counted.filter(|(words, _)| *words > MAX_WORDS).collect();
    assert!(long.is_empty(), "more than {MAX_WORDS} words: {long:?}");
    let of_architecture = words("ARCHITECTURE.md");
    assert!(of_architecture <= MAX_ARCHITECTURE_WORDS, "ARCHITECTURE.md has {of_architecture} words");
    let of_changelog = words("CHANGELOG.md");
    assert!(of_changelog <= MAX_CHANGELOG_WORDS, "CHANGELOG.md has {of_changelog} words");
    assert!(read("README.md").lines().count() <= MAX_LINES, "README.md has more than {MAX_LINES} lines");
}

/// A file that has become longer is split along a concept.
#[test]
fn a_source_file_is_short_enough_to_be_read() {
    let files = SOURCES.iter().flat_map(|folder| sources(&root().join(folder)));
    let lines = |file: &PathBuf| fs::read_to_string(file).expect("a source can be read").lines().count();
    let long: Vec<(usize, PathBuf)> =
        files.map(|file| (lines(&file), file)).filter(|(lines, _)| *lines > MAX_SOURCE_LINES).collect();
    assert!(long.is_empty(), "more than {MAX_SOURCE_LINES} lines: {long:?}");
}
