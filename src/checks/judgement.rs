//! A write, and what the checks say of it.

use jiff::Timestamp;

use super::Operation;
use crate::cluster::User;
use crate::config::Theme;
use crate::finding::{Action, Finding};
use crate::kinds::{KindSet, ObjectRef};

/// A finding and what it does to the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What was found.
    pub finding: Finding,
    /// What it does: the check's action, or a warning where the object was so already.
    pub action: Action,
    /// What the check is about.
    pub theme: Theme,
}

/// What the checks say of one write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The findings, by address, then id.
    pub findings: Vec<Judged>,
    /// Findings beyond those that are kept of a check: what they do, and how many.
    pub surplus: Vec<(Action, usize)>,
    /// The kinds that a check which may refuse asked for and that are not synced yet: without them this is no verdict.
    pub waiting: KindSet,
    /// Exemptions that were used and end soon: positions in the configuration.
    pub ending: Vec<usize>,
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
