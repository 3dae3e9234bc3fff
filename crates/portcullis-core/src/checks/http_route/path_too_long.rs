//! `http-route/path-too-long`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::rule::PathSite;
use crate::kinds::walk::{self, RouteParts};

/// The most characters of a path.
const MOST: usize = 1024;

pub static CHECK: Check = Check {
    id: "http-route/path-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_too_long.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let is_too_long = |path: &str| path.len() > MOST && path.chars().count() > MOST;
    let message = "path `{}` is longer than 1024 characters";
    for PathSite { at, path } in route.paths().iter().filter(|site| is_too_long(site.path.value())) {
        found.too_long(at.then("value"), path.value(), message);
    }
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let new = [("replaceFullPath", &path.replace_full_path), ("replacePrefixMatch", &path.replace_prefix_match)];
        for (field, text) in new.into_iter().filter_map(|(field, text)| Some((field, text.as_deref()?))) {
            if is_too_long(text) {
                found.too_long(at.then(field), text, message);
            }
        }
    }
}
