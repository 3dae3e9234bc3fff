//! Builds the response from the findings: a denial with one cause for each finding, warnings, and an audit annotation.

use std::collections::BTreeSet;

use serde::Serialize;

use super::envelope::API_VERSION;
use crate::checks::{EvaluatedFinding, Outcome};
use crate::config::Config;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::{
    Disclosure, GROWING, NAME, PREEXISTING, ROOM, WARNING, address, render_cause, render_warning, truncate,
};

/// The usual size of a response in bytes, denials included.
const ORDINARY: usize = 1 << 10;

/// How many causes, and how many warnings, a response lists.
const MOST: usize = 50;

/// How many characters our warnings may have in total. The API server returns 4,096 characters of the warnings of all
/// webhooks and silently drops the rest.
const WARNING_ROOM: usize = 3_500;

/// The `response` of an AdmissionReview.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// Set when the response is serialized.
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<AuditAnnotations>,
}

#[derive(Debug, Serialize)]
struct AuditAnnotations {
    checks: String,
}

#[derive(Debug, Serialize)]
struct Status {
    status: &'static str,
    message: String,
    reason: &'static str,
    details: Details,
    code: u16,
}

impl Status {
    fn new(this: &ObjectRef, message: String, causes: Vec<StatusCause>) -> Self {
        let api = this.kind.api();
        let details = Details { name: truncate(&this.name, NAME), group: api.group, kind: api.kind, causes };
        // Also for tenancy: for a 403, kubectl prints the whole patch of an update and hides the causes.
        Self { status: "Failure", message, reason: "Invalid", details, code: 422 }
    }
}

#[derive(Debug, Serialize)]
struct Details {
    name: String,
    group: &'static str,
    kind: &'static str,
    causes: Vec<StatusCause>,
}

#[derive(Debug, Serialize)]
struct StatusCause {
    reason: &'static str,
    message: String,
    field: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'r> {
    api_version: &'static str,
    kind: &'static str,
    response: &'r Response,
}

impl Response {
    /// Allowed, without warnings.
    pub fn allowed() -> Self {
        Self { allowed: true, ..Self::default() }
    }

    /// Allowed with a patch (a JSON Patch in base64), if any, and with warnings.
    pub fn patched(patch: Option<String>, warnings: Vec<String>) -> Self {
        let patch_type = patch.as_ref().map(|_| "JSONPatch");
        let warnings = warnings.iter().map(|warning| truncate(warning, WARNING)).collect();
        Self { allowed: true, patch, patch_type, warnings, ..Self::default() }
    }

    /// Denied for one reason that is not a finding.
    pub fn denied(this: &ObjectRef, field: String, message: String) -> Self {
        let cause = StatusCause { reason: "FieldValueInvalid", message: message.clone(), field };
        Self { status: Some(Status::new(this, message, vec![cause])), ..Self::default() }
    }

    /// Adds a warning.
    pub fn warn(mut self, warning: String) -> Self {
        self.warnings.push(warning);
        self
    }

    /// The AdmissionReview with this response.
    pub fn into_json(mut self, uid: &str) -> Vec<u8> {
        uid.clone_into(&mut self.uid);
        let review = Review { api_version: API_VERSION, kind: "AdmissionReview", response: &self };
        let mut json = Vec::with_capacity(ORDINARY + self.patch.as_ref().map_or(0, String::len));
        serde_json::to_writer(&mut json, &review).expect("texts, numbers and booleans are always JSON");
        json
    }
}

/// The response to a write of `this` with the outcome `judgement`.
pub fn of(judgement: &Outcome, this: &ObjectRef, config: &Config, names: Disclosure<'_>) -> Response {
    if judgement.findings.is_empty() && judgement.expiring.is_empty() {
        return Response::allowed();
    }
    let denials = Listed::of(judgement, Action::Deny);
    Response {
        allowed: denials.all == 0,
        status: (denials.all > 0).then(|| status(&denials, this, names)),
        warnings: warnings(judgement, config, names),
        audit_annotations: audit_annotations(judgement),
        ..Response::default()
    }
}

/// The findings with one action: those that are listed, the first one that is not, and the total number.
struct Listed<'j> {
    first: Vec<&'j EvaluatedFinding>,
    next: Option<&'j EvaluatedFinding>,
    all: usize,
}

