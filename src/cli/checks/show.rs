//! `portcullis checks show`: prints one page with its generated head, or lists a family.

use clap::Args;

use crate::cli::print_text;
use portcullis_core::report::catalog::{CatalogEntry, EntryFilter, list, unknown_id};

/// The id or family to show.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// An id, such as `host/path-conflict`, or a family, such as `host`.
    id: String,
}

impl ShowArgs {
    /// Prints the page or the family.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(entry) = CatalogEntry::find(&self.id) {
            return print_text(&entry.page_with_head());
        }
        let family = self.id.strip_suffix("/*").or_else(|| self.id.strip_suffix('/')).unwrap_or(&self.id);
        let selection = EntryFilter { family: Some(family.to_owned()), ..EntryFilter::default() };
        match selection.entries() {
            Ok(entries) => print_text(&list::text(&entries)),
            Err(_) => Err(anyhow::Error::msg(unknown_id(&self.id))),
        }
    }
}
