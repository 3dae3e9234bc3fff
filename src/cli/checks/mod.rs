//! `portcullis checks`: lists checks and defaults, or prints a page.

mod list;
mod show;

use clap::Subcommand;

/// List checks and defaults, or show the page of one.
#[derive(Debug, Subcommand)]
pub enum ChecksCommand {
    /// List checks with their actions by profile, and defaults; filters can be combined.
    List(list::ListArgs),
    /// Print the page of one check or default, or list a family.
    Show(show::ShowArgs),
}

impl ChecksCommand {
    /// Prints the list or the page.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(),
            Self::Show(show) => show.run(),
        }
    }
}
