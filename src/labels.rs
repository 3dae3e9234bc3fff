//! The forms of labels and of selectors over them, which no schema of a CRD looks into.

use crate::field::{At, FieldPath};
use crate::kinds::label_selector::{LabelSelector, Requirement};
use crate::names;

/// The label that the API server keeps on each namespace and nobody else can change: the namespace's name.
pub const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Whether `text` is a label's key: a name, perhaps with a DNS-1123 subdomain and `/` in front.
pub fn is_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((domain, name)) => names::is_subdomain(domain) && is_name(name),
        None => is_name(text),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && names::is_label_value(text)
}

/// Why a selector is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<'s> {
    /// Where.
    pub at: FieldPath,
    /// The value at fault.
    pub value: &'s str,
    /// What is wrong with it; `{}` stands for the value.
    pub sentence: &'static str,
}

/// All that is wrong with `selector`, which is the field `selector` of what stands at `at`.
pub fn faults<'s>(at: At, selector: &'s LabelSelector<'_>) -> Vec<Fault<'s>> {
    let mut faults = Vec::new();
    for (key, value) in selector.match_labels.iter() {
        let mut add =
            |value, sentence| faults.push(Fault { at: at.then("selector.matchLabels").key(key), value, sentence });
        if !is_key(key) {
            add(key, "`{}` is no key of a label");
        } else if !names::is_label_value(value) {
            add(value, "`{}` is no value of a label");
        }
    }
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let Some((field, value, sentence)) = fault(requirement) else { continue };
        faults.push(Fault { at: at.then("selector.matchExpressions").index(index).then(field), value, sentence });
    }
    faults
}

/// What is wrong with one requirement: the field, its value, and the sentence.
fn fault<'s>(requirement: &'s Requirement<'_>) -> Option<(&'static str, &'s str, &'static str)> {
    let (key, operator) = (&*requirement.key, &*requirement.operator);
    if !is_key(key) {
        return Some(("key", key, "`{}` is no key of a label"));
    }
    let has_values = !requirement.values.is_empty();
    match operator {
        "In" | "NotIn" if !has_values => return Some(("values", operator, "`{}` needs at least one value")),
        "Exists" | "DoesNotExist" if has_values => return Some(("values", operator, "`{}` takes no values")),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => return Some(("operator", operator, "`{}` is none of In, NotIn, Exists, DoesNotExist")),
    }
    let value = requirement.values.iter().find(|value| !names::is_label_value(value))?;
    Some(("values", value, "`{}` is no value of a label"))
}

/// The keys that `selector` asks for.
pub fn keys<'s>(selector: &'s LabelSelector<'_>) -> impl Iterator<Item = &'s str> {
    let labels = selector.match_labels.iter().map(|(key, _)| key);
    labels.chain(selector.match_expressions.iter().map(|requirement| &*requirement.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_have_a_domain() {
        for key in ["team", "example.com/Team_1", "a.b/c", NAMESPACE_NAME] {
            assert!(is_key(key), "{key}");
        }
        for other in ["", "/team", "example.com/", "Example.com/team", "-team", "a/b/c", "te am"] {
            assert!(!is_key(other), "{other}");
        }
        assert!(is_key(&format!("a/{}", "a".repeat(63))) && !is_key(&format!("a/{}", "a".repeat(64))));
    }
}
