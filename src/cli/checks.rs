//! `portcullis checks`: what is checked and filled in, as a list for people, tables for the documentation, or one page.

use std::fmt::Write;

use clap::{Subcommand, ValueEnum};

use super::say;
use portcullis_core::checks::{Check, Profile, registry};
use portcullis_core::defaults;
use portcullis_core::names::closest;

/// Show what is checked.
#[derive(Debug, Subcommand)]
pub enum Checks {
    /// List every check with its action in each profile.
    List {
        /// How the list is written.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the page of one check or default.
    Show {
        /// Its id, such as `host/path-conflict`.
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
            Self::Show { id } => say(page(&id)?),
        }
    }
}

/// The page of a check or a defaulter.
fn page(id: &str) -> anyhow::Result<&'static str> {
    let checks = registry::all().map(|check| (check.id, check.page));
    let pages = checks.chain(defaults::registry::ALL.iter().map(|defaulter| (defaulter.id, defaulter.page)));
    match pages.clone().find(|(known, _)| *known == id) {
        Some((_, page)) => Ok(page),
        None => {
            let hint = closest(id, pages.map(|(known, _)| known));
            let hint = hint.map(|likely| format!("; did you mean `{likely}`?")).unwrap_or_default();
            Err(anyhow::anyhow!("there is no check `{id}`{hint}"))
        }
    }
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
        text += &text_row(check.id, widest, &columns(check), &title(check.page));
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

const CHECKS: &str = "\
# The checks

What each check finds, the release it came with, and what it does in each profile. `portcullis checks show ID` prints a
page; `just docs` writes this one.

| check | finds | theme | since | `audit` | `baseline` | `restricted` | `kep-758` |
|---|---|---|---|---|---|---|---|
";

const DEFAULTS: &str = "
## What is filled in

By `/mutate`, in objects that are created: Ingresses, Gateways (`gateway/*`) and HTTPProxies (`http-proxy/*`).

| default | fills in | without being asked |
|---|---|---|
";

fn markdown() -> String {
    let mut text = CHECKS.to_owned();
    for check in registry::all() {
        let page = format!("checks/{}", check.id);
        let _ = writeln!(text, "{} {} |", cells(check.id, &page, check.page), columns(check).join(" | "));
    }
    text += DEFAULTS;
    for defaulter in defaults::registry::ALL {
        // A defaulter's family has no folder of its own.
        let page = format!("defaults/{}", defaulter.id.split_once('/').map_or(defaulter.id, |(_, what)| what));
        let enabled = if defaulter.enabled { "yes" } else { "no" };
        let _ = writeln!(text, "{} {enabled} |", cells(defaulter.id, &page, defaulter.page));
    }
    text
}

/// The first two cells of a row: the id, which leads to its page, and the page's first sentence.
fn cells(id: &str, file: &str, page: &str) -> String {
    let file = file.replace('-', "_");
    format!("| [`{id}`](../crates/portcullis-core/src/{file}.md) | {} |", title(page).replace('|', "\\|"))
}

/// The first sentence of a page, which stands in a paragraph of its own below the id.
fn title(page: &str) -> String {
    let paragraph = page.lines().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(" ")
}
