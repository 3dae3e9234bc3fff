//! `filter/path-modifier-mismatch`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "filter/path-modifier-mismatch",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_modifier_mismatch.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::filter::path_modifiers(route) {
        let written = &*path.kind;
        if !matches!(written, "ReplaceFullPath" | "ReplacePrefixMatch") {
            let message = "path type `{}` must be ReplaceFullPath or ReplacePrefixMatch";
            found.not_supported(at.then("type"), written, message);
            continue;
        }
        let full = ("ReplaceFullPath", "replaceFullPath", path.replace_full_path.is_some());
        let prefix = ("ReplacePrefixMatch", "replacePrefixMatch", path.replace_prefix_match.is_some());
        for (owner, field, is_there) in [full, prefix] {
            match (owner == written, is_there) {
                (true, false) => found.required(at.then(field), "a path of type {} needs `{}`").args([written, field]),
                (false, true) => {
                    found.forbidden(at.then(field), field, "`{}` in a path of type {}").args([field, written])
                }
                _ => continue,
            };
        }
    }
}
