//! The actual reply of the server, through kubectl or to a review that the test built, and the expected one.

use portcullis_core::checks::EvaluatedFinding;
use portcullis_core::finding::Action;
use portcullis_core::message::{Disclosure, render_cause, render_warning};
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

    pub fn of_review((status, answer): &(u16, Value)) -> Self {
        assert_eq!(*status, 200, "{answer}");
        let response = &answer["response"];
        let warnings = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let warnings: String = warnings.map(|warning| format!("Warning: {warning}\n")).collect();
        let message = response["status"]["message"].as_str().unwrap_or_default();
        Self { refused: response["allowed"] == false, text: format!("{warnings}{message}\n") }
    }
}

/// The expected text of a finding.
pub fn words(evaluated: &EvaluatedFinding) -> String {
    let (at, finding) = (evaluated.finding.at.to_string(), &evaluated.finding);
    match evaluated.action {
        Action::Deny if at.is_empty() => render_cause(finding, Disclosure::All),
        Action::Deny => format!("{at}: {}", render_cause(finding, Disclosure::All)),
        Action::Warn => {
            let mark = if evaluated.is_preexisting { "already present, tolerated: " } else { "" };
            format!("Warning: {mark}{}\n", render_warning(finding, Disclosure::All))
        }
        Action::Audit | Action::Off => panic!("a page shows what its reader would see"),
    }
}
