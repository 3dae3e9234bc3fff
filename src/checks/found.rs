//! What one check found in a review, and what of it was so already.

use hashbrown::HashMap;

use super::enabled::Enabled;
use super::judgement::Judged;
use crate::finding::{Action, Finding, Identity};

/// What one check found: of very many findings the first, and the number of the others.
pub(super) struct Found<'r> {
    pub(super) enabled: &'r Enabled,
    kept: Vec<Kept>,
    surplus: usize,
    /// Whether the surplus was there already.
    is_old: bool,
}

/// A finding.
struct Kept {
    finding: Finding,
    /// Whether the object was so already.
    is_old: bool,
}

impl<'r> Found<'r> {
    /// What `enabled` found, all of it new, and how much more it would have.
    pub(super) fn new(enabled: &'r Enabled, findings: Vec<Finding>, surplus: usize) -> Self {
        let kept = findings.into_iter().map(|finding| Kept { finding, is_old: false }).collect();
        Self { enabled, kept, surplus, is_old: false }
    }

    /// The findings that are kept.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().map(|kept| &kept.finding)
    }

    /// Marks all of it as old, or as new.
    pub(super) fn mark(&mut self, is_old: bool) {
        self.is_old = is_old;
        self.kept.iter_mut().for_each(|kept| kept.is_old = is_old);
    }

    /// Marks what the same check found in the object as it was: as a multiset, for each finding one of the same identity. Where not all
    /// are kept only their number can be compared: no more than before is no worse than before.
    pub(super) fn forgive(&mut self, before: &Self) {
        if self.surplus > 0 {
            return self.mark(self.number() <= before.number());
        }
        let mut was: HashMap<Identity<'_>, usize> = HashMap::new();
        for finding in before.findings() {
            *was.entry(finding.identity()).or_default() += 1;
        }
        for kept in &mut self.kept {
            let Some(left) = was.get_mut(&kept.finding.identity()).filter(|left| **left > 0) else { continue };
            *left -= 1;
            kept.is_old = true;
        }
    }

    /// How many findings there are, kept or not.
    fn number(&self) -> usize {
        self.kept.len() + self.surplus
    }

    /// What the surplus does, and how much there is of it; none where everything is kept.
    pub(super) fn surplus(&self) -> Option<(Action, usize)> {
        (self.surplus > 0).then(|| (allayed(self.enabled.action, self.is_old), self.surplus))
    }

    /// The findings, each with what it does; without those that warn, if warnings of this check are ignored.
    pub(super) fn judged(self, is_ignored: bool) -> impl Iterator<Item = Judged> {
        let (own, theme) = (self.enabled.action, self.enabled.check.theme);
        self.kept.into_iter().filter_map(move |Kept { finding, is_old }| {
            let own = own.min(finding.at_most);
            let is_silenced = own == Action::Warn && is_ignored;
            (!is_silenced).then(|| Judged { action: allayed(own, is_old), finding, theme })
        })
    }
}

/// What a finding does: what was so already only warns.
fn allayed(own: Action, is_old: bool) -> Action {
    if is_old { own.min(Action::Warn) } else { own }
}
