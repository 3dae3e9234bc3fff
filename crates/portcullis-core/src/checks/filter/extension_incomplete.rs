//! `filter/extension-incomplete`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Text;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/extension-incomplete",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("extension_incomplete.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for site in route.filters() {
        let Some(extension) = site.filter.extension_ref.as_deref() else { continue };
        let is_set = |text: &Option<Text<'_>>| text.as_deref().is_some_and(|text| !text.is_empty());
        if extension.group.is_none() {
            found.required(site.at().then("extensionRef.group"), "an extension needs its group, which may be empty");
        }
        if !is_set(&extension.kind) {
            found.required(site.at().then("extensionRef.kind"), "an extension needs its kind");
        }
        if extension.name.is_empty() {
            found.required(site.at().then("extensionRef.name"), "an extension needs its name");
        }
    }
}
