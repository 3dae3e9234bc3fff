//! The catalog of checks and defaulters: pages with generated heads, lists, and suggestions for misspelled ids.

mod head;
pub mod list;
pub mod markdown;
mod option;
mod selection;
mod short;
mod suggestion;

use crate::checks::{self, Check};
use crate::config::Theme;
use crate::defaults::{self, Defaulter};
use crate::finding::Action;

pub use selection::EntryFilter;
pub use suggestion::{unknown_family, unknown_id};

/// A check or a defaulter.
#[derive(Debug, Clone, Copy)]
pub enum CatalogEntry {
    /// A check.
    Check(&'static Check),
    /// A defaulter.
    Defaulter(&'static Defaulter),
}

impl CatalogEntry {
    /// Every check, then every defaulter, each ordered by id.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let defaulters = defaults::registry::ALL.iter().copied().map(Self::Defaulter);
        checks::registry::all().map(Self::Check).chain(defaulters)
    }

    /// The check or the defaulter with this id.
    pub fn find(id: &str) -> Option<Self> {
        Self::all().find(|entry| entry.id() == id)
    }

    /// The id.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Check(check) => check.id,
            Self::Defaulter(defaulter) => defaulter.id,
        }
    }

    /// The part of the id before the `/`.
    pub fn family(&self) -> &'static str {
        self.parts().0
    }

    /// The part of the id after the `/`: the fault of a check, or the default that a defaulter fills in.
    pub fn fault(&self) -> &'static str {
        self.parts().1
    }

    fn parts(&self) -> (&'static str, &'static str) {
        self.id().split_once('/').unwrap_or((self.id(), ""))
    }

    /// The theme of a check; `None` for a defaulter.
    pub const fn theme(&self) -> Option<Theme> {
        match self {
            Self::Check(check) => Some(check.theme),
            Self::Defaulter(_) => None,
        }
    }

    /// The page as written, without the generated head.
    pub const fn page(&self) -> &'static str {
        match self {
            Self::Check(check) => check.page,
            Self::Defaulter(defaulter) => defaulter.page,
        }
    }

    /// The path of the page, relative to the sources of this crate.
    pub fn file(&self) -> String {
        let id = self.id().replace('-', "_");
        match self {
            Self::Check(_) => format!("checks/{id}.md"),
            Self::Defaulter(_) => format!("defaults/{}.md", id.replace('/', "_")),
        }
    }

    /// The first paragraph of the page after its heading.
    pub fn title(&self) -> String {
        let lines = self.page().lines().skip(1).skip_while(|line| line.is_empty());
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Whether the check denies in `baseline`, although some of its findings only warn: an example on its page says so.
    pub fn may_only_warn(&self) -> bool {
        matches!(self, Self::Check(check) if check.actions.baseline == Action::Deny) && self.page().contains("\nWarn ")
    }

    /// The page with its generated head between the title and the first section, and how to turn the check off at its end.
    pub fn page_with_head(&self) -> String {
        let page = self.page();
        match page.find("\n## ") {
            Some(body) => format!("{}{}{}{}", &page[..=body], head::of(self), &page[body..], head::way_out(self)),
            None => format!("{page}\n{}{}", head::of(self), head::way_out(self)),
        }
    }
}
