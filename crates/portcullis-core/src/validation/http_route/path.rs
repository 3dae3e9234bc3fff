//! The rules for the paths that an HTTPRoute matches.

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::walk::rule::LocatedPath;
use crate::kinds::walk::{self, RouteParts};
use crate::matching::path;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for paths.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/path-ambiguous",
            include_str!("../../checks/http_route/path_ambiguous.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(ambiguous),
        )
    },
    Rule::reported(
        "http-route/path-looks-like-regex",
        include_str!("../../checks/http_route/path_looks_like_regex.md"),
        Actions::WARN,
        RuleFn::HttpRouteParts(looks_like_regex),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/path-not-absolute",
            include_str!("../../checks/http_route/path_not_absolute.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(|route, found| {
                let paths = route.plain_paths().map(|(at, path)| (at.child("value"), path));
                found.each(paths, must::be(|path| path.starts_with('/'), "path `{}` must start with `/`"))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/path-too-long",
            include_str!("../../checks/http_route/path_too_long.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(too_long),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/path-type-unknown",
            include_str!("../../checks/http_route/path_type_unknown.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(|route, found| {
                let template = "path type `{}` is not supported: use Exact, PathPrefix or RegularExpression";
                let types = route.paths().iter().map(|LocatedPath { at, path }| (at.child("type"), path.kind()));
                found.each(types, must::be_one_of(&["Exact", "PathPrefix", "RegularExpression"], template))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/path-unsafe-character",
            include_str!("../../checks/http_route/path_unsafe_character.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(unsafe_character),
        )
    },
];

fn ambiguous(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if let Some(part) = path::ambiguous_part(path) {
            let template = "path `{}` must not contain `{}`: proxies disagree about what it matches";
            found.invalid(at.child("value"), path, template).args([path, part]);
        }
    }
}

fn looks_like_regex(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        // Another rule reports a path that no request can have.
        if let Some(pattern) = path::pattern_piece(path)
            && path::unsafe_character(path).is_none()
        {
            let template = "`{}` in `{}` is matched literally: use type RegularExpression for a pattern";
            found.invalid(at.child("value"), path, template).args([pattern, path]);
        }
    }
}

/// The maximum number of characters in a path.
const LONGEST: usize = 1024;

fn too_long(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let template = "path `{}` is too long: at most 1024 characters are allowed";
    let be_short = must::have_at_most_characters(LONGEST, template);
    let matched = route.paths().iter().map(|LocatedPath { at, path }| (at.child("value"), path.value()));
    found.each(matched, &be_short);
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let new = [("replaceFullPath", &path.replace_full_path), ("replacePrefixMatch", &path.replace_prefix_match)];
        let new = new.into_iter().filter_map(|(field, text)| Some((at.named(field), text.as_deref()?)));
        found.each(new, &be_short);
    }
}

fn unsafe_character(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if let Some(character) = path::unsafe_character(path) {
            let template = "path `{}` must not contain `{}`: percent-encode it";
            found.invalid(at.child("value"), path, template).args([path, &character.to_string()]);
        }
    }
}
