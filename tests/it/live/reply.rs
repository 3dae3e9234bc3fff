//! The actual reply of the server, through kubectl, through the API server alone, or to a review that the test built, and the expected
//! one.

use axum::http::{Response, header};
use portcullis_core::checks::EvaluatedFinding;
use portcullis_core::finding::Action;
use portcullis_core::message::{Disclosure, GROWING, PREEXISTING, render_cause, render_warning};
use serde_json::Value;

use crate::harness::KubectlOutput;

/// The reply, from either source.
pub struct Reply {
    pub refused: bool,
    pub text: String,
}

impl Reply {
    pub fn of_kubectl(output: &KubectlOutput) -> Self {
        Self { refused: !output.succeeded(), text: output.stderr.clone() }
    }

    /// The warnings, the message and the causes of a response of the API server, of which kubectl prints the causes or the message.
    pub fn of_api_server(response: &Response<Vec<u8>>) -> Self {
        let warnings = response.headers().get_all(header::WARNING).iter();
        let warnings: String = warnings.map(|value| format!("Warning: {}\n", warning(value.as_bytes()))).collect();
        let body: Value = serde_json::from_slice(response.body()).expect("an API server answers with JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let causes = body["details"]["causes"].as_array().into_iter().flatten();
        let causes: String =
            causes.map(|cause| format!("{}: {}\n", text(&cause["field"]), text(&cause["message"]))).collect();
        let refused = !response.status().is_success();
        let message = if refused { text(&body["message"]) } else { String::new() };
        Self { refused, text: format!("{warnings}{causes}{message}\n") }
    }

    pub fn of_review((status, answer): &(u16, Value)) -> Self {
        assert_eq!(*status, 200, "{answer}");
        let response = &answer["response"];
        let warnings = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let warnings: String = warnings.map(|warning| format!("Warning: {warning}\n")).collect();
        let message = response["status"]["message"].as_str().unwrap_or_default();
        Self { refused: response["allowed"] == false, text: format!("{warnings}{message}\n") }
    }
}

/// The text of a `Warning` header, such as `299 - "text"`.
fn warning(header: &[u8]) -> String {
    let header = std::str::from_utf8(header).expect("an API server writes UTF-8");
    let quoted = header.strip_prefix("299 - ").unwrap_or_else(|| panic!("no warning of an API server: {header}"));
    let mut characters = quoted.trim_matches('"').chars();
    let unescaped = std::iter::from_fn(|| match characters.next()? {
        '\\' => characters.next(),
        other => Some(other),
    });
    unescaped.collect()
}

/// The expected text of a finding.
pub fn words(evaluated: &EvaluatedFinding) -> String {
    let (at, finding) = (evaluated.finding.at.to_string(), &evaluated.finding);
    match evaluated.action {
        Action::Deny => {
            let mark = if evaluated.is_growing { GROWING } else { "" };
            let message = format!("{mark}{}", render_cause(finding, Disclosure::All));
            if at.is_empty() { message } else { format!("{at}: {message}") }
        }
        Action::Warn => {
            let mark = if evaluated.is_preexisting { PREEXISTING } else { "" };
            format!("Warning: {mark}{}\n", render_warning(finding, Disclosure::All))
        }
        Action::Audit | Action::Off => panic!("a page shows what its reader would see"),
    }
}
