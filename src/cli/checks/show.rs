//! `portcullis checks show`: prints the page of a check or default, short or whole, or lists a family.

use clap::Args;

use crate::cli::print_text;
use portcullis_core::report::catalog::{CatalogEntry, EntryFilter, list, unknown_id};

/// The id or family to show.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// An id, such as `host/path-conflict`, or a family, such as `host`.
    id: String,
    /// Print the whole page, with the reasons and all examples.
    #[arg(long)]
    full: bool,
}

impl ShowArgs {
    /// Prints the page or the family.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(entry) = CatalogEntry::find(&self.id) {
            let whole = format!(
                "\nThe whole page, with reasons and all examples: portcullis checks show {} --full\n",
                entry.id()
            );
            return print_text(&if self.full { entry.page_with_head() } else { entry.short_page() + &whole });
        }
        let family = self.id.strip_suffix("/*").or_else(|| self.id.strip_suffix('/')).unwrap_or(&self.id);
        let selection = EntryFilter { family: Some(family.to_owned()), ..EntryFilter::default() };
        match selection.entries() {
            Ok(entries) => print_text(&list::text(&entries)),
            Err(_) => Err(anyhow::Error::msg(unknown_id(&self.id))),
        }
    }
}
