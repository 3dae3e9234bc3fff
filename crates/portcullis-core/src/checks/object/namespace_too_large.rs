//! `object/namespace-too-large`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::cluster::Facts;
use crate::cluster::namespace_entries::{MAX_NAMESPACE_ENTRIES, entries};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Object;

pub static CHECK: Check = Check {
    id: "object/namespace-too-large",
    options: &[CheckOption::Optional("maxEntries", OptionDefault::Number(MAX_NAMESPACE_ENTRIES))],
    page: include_str!("namespace_too_large.md"),
    run: Run::Object(check),
    ..Check::policy(Actions::DENY)
};

fn check(object: &Object<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let max = cx.options.max_entries.unwrap_or(MAX_NAMESPACE_ENTRIES) as usize;
    let (others, stored) = cx.cluster.namespace_entries();
    // Most objects are far too small to reach the limit, so they need not be counted.
    if others.saturating_add(object.most_entries()) <= max {
        return;
    }
    let own = entries(&Facts::of(object));
    let total = others.saturating_add(own);
    if total > max && own > stored {
        let message = "namespace {} would have {} paths and matches, and at most {} are allowed: delete some first";
        let args = [cx.namespace().to_owned(), total.to_string(), max.to_string()];
        found.forbidden(At::field("spec"), "", message).args(args);
    }
}
