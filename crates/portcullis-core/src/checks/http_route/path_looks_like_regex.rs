//! `http-route/path-looks-like-regex`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "http-route/path-looks-like-regex",
    page: include_str!("path_looks_like_regex.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        // A path that no request can have is refused for that.
        if let Some(pattern) = path::pattern_piece(path)
            && path::unsafe_character(path).is_none()
        {
            let message = "`{}` stands for itself in `{}`; for a pattern use type RegularExpression";
            found.invalid(at.then("value"), path, message).args([pattern, path]);
        }
    }
}
