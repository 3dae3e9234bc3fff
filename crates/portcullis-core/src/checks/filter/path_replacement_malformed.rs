//! `filter/path-replacement-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "filter/path-replacement-malformed",
    page: include_str!("path_replacement_malformed.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let full = path.replace_full_path.as_deref().map(|text| ("replaceFullPath", text));
        // An empty replacement of a prefix takes the prefix away.
        let prefix = path.replace_prefix_match.as_deref().filter(|text| !text.is_empty());
        for (field, text) in full.into_iter().chain(prefix.map(|text| ("replacePrefixMatch", text))) {
            if !text.starts_with('/') {
                found.invalid(at.then(field), text, "new path `{}` must begin with `/`");
            } else if let Some(part) = path::ambiguous_part(text) {
                found
                    .invalid(at.then(field), text, "`{}` in new path `{}`: backends disagree about it")
                    .args([part, text]);
            } else if let Some(character) = path::unsafe_character(text) {
                let message = "`{}` in new path `{}`: no path holds it unencoded";
                found.invalid(at.then(field), text, message).args([&character.to_string(), text]);
            }
        }
    }
}
