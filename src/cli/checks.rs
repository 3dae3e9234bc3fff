//! `portcullis checks`: what is checked, as a list for people, a table for the documentation, or one page.

use std::fmt::Write;

use clap::{Subcommand, ValueEnum};

use super::say;
use crate::checks::{Check, Profile, registry};
use crate::config::closest;

/// Show what is checked.
#[derive(Debug, Subcommand)]
pub enum Checks {
    /// List every check with its action in each profile.
    List {
        /// How the list is written.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the page of one check.
    Show {
        /// The check, such as `host/path-conflict`.
        id: String,
    },
}

/// How the list is written.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum Format {
    /// For a terminal.
    #[default]
    Text,
    /// For `docs/checks.md`, which it is to the letter.
    Markdown,
}

impl Checks {
    /// Prints what was asked for.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::List { format: Format::Text } => say(&text()),
            Self::List { format: Format::Markdown } => say(&markdown()),
            Self::Show { id } => say(find(&id)?.page),
        }
    }
}

fn find(id: &str) -> anyhow::Result<&'static Check> {
    registry::find(id).ok_or_else(|| {
        let hint = closest(id, registry::all().map(|check| check.id));
        let hint = hint.map(|likely| format!("; did you mean `{likely}`?")).unwrap_or_default();
        anyhow::anyhow!("there is no check `{id}`{hint}")
    })
}

/// The columns after the id: what it is about, since when, and its actions.
fn columns(check: &Check) -> [String; 6] {
    let [audit, baseline, restricted, kep_758] = Profile::ALL.map(|profile| check.actions.of(profile).to_string());
    [check.theme.name().to_owned(), check.since.to_string(), audit, baseline, restricted, kep_758]
}

fn text() -> String {
    let widest = registry::all().map(|check| check.id.len()).max().unwrap_or_default();
    let head = ["theme", "since", "audit", "baseline", "restricted", "kep-758"].map(str::to_owned);
    let mut text = text_row("check", widest, &head, "");
    for check in registry::all() {
        text += &text_row(check.id, widest, &columns(check), &title(check));
    }
    text
}

fn text_row(id: &str, widest: usize, columns: &[String; 6], title: &str) -> String {
    let [theme, since, audit, baseline, restricted, kep_758] = columns;
    let row = format!(
        "{id:<widest$}  {theme:<9}  {since:<5}  {audit:<5}  {baseline:<8}  {restricted:<10}  {kep_758:<7}  {title}"
    );
    format!("{}\n", row.trim_end())
}

fn markdown() -> String {
    let mut text = String::from(
        "# The checks\n\n\
         What each check finds, the release it came with, and what it does in each profile. `portcullis checks show ID` prints a\n\
         page; `just docs` writes this one.\n\n\
         | check | finds | theme | since | `audit` | `baseline` | `restricted` | `kep-758` |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for check in registry::all() {
        let page = format!("../src/checks/{}.md", check.id.replace('-', "_"));
        let finds = title(check).replace('|', "\\|");
        let _ = writeln!(text, "| [`{}`]({page}) | {finds} | {} |", check.id, columns(check).join(" | "));
    }
    text
}

/// The first sentence of a page, which stands in a paragraph of its own below the id.
fn title(check: &Check) -> String {
    let paragraph = check.page.lines().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(" ")
}
