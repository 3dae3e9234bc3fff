//! `gateway/allowed-listeners-selector-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-selector-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("allowed_listeners_selector_malformed.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(selector) = gateway.allowed_listeners().and_then(|namespaces| namespaces.selector.as_ref()) else {
        return;
    };
    for (key, value) in selector.match_labels.iter() {
        let at = || At::field("spec.allowedListeners.namespaces.selector.matchLabels").key(key);
        if !names::is_qualified_name(key) {
            found.invalid(at(), key, "`{}` is no key of a label");
        } else if !names::is_label_value(value) {
            found.invalid(at(), value, "`{}` is no value of a label");
        }
    }
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let at = At::element("spec.allowedListeners.namespaces.selector.matchExpressions[]", [index]);
        let (operator, has_values) = (&*requirement.operator, !requirement.values.is_empty());
        if !names::is_qualified_name(&requirement.key) {
            found.invalid(at.then("key"), &requirement.key, "`{}` is no key of a label");
        }
        match operator {
            "In" | "NotIn" if !has_values => {
                found.required(at.then("values"), "{} needs values to compare with").shown([operator]);
            }
            "Exists" | "DoesNotExist" if has_values => {
                found.forbidden(at.then("values"), operator, "{} compares with nothing: remove the values");
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => {
                found.not_supported(at.then("operator"), operator, "`{}` is not In, NotIn, Exists or DoesNotExist");
            }
        }
        for value in requirement.values.iter().filter(|value| !names::is_label_value(value)) {
            found.invalid(at.then("values"), value, "`{}` is no value of a label");
        }
    }
}
