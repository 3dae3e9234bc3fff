//! What another configuration changes for an object.

use crate::checks::{EvaluatedFinding, OmittedFindings, Outcome};
use crate::finding::{Action, Finding};
use crate::kinds::ObjectRef;

/// An object about which two configurations say different things.
#[derive(Debug, PartialEq, Eq)]
pub struct ObjectChange {
    /// The object.
    pub object: ObjectRef,
    /// Its verdict before.
    pub before: Verdict,
    /// Its verdict afterwards.
    pub after: Verdict,
    /// The findings that differ, by address, then id.
    pub findings: Vec<FindingChange>,
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Admitted without a warning.
    Clean,
    /// Admitted with a warning.
    Warned,
    /// Denied.
    Denied,
}

/// A finding that differs.
#[derive(Debug, PartialEq, Eq)]
pub struct FindingChange {
    /// The finding.
    pub finding: Finding,
    /// Its effect before; `None` if it was not found.
    pub before: Option<Action>,
    /// Its effect afterwards; `None` if it is not found.
    pub after: Option<Action>,
}

impl Verdict {
    fn of(outcome: &Outcome) -> Self {
        let is_shown = |action: Action| action > Action::Audit;
        let findings = outcome.findings.iter().map(|evaluated| evaluated.action);
        let mut all = findings.chain(outcome.omitted_findings.iter().map(|omitted| omitted.action));
        match outcome.denies() {
            true => Self::Denied,
            false if all.any(is_shown) => Self::Warned,
            false => Self::Clean,
        }
    }

    /// The verdict in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clean => "admitted",
            Self::Warned => "warned",
            Self::Denied => "denied",
        }
    }
}

/// What differs between two outcomes for an object; `None` if its author would see no difference.
pub fn compare(object: &ObjectRef, before: &Outcome, after: &Outcome) -> Option<ObjectChange> {
    let (old, new) = (shown(before), shown(after));
    let action_in = |among: &[&EvaluatedFinding], finding: &Finding| {
        among.iter().find(|evaluated| is_same(&evaluated.finding, finding)).map(|evaluated| evaluated.action)
    };
    let kept = new.iter().map(|evaluated| FindingChange {
        finding: evaluated.finding.clone(),
        before: action_in(&old, &evaluated.finding),
        after: Some(evaluated.action),
    });
    let vanished = old.iter().filter(|evaluated| action_in(&new, &evaluated.finding).is_none());
    let vanished = vanished.map(|evaluated| FindingChange {
        finding: evaluated.finding.clone(),
        before: Some(evaluated.action),
        after: None,
    });
    let mut findings: Vec<FindingChange> =
        kept.filter(|change| change.before != change.after).chain(vanished).collect();
    findings
        .sort_by(|left, right| (&left.finding.at, left.finding.check).cmp(&(&right.finding.at, right.finding.check)));
    let change =
        ObjectChange { object: object.clone(), before: Verdict::of(before), after: Verdict::of(after), findings };
    let is_changed = change.before != change.after || !change.findings.is_empty() || omitted(before) != omitted(after);
    is_changed.then_some(change)
}

/// The findings that an author sees.
fn shown(outcome: &Outcome) -> Vec<&EvaluatedFinding> {
    outcome.findings.iter().filter(|evaluated| evaluated.action > Action::Audit).collect()
}

/// The counts of findings beyond the limits that an author sees.
fn omitted(outcome: &Outcome) -> Vec<OmittedFindings> {
    outcome.omitted_findings.iter().filter(|omitted| omitted.action > Action::Audit).copied().collect()
}

/// Whether both are the same fault, whatever becomes of it.
fn is_same(one: &Finding, other: &Finding) -> bool {
    (one.check, &one.at, &one.value, &one.other) == (other.check, &other.at, &other.value, &other.other)
}
