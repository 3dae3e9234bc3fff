//! `ingress/snippet`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, annotation};

pub static CHECK: Check = Check {
    id: "ingress/snippet",
    options: &[CheckOption::Optional("prefixes", OptionDefault::Text("every prefix"))],
    page: include_str!("snippet.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::new(Action::Warn, Action::Deny, Action::Warn))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let prefixes = cx.options.prefixes.as_deref();
    let applies = |key: &str| prefixes.is_none_or(|prefixes| prefixes.iter().any(|prefix| key.starts_with(prefix)));
    for (key, value) in ingress.metadata.annotations.iter() {
        if annotation::is_snippet(key) && applies(key) {
            let at = At::field("metadata.annotations").key(key);
            // The value identifies the finding, so that an existing snippet does not excuse a different one.
            found.forbidden(at, value, "{} adds its text to the proxy's own configuration: remove it").args([key]);
        }
    }
}
