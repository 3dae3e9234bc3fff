//! `portcullis checks list`: lists checks and defaults, filtered, as text or Markdown.

use clap::{Args, ValueEnum};

use crate::cli::named_value::one_of;
use crate::cli::print_text;
use portcullis_core::checks::Profile;
use portcullis_core::config::Theme;
use portcullis_core::finding::Action;
use portcullis_core::report::catalog::{EntryFilter, list, markdown};

/// The filters and the format of the list.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only checks whose id, title or page contains this text.
    text: Option<String>,
    /// List only this family, the part of the ids before the `/`.
    #[arg(long)]
    family: Option<String>,
    /// List only checks of this theme.
    #[arg(long, ignore_case = true, value_parser = one_of(Theme::ALL, Theme::name))]
    theme: Option<Theme>,
    /// List only checks with this action in the profile.
    #[arg(long, ignore_case = true, value_parser = one_of(Action::ALL, Action::name))]
    action: Option<Action>,
    /// The profile of `--action`.
    #[arg(long, requires = "action", default_value = "baseline", value_parser = one_of(Profile::ALL, Profile::name))]
    profile: Profile,
    /// The output format.
    #[arg(long, short, alias = "format", value_enum, default_value_t)]
    output: Format,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum Format {
    /// Text for terminals.
    #[default]
    Text,
    /// Markdown tables, as in `docs/checks.md`.
    Markdown,
}

impl ListArgs {
    /// Prints the list.
    pub fn run(self) -> anyhow::Result<()> {
        let action = self.action.map(|action| (action, self.profile));
        let selection = EntryFilter { family: self.family, theme: self.theme, action, text: self.text };
        let entries = selection.entries().map_err(anyhow::Error::msg)?;
        match self.output {
            Format::Text => print_text(&list::text(&entries)),
            Format::Markdown => print_text(&markdown::text(&entries)),
        }
    }
}
