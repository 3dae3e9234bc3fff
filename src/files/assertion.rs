//! Files of test tools that say what objects must be like: they are part of an object, and no object.

use std::path::Path;

use serde_json::Value;

/// Whether a document is an assertion of Chainsaw (Kyverno) or kuttl: some key is an expression in parentheses, or the file is
/// one that the tool reads as an assertion.
pub(super) fn is_assertion(file: &Path, document: &Value) -> bool {
    has_expression(document) || is_named(file)
}

fn has_expression(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| key.starts_with('(') || has_expression(value)),
        Value::Array(values) => values.iter().any(has_expression),
        _ => false,
    }
}

/// Whether the file is `00-assert.yaml` or `00-errors.yaml`, which kuttl reads, or is named `assert` in another way or in a
/// folder of assertions, as is usual for Chainsaw.
fn is_named(file: &Path) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut words = stem.split(['-', '_', '.']);
    let is_step =
        words.next().is_some_and(|first| !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()));
    let is_folder =
        file.parent().and_then(Path::file_name).is_some_and(|name| name == "assertions" || name == "asserts");
    is_folder || stem.split(['-', '_', '.']).any(|word| word == "assert") || (is_step && stem.ends_with("errors"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn assertions_are_found_by_a_key_or_by_the_name_of_the_file() {
        let object = json!({"kind": "HTTPRoute", "spec": {"rules": [{"path": "/(a)"}]}});
        let is = |file: &str| is_assertion(Path::new(file), &object);
        assert!(
            is("tests/a/00-assert.yaml")
                && is("a/01-errors.yaml")
                && is("assertions/a.yaml")
                && is("route_assert.yaml")
        );
        assert!(!is("a/route.yaml") && !is("a/errors.yaml") && !is("assertive.yaml"));
        let asserted = json!({"kind": "HTTPRoute", "spec": {"(length(rules))": 1}});
        assert!(is_assertion(Path::new("a.yaml"), &asserted));
    }
}
