//! The findings of one check in a review, and which of them the old object already had.

use super::added_claims::AddedClaims;
use super::effective::EffectiveSetting;
use super::enabled::Enabled;
use super::outcome::{EvaluatedFinding, OmittedFindings};
use crate::field::FieldPath;
use crate::finding::{Action, EarlierFindings, Finding, Omitted};

/// The findings of one check: the worst ones, up to a limit, and a count of the others.
pub(super) struct CheckFindings<'r> {
    pub(super) enabled: &'r Enabled,
    /// The settings of the check for the write.
    pub(super) effective: EffectiveSetting<'r>,
    kept: Vec<KeptFinding>,
    omitted: Omitted,
    /// Whether the omitted findings are preexisting.
    is_old: bool,
}

/// A finding that is kept.
struct KeptFinding {
    finding: Finding,
    /// Whether the old object already had the finding.
    is_old: bool,
    /// Whether it did, but the update adds to the claim.
    is_growing: bool,
}

impl<'r> CheckFindings<'r> {
    /// The findings of `enabled`, none of them preexisting, and the summary of those that were not kept.
    pub(super) fn new(
        enabled: &'r Enabled,
        effective: EffectiveSetting<'r>,
        findings: Vec<Finding>,
        omitted: Omitted,
    ) -> Self {
        let kept =
            findings.into_iter().map(|finding| KeptFinding { finding, is_old: false, is_growing: false }).collect();
        Self { enabled, effective, kept, omitted, is_old: false }
    }

    /// The findings that are kept.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().map(|kept| &kept.finding)
    }

    /// Whether there are more findings than are kept.
    pub(super) fn has_omitted(&self) -> bool {
        !self.omitted.is_empty()
    }

    /// The kept findings that deny the write.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Finding> {
        let refuses = self.effective.action == Action::Deny;
        self.findings().filter(move |finding| refuses && finding.at_most == Action::Deny)
    }

    /// Makes the findings deny again that `is_restored` selects by check and address.
    pub(super) fn restore_denials(&mut self, is_restored: impl Fn(&str, &FieldPath) -> bool) {
        let id = self.enabled.check.id;
        let findings = self.kept.iter_mut().map(|kept| &mut kept.finding);
        findings.filter(|finding| is_restored(id, &finding.at)).for_each(|finding| finding.at_most = Action::Deny);
    }

    /// Marks all findings as preexisting, including the omitted ones.
    pub(super) fn mark_all_preexisting(&mut self) {
        self.is_old = true;
        self.kept.iter_mut().for_each(|kept| kept.is_old = true);
    }

    /// The identities of all findings, for the comparison with the findings in the new object.
    pub(super) fn earlier(&self) -> EarlierFindings {
        self.findings().map(Finding::identity).chain(self.omitted.identities()).collect()
    }

    /// Marks the findings that the same check also had in the old object. The two are matched as multisets, so each
    /// earlier finding excuses one of the same identity. This covers only the findings that are kept; if there were
    /// more, the check runs again and excuses findings [while collecting them](crate::finding::Findings::tolerating).
    pub(super) fn mark_preexisting(&mut self, mut earlier: EarlierFindings, added: &AddedClaims) {
        // A warning needs no excuse, and must not use up an earlier finding that could excuse a denial.
        let refusals = self.kept.iter_mut().filter(|kept| kept.finding.at_most > Action::Warn);
        for kept in refusals {
            match (earlier.take(&kept.finding), added.concern(&kept.finding)) {
                (was_so, false) => kept.is_old = was_so,
                (was_so, true) => kept.is_growing = was_so,
            }
        }
    }

    /// The action and the number of the omitted findings; empty if everything was kept.
    pub(super) fn omitted_findings(&self, is_ignored: bool) -> impl Iterator<Item = OmittedFindings> {
        let (own, check, is_old) = (self.effective.action, self.enabled.check.id, self.is_old);
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

    /// The findings, each with its action. If the author ignores the check, its warnings are marked as silenced.
    pub(super) fn evaluated(self, is_ignored: bool) -> impl Iterator<Item = EvaluatedFinding> {
        let own = self.effective.action;
        self.kept.into_iter().map(move |KeptFinding { finding, is_old, is_growing }| {
            let own = own.min(finding.at_most);
            EvaluatedFinding {
                action: preexisting_action(own, is_old),
                is_preexisting: is_old && own == Action::Deny,
                is_growing,
                is_silenced: is_ignored && own == Action::Warn,
                finding,
            }
        })
    }
}

/// The action of a finding; a preexisting one only warns.
fn preexisting_action(own: Action, is_old: bool) -> Action {
    if is_old { own.min(Action::Warn) } else { own }
}
