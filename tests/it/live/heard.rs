//! What a writer hears, by kubectl or in the answer to a review.

use serde_json::Value;

use crate::harness::Said;

/// What came back, whichever way it went.
pub struct Heard {
    pub refused: bool,
    pub text: String,
}

impl Heard {
    pub fn of_kubectl(said: &Said) -> Self {
        Self { refused: !said.succeeded(), text: said.stderr.clone() }
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