impl<'j> Listed<'j> {
    fn of(judgement: &'j Outcome, action: Action) -> Self {
        let own =
            || judgement.findings.iter().filter(move |evaluated| evaluated.action == action && !evaluated.is_silenced);
        let omitted_findings = judgement
            .omitted_findings
            .iter()
            .filter(|omitted_findings| omitted_findings.action == action && !omitted_findings.is_silenced);
        Self {
            first: own().take(MOST).collect(),
            next: own().nth(MOST),
            all: own().count() + omitted_findings.map(|omitted_findings| omitted_findings.count).sum::<usize>(),
        }
    }

    /// How many are not listed.
    fn more(&self) -> Option<usize> {
        Some(self.all - self.first.len()).filter(|more| *more > 0)
    }
}

/// The warnings that fit, the number of those that do not, and the exemptions that expire soon.
fn warnings(judgement: &Outcome, config: &Config, names: Disclosure<'_>) -> Vec<String> {
    let listed = Listed::of(judgement, Action::Warn);
    let expiring: Vec<String> = judgement
        .expiring
        .iter()
        .take(MOST)
        .map(|position| truncate(&config.exemptions[*position].notice(), ROOM))
        .collect();
    let mut room =
        WARNING_ROOM - expiring.iter().map(|warning| warning.chars().count()).sum::<usize>().min(WARNING_ROOM);
    let lines = listed.first.iter().map(|evaluated| {
        let warning = render_warning(&evaluated.finding, names);
        if evaluated.is_preexisting { format!("{PREEXISTING}{warning}") } else { warning }
    });
    let fits = |warning: &String| room.checked_sub(warning.chars().count()).inspect(|left| room = *left).is_some();
    let mut warnings: Vec<String> = lines.take_while(fits).collect();
    if listed.all > warnings.len() {
        warnings.push(format!("and {} more", listed.all - warnings.len()));
    }
    warnings.extend(expiring);
    warnings
}

/// The check and the action of each finding, including those that are not shown. Omitted findings of a check count once
/// for each action.
pub fn acted(judgement: &Outcome) -> Vec<(&'static str, Action)> {
    let kept = judgement.findings.iter().map(|evaluated| (evaluated.finding.check, evaluated.action));
    kept.chain(
        judgement.omitted_findings.iter().map(|omitted_findings| (omitted_findings.check, omitted_findings.action)),
    )
    .collect()
}

fn audit_annotations(judgement: &Outcome) -> Option<AuditAnnotations> {
    let acted: BTreeSet<_> = acted(judgement).into_iter().collect();
    let checks: Vec<_> = acted.iter().map(|(check, action)| [check, "=", action.name()].concat()).collect();
    (!checks.is_empty()).then(|| AuditAnnotations { checks: checks.join(",") })
}

fn status(denials: &Listed<'_>, this: &ObjectRef, names: Disclosure<'_>) -> Status {
    let mut causes: Vec<StatusCause> = denials.first.iter().map(|evaluated| cause(evaluated, names)).collect();
    let mut lines: Vec<String> = causes.iter().map(addressed).collect();
    if let Some(more) = denials.more() {
        lines.push(format!("and {more} more"));
        // kubectl prints a cause without a field as `* : message`, so the last cause gets the field at which the list
        // ends.
        let field = denials.next.map(|evaluated| address(&evaluated.finding.at)).unwrap_or_default();
        let message = format!("and {more} more from here on");
        causes.push(StatusCause { reason: "FieldValueInvalid", message, field });
    }
    Status::new(this, lines.join("; "), causes)
}

fn addressed(cause: &StatusCause) -> String {
    let StatusCause { field, message, .. } = cause;
    if field.is_empty() { message.clone() } else { format!("{field}: {message}") }
}

fn cause(evaluated: &EvaluatedFinding, names: Disclosure<'_>) -> StatusCause {
    let message = render_cause(&evaluated.finding, names);
    StatusCause {
        reason: evaluated.finding.cause.reason(),
        message: if evaluated.is_growing { format!("{GROWING}{message}") } else { message },
        field: address(&evaluated.finding.at),
    }
}
