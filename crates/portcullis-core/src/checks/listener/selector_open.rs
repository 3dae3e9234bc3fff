//! `listener/selector-open`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::finding::{Action, Findings};
use crate::kinds::label_selector::{LabelSelector, NAMESPACE_NAME};
use crate::kinds::{Listeners, walk};
use crate::names::glob;

pub static CHECK: Check = Check {
    id: "listener/selector-open",
    options: &[CheckOption::Optional("trustedLabels", OptionDefault::Text("no label"))],
    page: include_str!("selector_open.md"),
    run: Run::Listeners(check),
    ..Check::tenancy(Actions::new(Action::Off, Action::Warn, Action::Off))
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let trusted = cx.options.trusted_labels.as_deref().unwrap_or_default();
    let is_trusted = |key: &str| trusted.iter().any(|pattern| glob(pattern, key));
    for (at, _, namespaces) in walk::listener::namespaces(listeners) {
        if namespaces.from.as_deref() != Some("Selector") {
            continue;
        }
        let Some(selector) = &namespaces.selector else { continue };
        let Some(first) = selector.keys().next() else { continue };
        if !is_closed(selector, is_trusted) {
            let message = "anyone who may label a namespace `{}` can attach routes; use kubernetes.io/metadata.name";
            found.forbidden(at.then("selector"), &selector.keys().collect::<Vec<_>>().join(" "), message).args([first]);
        }
    }
}

/// Whether the selector has a requirement that users cannot meet by labeling their own namespace.
fn is_closed(selector: &LabelSelector<'_>, is_trusted: impl Fn(&str) -> bool) -> bool {
    let is_safe = |key: &str| key == NAMESPACE_NAME || is_trusted(key);
    selector.match_labels.iter().any(|(key, _)| is_safe(key))
        || selector.match_expressions.iter().any(|requirement| match &*requirement.operator {
            "In" => is_safe(&requirement.key),
            // Every namespace has `kubernetes.io/metadata.name`, so requiring its existence excludes none.
            "Exists" => is_trusted(&requirement.key),
            _ => false,
        })
}
