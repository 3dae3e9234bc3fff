//! `http-route/prefix-replaced-without-prefix`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Route;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "http-route/prefix-replaced-without-prefix",
    page: include_str!("prefix_replaced_without_prefix.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Route::Http(own) = route.route() else { return };
    for (at, path, site) in walk::filter::path_modifiers(route) {
        if &*path.kind != "ReplacePrefixMatch" || path.replace_prefix_match.is_none() {
            continue;
        }
        let Some(rule) = own.spec.rules().get(site.place.rule) else { continue };
        let message = match &rule.matches[..] {
            // Where they are not written the API fills in one: the prefix `/`.
            [] if !rule.matches.is_written() => continue,
            [] => "a prefix is replaced, and `matches` is empty: it needs one, a PathPrefix",
            [only] if only.path.as_ref().is_none_or(|path| path.kind() == "PathPrefix") => continue,
            [_] => "a prefix is replaced, and the rule's match is no PathPrefix",
            _ => "a prefix is replaced, and the rule has {} matches: it needs one, a PathPrefix",
        };
        found.invalid(at.then("replacePrefixMatch"), "", message).args([rule.matches.len().to_string()]);
    }
}
