//! `portcullis checks`: what is checked and filled in, as a list for people, tables for the documentation, or one page.

mod list;
mod show;

use clap::Subcommand;

/// Show what is checked.
#[derive(Debug, Subcommand)]
pub enum Checks {
    /// List checks with their action in each profile, and defaults; all of them, or those that every filter takes.
    List(list::List),
    /// Print the page of one check or default, or list a family.
    Show(show::Show),
}

impl Checks {
    /// Prints what was asked for.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(),
            Self::Show(show) => show.run(),
        }
    }
}
