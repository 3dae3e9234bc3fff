//! `http-route/path-ambiguous`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "http-route/path-ambiguous",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_ambiguous.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if let Some(part) = path::ambiguous_part(path) {
            found
                .invalid(at.then("value"), path, "`{}` in path `{}`: proxies disagree about what it matches")
                .args([part, path]);
        }
    }
}
