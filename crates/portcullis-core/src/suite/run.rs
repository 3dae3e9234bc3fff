//! Runs a test case.

use jiff::Timestamp;

use super::{ExpectedFinding, TestCase};
use crate::checks::{Before, EvaluatedFinding, Operation, Outcome, Plan, Write};
use crate::cluster::{Cluster, Extra, Overlay, User};
use crate::finding::Action;
use crate::kinds::{ObjectRef, Partial};
use crate::message::render_whole;
use crate::routing::default_class;

/// The objects of a case, as JSON.
#[derive(Debug, Clone, Copy)]
pub struct CaseObjects<'c> {
    /// The reference to the object.
    pub this: &'c ObjectRef,
    /// The object.
    pub object: &'c str,
    /// The object before an update.
    pub old: Option<&'c str>,
}

/// A difference between what is expected and what is found.
#[derive(Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The write is denied but should be admitted.
    Denied,
    /// The write is admitted but should be denied.
    Admitted,
    /// A finding is expected and not found.
    Missing(String),
    /// A finding is found and not expected.
    Unexpected(String),
    /// What decides is not known, so that the webhook would ask for the review again.
    Unknown(String),
}

/// The differences between what the case expects and what the configuration says.
pub fn run(case: &TestCase, objects: CaseObjects<'_>, plan: &Plan, cluster: &Cluster, now: Timestamp) -> Vec<Mismatch> {
    let outcome = outcome(case, objects, plan, cluster, now);
    if !outcome.waiting.is_empty() {
        let kinds: Vec<&str> = outcome.waiting.iter().map(|kind| kind.api().kind).collect();
        return vec![Mismatch::Unknown(kinds.join(", "))];
    }
    let mut mismatches = Vec::new();
    match case.expect.allowed {
        Some(true) if outcome.denies() => mismatches.push(Mismatch::Denied),
        Some(false) if !outcome.denies() => mismatches.push(Mismatch::Admitted),
        _ => {}
    }
    if let Some(expected) = &case.expect.findings {
        let (missing, others) = compare(expected, &outcome);
        mismatches.extend(missing);
        let others = others.into_iter().filter(|found| found.action > Action::Audit);
        mismatches.extend(others.map(|found| Mismatch::Unexpected(rendered(found))));
    }
    if let Some(expected) = &case.expect.contains {
        mismatches.extend(compare(expected, &outcome).0);
    }
    mismatches
}

fn outcome(case: &TestCase, objects: CaseObjects<'_>, plan: &Plan, cluster: &Cluster, now: Timestamp) -> Outcome {
    let this = objects.this;
    let operation = match objects.old {
        _ if case.delete => Operation::Delete,
        Some(_) => Operation::Update,
        None => Operation::Create,
    };
    let extra = Extra::new();
    let user = case.user.as_deref().map(|name| User { name, groups: &case.groups, extra: &extra });
    let write = Write { operation, this, user, now };
    let overlay = Overlay::new(cluster, this);
    let mut partial = Partial::read(this.kind, objects.object);
    if operation == Operation::Create {
        default_class::settle_partial(&mut partial, this.kind, None, &overlay);
    }
    let old = objects.old.map(|old| Partial::read(this.kind, old)).and_then(|old| old.object);
    match &partial.object {
        Some(object) if partial.decode_errors.is_empty() => plan.check(object, || old, &overlay, &write),
        _ => {
            let before = old.map_or(Before::Incomparable, |old| Before::Other(Box::new(old)));
            plan.check_partial(&partial, &before, &overlay, &write)
        }
    }
}

/// The expected findings that are missing, and the findings that are not expected.
fn compare<'o>(expected: &[ExpectedFinding], outcome: &'o Outcome) -> (Vec<Mismatch>, Vec<&'o EvaluatedFinding>) {
    let mut found: Vec<&EvaluatedFinding> = outcome.findings.iter().collect();
    let mut mismatches = Vec::new();
    for expected in expected {
        match found.iter().position(|found| matches_expected(found, expected)) {
            Some(position) => drop(found.remove(position)),
            None => mismatches.push(Mismatch::Missing(described(expected))),
        }
    }
    (mismatches, found)
}

fn matches_expected(found: &EvaluatedFinding, expected: &ExpectedFinding) -> bool {
    found.finding.check == expected.check.as_str()
        && expected.action.is_none_or(|action| action == found.action)
        && expected.field.as_ref().is_none_or(|field| found.finding.at.to_string() == *field)
        && expected.message.as_ref().is_none_or(|part| render_whole(&found.finding).contains(part.as_str()))
}

fn described(expected: &ExpectedFinding) -> String {
    let action = expected.action.map(|action| format!("{} ", action.name())).unwrap_or_default();
    let field = expected.field.as_ref().map(|field| format!(" at {field}")).unwrap_or_default();
    let message = expected.message.as_ref().map(|part| format!(" with the words `{part}`")).unwrap_or_default();
    format!("{action}[{}]{field}{message}", expected.check.value)
}

fn rendered(found: &EvaluatedFinding) -> String {
    let at = found.finding.at.to_string();
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("{} {at}{}", found.action.name(), render_whole(&found.finding))
}
