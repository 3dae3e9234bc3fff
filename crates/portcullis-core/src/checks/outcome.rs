//! A write, and the result of its checks.

use jiff::Timestamp;

use super::Operation;
use super::object::too_costly;
use crate::bundle::Bundle;
use crate::cluster::User;
use crate::finding::{Action, Finding};
use crate::kinds::{KindSet, ObjectRef};

/// A finding with its effect on the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatedFinding {
    /// The finding.
    pub finding: Finding,
    /// Its effect: the action of the check, or a warning if the old object already had the finding.
    pub action: Action,
    /// Whether the finding would deny the write if the old object did not already have it.
    pub is_preexisting: bool,
    /// Whether the old object already had the finding, but the update adds to the claim that it is about.
    pub is_growing: bool,
    /// Whether the author silences this warning with an annotation.
    pub is_silenced: bool,
}

/// Findings of one check beyond the limit that have the same effect on the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmittedFindings {
    /// The id of the check.
    pub check: &'static str,
    /// The effect of each.
    pub action: Action,
    /// How many there are.
    pub count: usize,
    /// Whether the author silences these warnings with an annotation.
    pub is_silenced: bool,
}

/// The result of all checks for one write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The findings, ordered by address, then id.
    pub findings: Vec<EvaluatedFinding>,
    /// Counts of the findings beyond the limit of a check.
    pub omitted_findings: Vec<OmittedFindings>,
    /// Kinds that a denying check looked up and that are not synced yet. As long as there are any, the outcome is not
    /// final.
    pub waiting: KindSet,
    /// Exemptions that applied and expire soon, as positions in the configuration.
    pub expiring: Vec<usize>,
    /// The assumed Gateway API bundle, if a finding depends on its channel.
    pub assumed: Option<Bundle>,
}

impl Outcome {
    /// Whether the write is denied. A denial counts even if its finding was not kept.
    pub fn denies(&self) -> bool {
        let refuses = |action: Action| action == Action::Deny;
        let mut actions = self.findings.iter().map(|evaluated| evaluated.action);
        actions.any(refuses) || self.omitted_findings.iter().any(|omitted_findings| refuses(omitted_findings.action))
    }

    /// The first finding that denies the write; `None` if it passes, or if no such finding was kept.
    pub fn first_denial(&self) -> Option<&Finding> {
        let denial = self.findings.iter().find(|evaluated| evaluated.action == Action::Deny);
        denial.map(|evaluated| &evaluated.finding)
    }

    /// Whether the write is denied because its checks take too long.
    pub fn is_too_costly(&self) -> bool {
        let is_given_up = |evaluated: &EvaluatedFinding| evaluated.finding.check == too_costly::CHECK.id;
        self.findings.iter().any(|evaluated| is_given_up(evaluated) && evaluated.action == Action::Deny)
    }

    /// The outcome without the warnings that the author silences.
    pub fn without_silenced(mut self) -> Self {
        self.findings.retain(|judged| !judged.is_silenced);
        self.omitted_findings.retain(|omitted_findings| !omitted_findings.is_silenced);
        self
    }
}

/// The write that is checked.
#[derive(Debug, Clone, Copy)]
pub struct Write<'r> {
    /// The operation.
    pub operation: Operation,
    /// The reference to the object.
    pub this: &'r ObjectRef,
    /// The user, with groups and extra fields if the plan [needs them](super::Plan::needs_groups); `None` in `lint` and
    /// `audit`.
    pub user: Option<User<'r>>,
    /// The time of the review.
    pub now: Timestamp,
}
