//! `metav1.LabelSelector`, which CRD schemas do not validate.

use super::validators as must;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::label_selector::LabelSelector;
use crate::kinds::walk::label_selector as walk;

/// Reports faults of `selector`, which is the field `selector` of the element at `at`.
pub fn well_formed(at: At, selector: &LabelSelector<'_>, found: &mut Findings<'_>) {
    for (entry, key, value) in walk::match_labels(at, selector) {
        match must::label_key(key) {
            Ok(()) => found.each([(entry, value)], must::label_value),
            Err(_) => found.each([(entry, key)], must::label_key),
        }
    }
    for (element, requirement) in walk::match_expressions(at, selector) {
        let (key, operator, values) = (&*requirement.key, &*requirement.operator, &requirement.values);
        if must::label_key(key).is_err() {
            found.each([(element.then("key"), key)], must::label_key);
        } else if must::selector_operator(operator).is_err() {
            found.each([(element.then("operator"), operator)], must::selector_operator);
        } else {
            let takes_values = matches!(operator, "In" | "NotIn");
            match (takes_values, values.is_empty()) {
                (true, true) => {
                    found.invalid(element.then("values"), operator, "operator `{}` requires at least one value");
                }
                (false, false) => {
                    let template = "operator `{}` takes no values: remove them, or use In or NotIn";
                    found.invalid(element.then("values"), operator, template);
                }
                _ => {
                    let value = values.iter().map(|value| &**value).find(|value| must::label_value(value).is_err());
                    found.each(value.map(|value| (element.then("values"), value)), must::label_value);
                }
            }
        }
    }
}
