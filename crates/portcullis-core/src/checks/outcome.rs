//! A write, and what the checks say of it.

use jiff::Timestamp;

use super::Operation;
use crate::bundle::Bundle;
use crate::cluster::User;
use crate::finding::{Action, Finding};
use crate::kinds::{KindSet, ObjectRef};

/// A finding and what it does to the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatedFinding {
    /// What was found.
    pub finding: Finding,
    /// What it does: the check's action, or a warning where the same was found in the object before the write.
    pub action: Action,
    /// Whether the finding would refuse the write, were it not in the object before.
    pub is_preexisting: bool,
    /// Whether the object's author does not want to be warned of it.
    pub is_silenced: bool,
}

/// Findings of one check beyond those that are kept, which do the same to the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmittedFindings {
    /// The id of the check.
    pub check: &'static str,
    /// What each does.
    pub action: Action,
    /// How many they are.
    pub count: usize,
    /// Whether the object's author does not want to be warned of them.
    pub is_silenced: bool,
}

/// What the checks say of one write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The findings, by address, then id.
    pub findings: Vec<EvaluatedFinding>,
    /// Findings beyond those that are kept of a check.
    pub omitted_findings: Vec<OmittedFindings>,
    /// The kinds that a check which may refuse asked for and that are not synced yet: without them this is no verdict.
    pub waiting: KindSet,
    /// Exemptions that were used and end soon: positions in the configuration.
    pub expiring: Vec<usize>,
    /// The Gateway API bundle that is assumed, if a finding hangs on its channel.
    pub assumed: Option<Bundle>,
}

impl Outcome {
    /// Whether the write is refused, also by a finding that is not kept.
    pub fn denies(&self) -> bool {
        let refuses = |action: Action| action == Action::Deny;
        let mut actions = self.findings.iter().map(|judged| judged.action);
        actions.any(refuses) || self.omitted_findings.iter().any(|omitted_findings| refuses(omitted_findings.action))
    }

    /// The same without the warnings that the object's author silences.
    pub fn without_silenced(mut self) -> Self {
        self.findings.retain(|judged| !judged.is_silenced);
        self.omitted_findings.retain(|omitted_findings| !omitted_findings.is_silenced);
        self
    }
}

/// One write, as the checks see it.
#[derive(Debug, Clone, Copy)]
pub struct Write<'r> {
    /// What happens.
    pub operation: Operation,
    /// The object's place.
    pub this: &'r ObjectRef,
    /// The user who writes, with groups and more if the plan [asks for them](super::Plan::needs_groups); nobody in the offline doors.
    pub user: Option<User<'r>>,
    /// The time of the review.
    pub now: Timestamp,
}
