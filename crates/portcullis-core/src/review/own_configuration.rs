//! The review of the ConfigMap from which the configuration is read. It is never denied: a write that is denied could not repair the
//! configuration either, and an invalid version changes nothing.

use std::fmt;

use super::answer::{AdmissionVerdict, ReviewResponse};
use super::envelope::{self, Pass};
use super::verdict::Response;
use crate::checks::Operation;
use crate::message::WARNING;

/// The ConfigMap, and what is wrong with a version of it.
pub(super) struct OwnConfiguration {
    pub namespace: String,
    pub name: String,
    /// The faults of the ConfigMap with this JSON.
    pub faults: Faults,
}

/// Returns the faults of a ConfigMap, given as JSON.
pub(super) type Faults = Box<dyn Fn(&str) -> Vec<String> + Send + Sync>;

impl fmt::Debug for OwnConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnConfiguration({}/{})", self.namespace, self.name)
    }
}

/// The first warning about an invalid version.
const INVALID: &str = "this configuration of Portcullis is invalid, so the last valid version stays in effect:";

/// How many characters the warnings may have in total, as in every response.
const ROOM: usize = 3_500;

impl OwnConfiguration {
    /// The response to the review in `text`; `None` if it is not a write of this ConfigMap.
    pub(super) fn review(&self, text: &str) -> Option<ReviewResponse> {
        let request = envelope::read(text, Pass::Raw).ok()?;
        let is_config_map = (&*request.gvk.group, &*request.gvk.version, &*request.gvk.kind) == ("", "v1", "ConfigMap");
        let is_own = *request.namespace == *self.namespace && *request.name == *self.name;
        let is_write = matches!(request.operation(), Some(Operation::Create | Operation::Update));
        if !(is_config_map && is_own && is_write) || request.is_subresource() {
            return None;
        }
        let faults = (self.faults)(request.raw()?.get());
        let body = Response::patched(None, warnings(&faults)).into_json(&request.uid);
        Some(ReviewResponse { body, summary: request.summary(None, AdmissionVerdict::Allowed) })
    }
}

/// The warnings about these faults.
fn warnings(faults: &[String]) -> Vec<String> {
    if faults.is_empty() {
        return Vec::new();
    }
    let mut room = ROOM;
    let fits = |fault: &&String| {
        let size = fault.chars().count().min(WARNING);
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    };
    let shown: Vec<String> = faults.iter().take_while(fits).cloned().collect();
    let more = faults.len() - shown.len();
    let rest = (more > 0).then(|| format!("and {more} more: see `portcullis config check`"));
    [INVALID.to_owned()].into_iter().chain(shown).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answer(request: Value) -> Option<Value> {
        let faults = |json: &str| {
            let map: Value = serde_json::from_str(json).expect("the object");
            let count = map["data"].as_object().map_or(0, serde_json::Map::len);
            (0..count).map(|number| format!("line {number}: {}", "x".repeat(300))).collect()
        };
        let own = OwnConfiguration { namespace: "home".into(), name: "portcullis".into(), faults: Box::new(faults) };
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        own.review(&review.to_string()).map(|answer| serde_json::from_slice(&answer.body).expect("JSON"))
    }

    fn request(keys: usize) -> Value {
        let data: Value = (0..keys).map(|key| (key.to_string(), json!(""))).collect();
        json!({
            "uid": "1", "kind": {"group": "", "version": "v1", "kind": "ConfigMap"}, "operation": "UPDATE",
            "namespace": "home", "name": "portcullis", "object": {"data": data},
        })
    }

    #[test]
    fn faults_are_warnings_that_fit() {
        let warnings = |keys: usize| {
            let response = answer(request(keys)).expect("the ConfigMap")["response"].take();
            assert_eq!(response["allowed"], true);
            response["warnings"].as_array().cloned().unwrap_or_default()
        };
        assert_eq!(warnings(0), Vec::<Value>::new());
        let one = warnings(1);
        assert!(
            one.len() == 2 && one[0] == INVALID && one[1].as_str().is_some_and(|text| text.starts_with("line 0: "))
        );
        let many = warnings(60);
        assert_eq!(many.last().expect("a warning"), "and 47 more: see `portcullis config check`");
        let size: usize = many.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        assert!(size <= 4_096, "{size}");
    }

    #[test]
    fn only_writes_of_this_one_are_reviewed() {
        for (field, value) in [
            ("operation", json!("DELETE")),
            ("namespace", json!("web")),
            ("name", json!("other")),
            ("kind", json!({"group": "", "version": "v1", "kind": "Secret"})),
            ("subResource", json!("status")),
            ("object", Value::Null),
        ] {
            let mut other = request(1);
            other[field] = value;
            assert_eq!(answer(other), None, "{field}");
        }
    }
}
