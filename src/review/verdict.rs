//! From findings to the response: a denial with one cause each, warnings, an audit annotation.

use serde::Serialize;

use super::envelope::API_VERSION;
use crate::checks::{Judged, Judgement};
use crate::config::{Config, Theme};
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::sentence::{NAME, Names, brief, clean, line, sentence};

/// How many causes, and how many warnings, one response names one by one.
const MOST: usize = 50;

/// How many characters our warnings may take together: the API server hands on 4,096 from all webhooks of a write, and drops the rest
/// without a word.
const WARNING_ROOM: usize = 3_500;

/// `response` of an AdmissionReview, but for the uid.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
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
    response: WithUid<'r>,
}

#[derive(Serialize)]
struct WithUid<'r> {
    uid: &'r str,
    #[serde(flatten)]
    response: &'r Response,
}

impl Response {
    /// Allowed, and nothing to say.
    pub fn allowed() -> Self {
        Self { allowed: true, ..Self::default() }
    }

    /// Allowed with this patch (a JSON Patch in base64), if any, and these warnings.
    pub fn patched(patch: Option<String>, warnings: Vec<String>) -> Self {
        let patch_type = patch.as_ref().map(|_| "JSONPatch");
        let warnings = warnings.iter().map(|warning| clean(warning)).collect();
        Self { allowed: true, patch, patch_type, warnings, ..Self::default() }
    }

    /// The same with one more warning.
    pub fn warn(mut self, warning: String) -> Self {
        self.warnings.push(warning);
        self
    }

    /// The AdmissionReview that carries this response.
    pub fn to_json(&self, uid: &str) -> Vec<u8> {
        let review =
            Review { api_version: API_VERSION, kind: "AdmissionReview", response: WithUid { uid, response: self } };
        serde_json::to_vec(&review).expect("texts, numbers and booleans are always JSON")
    }
}

/// The response to a write of `this`, judged so.
pub fn of(judgement: &Judgement, this: &ObjectRef, config: &Config, names: Names<'_>) -> Response {
    if judgement.findings.is_empty() && judgement.ending.is_empty() {
        return Response::allowed();
    }
    let with = |action: Action| judgement.findings.iter().filter(move |judged| judged.action == action);
    let denials: Vec<&Judged> = with(Action::Deny).collect();
    let mut warnings: Vec<String> = with(Action::Warn).map(|judged| line(&judged.finding, names)).collect();
    let fitting = fitting(&warnings);
    cut(&mut warnings, fitting, |more| format!("and {more} more"));
    warnings.extend(judgement.ending.iter().map(|position| ending(config, *position)));
    Response {
        allowed: denials.is_empty(),
        status: (!denials.is_empty()).then(|| status(&denials, this, names)),
        warnings,
        audit_annotations: audit_annotations(judgement),
        ..Response::default()
    }
}

fn ending(config: &Config, position: usize) -> String {
    let exemption = &config.exemptions[position];
    let end = exemption.expires.map(|end| end.to_string()).unwrap_or_default();
    let checks: Vec<&str> = exemption.checks.iter().map(|check| check.as_str()).collect();
    format!("exemption from {} ends {end}: {}", checks.join(", "), clean(&exemption.reason))
}

fn audit_annotations(judgement: &Judgement) -> Option<AuditAnnotations> {
    let mut checks: Vec<String> =
        judgement.findings.iter().map(|judged| format!("{}={}", judged.finding.check, judged.action)).collect();
    checks.sort_unstable();
    checks.dedup();
    (!checks.is_empty()).then(|| AuditAnnotations { checks: checks.join(",") })
}

fn status(denials: &[&Judged], this: &ObjectRef, names: Names<'_>) -> Status {
    let only_tenancy = denials.iter().all(|judged| judged.theme == Theme::Tenancy);
    let mut lines: Vec<String> = denials.iter().map(|judged| addressed(judged, names)).collect();
    cut(&mut lines, MOST, |more| format!("and {more} more"));
    let mut causes: Vec<StatusCause> = denials.iter().map(|judged| cause(judged, names)).collect();
    // kubectl prints a cause without a field as `* : message`, so the last one stands where the list breaks off.
    let field = denials.get(MOST).map(|judged| clean(&judged.finding.at.to_string())).unwrap_or_default();
    let message = |more| format!("and {more} more from here on");
    cut(&mut causes, MOST, |more| StatusCause { reason: "FieldValueInvalid", message: message(more), field });
    let (reason, code, message) = match only_tenancy {
        true => ("Forbidden", 403, lines.join("\n")),
        false => ("Invalid", 422, lines.join("; ")),
    };
    let api = this.kind.api();
    let details = Details { name: brief(&this.name, NAME), group: api.group, kind: api.kind, causes };
    Status { status: "Failure", message, reason, details, code }
}

fn addressed(judged: &Judged, names: Names<'_>) -> String {
    let (at, sentence) = (brief(&judged.finding.at.to_string(), NAME), sentence(&judged.finding, names));
    if at.is_empty() { sentence } else { format!("{at}: {sentence}") }
}

fn cause(judged: &Judged, names: Names<'_>) -> StatusCause {
    StatusCause {
        reason: judged.finding.cause.reason(),
        message: sentence(&judged.finding, names),
        field: brief(&judged.finding.at.to_string(), NAME),
    }
}

/// How many of these warnings reach the writer.
fn fitting(warnings: &[String]) -> usize {
    let mut room = WARNING_ROOM;
    let fits = |warning: &&String| room.checked_sub(warning.chars().count()).inspect(|left| room = *left).is_some();
    warnings.iter().take(MOST).take_while(fits).count()
}

/// Keeps `most` of them and says how many more there are.
fn cut<T>(list: &mut Vec<T>, most: usize, more: impl FnOnce(usize) -> T) {
    if list.len() > most {
        let rest = list.len() - most;
        list.truncate(most);
        list.push(more(rest));
    }
}
