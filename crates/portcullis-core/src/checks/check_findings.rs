//! What one check found in a review, and what of it the object had before.

use super::enabled::Enabled;
use super::outcome::{EvaluatedFinding, OmittedFindings};
use crate::finding::{Action, Earlier, Finding, Omitted};

/// What one check found: of very many findings the worst, and the number of the others.
pub(super) struct CheckFindings<'r> {
    pub(super) enabled: &'r Enabled,
    kept: Vec<KeptFinding>,
    omitted: Omitted,
    /// Whether what is omitted was there already.
    is_old: bool,
}

/// A finding.
struct KeptFinding {
    finding: Finding,
    /// Whether the object had it before.
    is_old: bool,
}

impl<'r> CheckFindings<'r> {
    /// What `enabled` found, all of it new, and what of it is not kept.
    pub(super) fn new(enabled: &'r Enabled, findings: Vec<Finding>, omitted: Omitted) -> Self {
        let kept = findings.into_iter().map(|finding| KeptFinding { finding, is_old: false }).collect();
        Self { enabled, kept, omitted, is_old: false }
    }

    /// The findings that are kept.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().map(|kept| &kept.finding)
    }

    /// Whether there are more findings than are kept.
    pub(super) fn has_omitted(&self) -> bool {
        !self.omitted.is_empty()
    }

    /// Those that refuse the object.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Finding> {
        let refuses = self.enabled.action == Action::Deny;
        self.findings().filter(move |finding| refuses && finding.at_most == Action::Deny)
    }

    /// Marks all of it as old.
    pub(super) fn mark_all_preexisting(&mut self) {
        self.is_old = true;
        self.kept.iter_mut().for_each(|kept| kept.is_old = true);
    }

    /// All of it, for the comparison with what the same check finds now.
    pub(super) fn earlier(&self) -> Earlier {
        self.findings().map(Finding::identity).chain(self.omitted.identities()).collect()
    }

    /// Marks what the same check found in the object as it was: as a multiset, for each finding one of the same identity. Only for what is
    /// kept; where more was found, the check runs again and [tolerates](crate::finding::Findings::tolerating) on the way.
    pub(super) fn mark_preexisting(&mut self, mut earlier: Earlier) {
        // What only warns is not excused by an earlier finding, and must not use up one that excuses a refusal.
        let refusals = self.kept.iter_mut().filter(|kept| kept.finding.at_most > Action::Warn);
        refusals.for_each(|kept| kept.is_old = earlier.take(&kept.finding));
    }

    /// What the omitted findings do, and how many they are; none where everything is kept.
    pub(super) fn omitted_findings(&self, is_ignored: bool) -> impl Iterator<Item = OmittedFindings> {
        let (own, check, is_old) = (self.enabled.action, self.enabled.check.id, self.is_old);
        let of = move |at_most: Action, count: usize| {
            let is_silenced = is_ignored && own.min(at_most) == Action::Warn;
            (count > 0).then(|| OmittedFindings {
                check,
                action: preexisting_action(own.min(at_most), is_old),
                count,
                is_silenced,
            })
        };
        of(Action::Deny, self.omitted.refusals).into_iter().chain(of(Action::Warn, self.omitted.warnings))
    }

    /// The findings, each with what it does; those that warn are silenced if warnings of this check are ignored.
    pub(super) fn judged(self, is_ignored: bool) -> impl Iterator<Item = EvaluatedFinding> {
        let own = self.enabled.action;
        self.kept.into_iter().map(move |KeptFinding { finding, is_old }| {
            let own = own.min(finding.at_most);
            EvaluatedFinding {
                action: preexisting_action(own, is_old),
                is_preexisting: is_old && own == Action::Deny,
                is_silenced: is_ignored && own == Action::Warn,
                finding,
            }
        })
    }
}

/// What a finding does: what the object had before only warns.
fn preexisting_action(own: Action, is_old: bool) -> Action {
    if is_old { own.min(Action::Warn) } else { own }
}
