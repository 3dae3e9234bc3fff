//! `http-route/path-too-long`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpRoute, Route, walk};

/// The most characters of a path.
const MOST: usize = 1024;

pub static CHECK: Check = Check {
    id: "http-route/path-too-long",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("path_too_long.md"),
    run: Run::HttpRoute(check),
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let paths = walk::rule::paths(route).map(|(at, path)| (at.then("value"), path.value()));
    let of_filters = Route::Http(route);
    let replacements = walk::filter::path_modifiers(&of_filters).flat_map(|(at, path, _)| {
        let full = path.replace_full_path.as_deref().map(|text| (at.then("replaceFullPath"), text));
        full.into_iter().chain(path.replace_prefix_match.as_deref().map(|text| (at.then("replacePrefixMatch"), text)))
    });
    for (at, path) in paths.chain(replacements) {
        if path.len() > MOST && path.chars().count() > MOST {
            found.too_long(at, path, "path `{}` is longer than 1024 characters");
        }
    }
}
