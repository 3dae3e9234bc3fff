//! The parts of a report: an object with its findings and their positions, and a document that was not checked.

use crate::checks::{EvaluatedFinding, OmittedFindings, Outcome};
use crate::finding::Action;
use crate::kinds::{Kind, ObjectRef};
use crate::message::{PREEXISTING, render_text, render_whole};

/// A position in a file. Line and column are counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Where an object or a document is written. The default is an object of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The file; empty for an object of a cluster.
    pub file: String,
    /// The number of the document in the file, counted from 1.
    pub document: Option<usize>,
    /// The position of the object or the document.
    pub position: Option<Position>,
}

/// The name of standard input in reports.
pub const STDIN: &str = "<stdin>";

impl Source {
    /// The path of the file in the form in which version control lists it: without `.` and empty segments. `None` for standard input and
    /// for an object of a cluster.
    pub(super) fn path(&self) -> Option<String> {
        if self.file.is_empty() || self.file == STDIN {
            return None;
        }
        let root = if self.file.starts_with('/') { "/" } else { "" };
        let segments: Vec<&str> =
            self.file.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
        Some(format!("{root}{}", segments.join("/")))
    }
}

/// A finding with the position of its address.
#[derive(Debug)]
pub struct ReportedFinding {
    /// The finding and its effect.
    pub evaluated: EvaluatedFinding,
    /// The position of the address or, if the field is absent, of the nearest field above it.
    pub position: Option<Position>,
}

impl ReportedFinding {
    /// The whole message, with its id at the end. It begins like the warning of the webhook if the object has the finding
    /// already.
    pub fn message(&self) -> String {
        self.marked(render_whole(&self.evaluated.finding))
    }

    /// The same in text for people.
    pub(super) fn text(&self) -> String {
        self.marked(render_text(&self.evaluated.finding))
    }

    fn marked(&self, message: String) -> String {
        if self.evaluated.is_preexisting { format!("{PREEXISTING}{message}") } else { message }
    }
}

/// An object that was checked, and its findings.
#[derive(Debug)]
pub struct ObjectFindings {
    /// Where the object is written.
    pub source: Source,
    /// The reference to the object.
    pub object: ObjectRef,
    /// Its warnings and denials, by position if it is known, then address, then id.
    pub findings: Vec<ReportedFinding>,
    /// Counts of the findings beyond the limit of a check.
    pub omitted_findings: Vec<OmittedFindings>,
}

impl ObjectFindings {
    /// The warnings and denials of an outcome, without positions.
    pub fn new(source: Source, object: ObjectRef, outcome: Outcome) -> Self {
        let Outcome { findings, mut omitted_findings, .. } = outcome;
        omitted_findings.retain(|omitted_findings| omitted_findings.action > Action::Audit);
        let reported = findings.into_iter().filter(|evaluated| evaluated.action > Action::Audit);
        let findings = reported.map(|evaluated| ReportedFinding { evaluated, position: None }).collect();
        Self { source, object, findings, omitted_findings }
    }

    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.omitted_findings.is_empty()
    }

    /// Whether there is a finding with this action or a stricter one.
    pub fn has_at_least(&self, action: Action) -> bool {
        self.findings.iter().any(|finding| finding.evaluated.action >= action)
            || self.omitted_findings.iter().any(|omitted_findings| omitted_findings.action >= action)
    }

    /// The number of findings with this action.
    pub fn count(&self, action: Action) -> usize {
        let kept = self.findings.iter().filter(|finding| finding.evaluated.action == action).count();
        let omitted_findings =
            self.omitted_findings.iter().filter(|omitted_findings| omitted_findings.action == action);
        kept + omitted_findings.map(|omitted_findings| omitted_findings.count).sum::<usize>()
    }
}

/// A document, an object or a kind that was not checked, or only in part.
#[derive(Debug, Clone)]
pub struct UnreadDocument {
    /// Where it is written.
    pub source: Source,
    /// The cause, by which counts are grouped.
    pub cause: &'static str,
    /// The error message.
    pub message: String,
    /// The reference to the object, if it is known.
    pub object: Option<ObjectRef>,
    /// Whether the object has findings nevertheless, because a part of it was checked.
    pub is_partly_checked: bool,
    /// Whether it is a template beside what is checked, about which it says nothing.
    pub is_beside: bool,
}

impl UnreadDocument {
    /// For a kind of the cluster that is not readable.
    pub(super) fn of_kind(kind: Kind) -> Self {
        let resource = kind.resource();
        Self {
            source: Source::default(),
            cause: "kind that is not readable",
            message: format!(
                "{resource} are not readable (RBAC): grant the right to list them; checks that need them report nothing"
            ),
            object: None,
            is_partly_checked: false,
            is_beside: false,
        }
    }

    /// The object, or else the cause, or for a kind the message, since several kinds have one cause.
    pub(super) fn title(&self) -> String {
        match &self.object {
            Some(object) => object.to_string(),
            None if self.source.file.is_empty() => self.message.clone(),
            None => self.cause.to_owned(),
        }
    }
}
