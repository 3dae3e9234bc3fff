//! `http-route/path-not-absolute`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "http-route/path-not-absolute",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_not_absolute.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if !path.starts_with('/') {
            found.invalid(at.then("value"), path, "path `{}` must begin with `/`");
        }
    }
}
