//! Renders the answer of `can-i`.

use crate::checks::Outcome;
use crate::explain::Winner;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::{render_whole, sanitize};

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
    /// The host of the entry of `hostOwnership` that decides, and a description of the owners.
    pub owner: Option<(String, String)>,
    /// The rule that answers the URL today.
    pub holder: Option<&'p Winner>,
    /// The objects of other namespaces that name the host.
    pub others: Vec<&'p ObjectRef>,
    /// What was not read and may change the answer.
    pub unread: Vec<String>,
}

/// The maximum number of other objects that are named.
const NAMED: usize = 10;

/// The answer as text: yes or no, the owner, who answers today, and the findings.
pub fn text(permission: &Permission<'_>) -> String {
    let Permission { url, namespace, kind, outcome, owner, holder, others, unread } = permission;
    let answer = match (outcome.denies(), unread.is_empty()) {
        (true, _) => "no",
        (false, true) => "yes",
        (false, false) => "unknown",
    };
    let mut lines = vec![format!("{answer}: a new {kind} of namespace {namespace} for {url}")];
    lines.push(match owner {
        Some((entry, owners)) => format!("owner: {owners}, by the entry {entry} of hostOwnership"),
        None => "owner: no entry of hostOwnership covers the host".to_owned(),
    });
    lines.push(match holder {
        Some(winner) => format!("today: {} answers: {}", winner.object, winner.field),
        None => "today: no object answers".to_owned(),
    });
    if !others.is_empty() {
        let named: Vec<String> = others.iter().take(NAMED).map(ToString::to_string).collect();
        let more = others.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("other namespaces with this host: {}{more}", named.join(", ")));
    }
    let found = outcome.findings.iter().filter(|evaluated| evaluated.action > Action::Audit);
    lines.extend(found.map(|evaluated| {
        format!("  {:<4}  {}", evaluated.action.name().to_lowercase(), render_whole(&evaluated.finding))
    }));
    lines.extend(unread.iter().map(|unread| format!("  not read: {unread}")));
    lines.iter().map(|line| sanitize(line) + "\n").collect()
}
