//! The rules for the paths and hostnames that a redirect or a rewrite sets.

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::walk::{self, RouteParts};
use crate::matching::path;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for new paths and hostnames.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/hostname-malformed",
            include_str!("../../checks/filter/hostname_malformed.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(|route, found| {
                found.each(walk::filter::hostnames(route), must::hostname_without_wildcard)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/path-modifier-mismatch",
            include_str!("../../checks/filter/path_modifier_mismatch.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(modifier_mismatch),
        )
    },
    Rule::reported(
        "filter/path-replacement-literal",
        include_str!("../../checks/filter/path_replacement_literal.md"),
        Actions::WARN,
        RuleFn::HttpRouteParts(replacement_literal),
    ),
    Rule::reported(
        "filter/path-replacement-malformed",
        include_str!("../../checks/filter/path_replacement_malformed.md"),
        Actions::WARN,
        RuleFn::HttpRouteParts(replacement_malformed),
    ),
];

fn modifier_mismatch(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let written = &*path.kind;
        if !matches!(written, "ReplaceFullPath" | "ReplacePrefixMatch") {
            let template = "path type `{}` is not supported: use ReplaceFullPath or ReplacePrefixMatch";
            found.not_supported(at.named("type"), written, template);
            continue;
        }
        let full = ("ReplaceFullPath", "replaceFullPath", path.replace_full_path.is_some());
        let prefix = ("ReplacePrefixMatch", "replacePrefixMatch", path.replace_prefix_match.is_some());
        for (owner, field, is_there) in [full, prefix] {
            match (owner == written, is_there) {
                (true, false) => {
                    found.required(at.named(field), "type {} requires `{}`").args([written, field]);
                }
                (false, true) => {
                    let template = "`{}` must not be set with type {}: remove it";
                    found.forbidden(at.named(field), field, template).args([field, written]);
                }
                _ => {}
            }
        }
    }
}

fn replacement_literal(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let full = path.replace_full_path.as_deref().map(|text| ("replaceFullPath", text));
        let prefix = path.replace_prefix_match.as_deref().map(|text| ("replacePrefixMatch", text));
        for (field, text) in full.into_iter().chain(prefix) {
            let Some(group) = path::capture_group(text) else { continue };
            let template = match field {
                "replaceFullPath" => "`{}` in `{}` is literal: the API has no capture groups; use ReplacePrefixMatch",
                _ => "`{}` in `{}` is literal: the API has no capture groups; remove it, the rest is kept",
            };
            found.invalid(at.named(field), text, template).args([group, text]);
        }
    }
}

fn replacement_malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let full = path.replace_full_path.as_deref().map(|text| ("replaceFullPath", text));
        // An empty replacement removes the prefix.
        let prefix = path.replace_prefix_match.as_deref().filter(|text| !text.is_empty());
        for (field, text) in full.into_iter().chain(prefix.map(|text| ("replacePrefixMatch", text))) {
            if !text.starts_with('/') {
                found.invalid(at.named(field), text, "new path `{}` must start with `/`");
            } else if let Some(part) = path::ambiguous_part(text) {
                let template = "new path `{}` must not contain `{}`: backends disagree about what it means";
                found.invalid(at.named(field), text, template).args([text, part]);
            } else if let Some(character) = path::unsafe_character(text) {
                let template = "new path `{}` must not contain `{}`: percent-encode it";
                found.invalid(at.named(field), text, template).args([text, &character.to_string()]);
            }
        }
    }
}
