//! Whether a write changes any checked field of an object that cannot be decoded, by comparing JSON.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum length of two different texts that are parsed to compare their values. An API server serializes equal
/// values to equal texts.
const LONGEST: usize = 1 << 18;

/// The checked fields of an object, as text.
#[derive(Deserialize)]
struct ComparedFields<'a> {
    #[serde(borrow, default)]
    metadata: Option<Metadata<'a>>,
    #[serde(borrow, default)]
    spec: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    labels: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
}

/// Whether spec, labels and annotations of both objects are equal.
pub(super) fn is_same(new: &RawValue, old: &RawValue) -> bool {
    let parts = |object: &'_ RawValue| -> Option<[Option<_>; 3]> {
        let ComparedFields { metadata, spec } = serde_json::from_str(object.get()).ok()?;
        let Metadata { labels, annotations } = metadata.unwrap_or_default();
        Some([spec, labels, annotations].map(|part| part.map(|part| part.get().to_owned())))
    };
    match (parts(new), parts(old)) {
        (Some(new), Some(old)) => new.iter().zip(&old).all(|(new, old)| is_same_value(new.as_deref(), old.as_deref())),
        _ => false,
    }
}

fn is_same_value(new: Option<&str>, old: Option<&str>) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (new, old) {
        _ if new == old => true,
        (Some(new), Some(old)) if new.len().max(old.len()) <= LONGEST => {
            let new = value(new);
            new.is_some() && new == value(old)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluated_fields_are_compared_by_value() {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).expect("the cases are JSON");
        let is_same = |new: &str, old: &str| is_same(&raw(new), &raw(old));
        let old = r#"{"metadata": {"labels": {"a": "b", "c": "d"}, "finalizers": ["e"]}, "spec": {"weight": 1.5}}"#;
        for same in [
            r#"{"metadata": {"labels": {"a": "b", "c": "d"}}, "spec": {"weight": 1.5}}"#,
            r#"{"status": {}, "spec": { "weight": 1.5 }, "metadata": {"annotations": null, "labels": {"c": "d", "a": "b"}}}"#,
        ] {
            assert!(is_same(same, old), "{same}");
        }
        for other in [
            r#"{"metadata": {"labels": {"a": "b"}}, "spec": {"weight": 1.5}}"#,
            r#"{"metadata": {"labels": {"a": "b", "c": "d"}}, "spec": {"weight": 2.5}}"#,
            r#"{"metadata": {"labels": {"a": "b", "c": "d"}, "annotations": {"x": "y"}}, "spec": {"weight": 1.5}}"#,
            r#"{"metadata": {"labels": {"a": "b", "c": "d"}}}"#,
            "[]",
        ] {
            assert!(!is_same(other, old), "{other}");
        }
    }
}
