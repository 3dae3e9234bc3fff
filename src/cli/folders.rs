//! The messages about folders that several commands print to standard error.

use crate::files::Folder;
use portcullis_core::message::sanitize;

/// Prints warnings that do not prevent the use of a folder, if wanted. Fails if the folder contains no manifest.
pub(super) fn print_warnings(folder: &Folder, is_wanted: bool) -> anyhow::Result<()> {
    if is_wanted {
        print_notes(folder);
    }
    let empty = folder.empty();
    anyhow::ensure!(empty.is_empty(), empty.join("\n"));
    Ok(())
}

fn print_notes(folder: &Folder) {
    folder.warnings().iter().for_each(|warning| note("warning", warning));
    folder.copies().iter().for_each(|copies| note("warning", &copies.to_string()));
    for (path, count) in folder.hidden() {
        note("note", &format!("{}: hidden, so {count} files in it are not read", path.display()));
    }
    for path in folder.templates() {
        note("note", &format!("{}: not read, since its name does not end in .yaml, .yml or .json", path.display()));
    }
}

fn note(weight: &str, message: &str) {
    eprintln!("portcullis: {weight}: {}", sanitize(message));
}

/// The number of documents with noun and verb.
pub(super) fn documents(count: usize) -> String {
    if count == 1 { "1 document is".to_owned() } else { format!("{count} documents are") }
}
