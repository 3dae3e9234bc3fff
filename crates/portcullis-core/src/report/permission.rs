//! Renders the answer of `can-i`.

use super::first_names;
use crate::checks::Outcome;
use crate::explain::Winner;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::{render_text, sanitize};
use crate::review::Reach;

/// Whether a namespace may serve a URL, and who does today.
#[derive(Debug)]
pub struct Permission<'p> {
    /// The URL.
    pub url: String,
    /// The namespace.
    pub namespace: &'p str,
    /// The kind of the object that would serve it.
    pub kind: &'p str,
    /// The result of the checks.
    pub outcome: Outcome,
    /// Who owns the host.
    pub owner: HostOwner<'p>,
    /// Whether the Gateway passes requests on to the object; `None` without a Gateway.
    pub reach: Option<Reach>,
    /// The rule that answers the URL today.
    pub holder: Option<&'p Winner>,
    /// The objects of other namespaces that serve the host.
    pub others: Vec<&'p ObjectRef>,
    /// What was not read and may change the answer.
    pub unread: Vec<String>,
}

/// Who owns a host.
#[derive(Debug)]
pub enum HostOwner<'p> {
    /// The owners that an entry of `hostOwnership` names.
    Entry {
        /// The host of the entry.
        host: &'p str,
        /// The owners.
        by: String,
    },
    /// The owners that a HostClaim names.
    Claim {
        /// The name of the HostClaim.
        claim: &'p str,
        /// The owners.
        by: String,
    },
    /// No HostClaim covers the host, and one is required.
    NoClaim,
    /// The namespace of this object, the first that serves the host (`unlisted: FirstNamespace`).
    First(&'p ObjectRef),
    /// No namespace yet; the first that serves the host will own it (`unlisted: FirstNamespace`).
    NextNamespace,
    /// No entry covers the host.
    Unlisted,
    /// It depends on HostClaims that were not read.
    Unknown,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The object would be admitted and serve the URL.
    Yes,
    /// It would be denied, or would not serve the URL.
    No,
    /// Something was not read that may decide.
    Unknown,
}

impl Permission<'_> {
    /// The answer.
    pub fn answer(&self) -> Answer {
        match (&self.reach, self.unread.is_empty()) {
            _ if self.outcome.denies() => Answer::No,
            (Some(Reach::Unreached(_)), true) => Answer::No,
            (Some(Reach::Unknown), _) | (_, false) => Answer::Unknown,
            (Some(Reach::Accepted(_)) | None, true) => Answer::Yes,
        }
    }
}

/// The answer as text: yes or no, the owner, the Gateway, who answers today, and the findings.
pub fn text(permission: &Permission<'_>) -> String {
    let Permission { url, namespace, kind, outcome, owner, reach, holder, others, unread } = permission;
    let answer = match permission.answer() {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Unknown => "unknown",
    };
    let mut lines = vec![format!("{answer}: a new {kind} of namespace {namespace} for {url}"), owned(owner)];
    lines.extend(reach.as_ref().map(reached));
    lines.push(match holder {
        Some(winner) => {
            let does = if winner.is_unanswered() { "matches, but no backend can answer" } else { "answers" };
            format!("today: {} {does}: {}", winner.object, winner.field)
        }
        None => "today: no object answers".to_owned(),
    });
    if !others.is_empty() {
        lines.push(format!("other namespaces with this host: {}", first_names(others.iter())));
    }
    let found = outcome.findings.iter().filter(|evaluated| evaluated.action > Action::Audit);
    lines.extend(found.map(|evaluated| format!("  {:<4}  {}", evaluated.action, render_text(&evaluated.finding))));
    lines.extend(unread.iter().map(|unread| format!("  not read: {unread}")));
    lines.iter().map(|line| sanitize(line) + "\n").collect()
}

fn owned(owner: &HostOwner<'_>) -> String {
    match owner {
        HostOwner::Entry { host, by } => format!("owner: {by}, by the entry {host} of hostOwnership"),
        HostOwner::Claim { claim, by } => format!("owner: {by}, by HostClaim {claim}"),
        HostOwner::NoClaim => "owner: none; no HostClaim covers the host, and one is required".to_owned(),
        HostOwner::First(object) => {
            format!("owner: namespace {}, the first that serves the host: {object}", object.namespace)
        }
        HostOwner::NextNamespace => "owner: none yet; the first namespace that serves the host will own it".to_owned(),
        HostOwner::Unknown => "owner: not known, since a HostClaim may own the host".to_owned(),
        HostOwner::Unlisted => "owner: no entry of hostOwnership covers the host".to_owned(),
    }
}

fn reached(reach: &Reach) -> String {
    match reach {
        Reach::Accepted(gateway) => format!("gateway: {gateway} accepts it"),
        Reach::Unreached(reasons) => format!("gateway: not served: {}", reasons.join("; ")),
        Reach::Unknown => "gateway: not known, since something was not read".to_owned(),
    }
}
