//! `ingress/path-shadowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::matching::Claims;

pub static CHECK: Check = Check {
    id: "ingress/path-shadowed",
    page: include_str!("path_shadowed.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claims: &Claims<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for twins in claims.twins().into_iter().filter(|twins| twins.first.written != twins.second.written) {
        let route = twins.second;
        let host = route.host.to_string();
        let identity = format!("{host} {} {}", twins.path.kind, route.written);
        found.duplicate(route.at.then("path"), &identity, "`{}` matches the same requests as `{}` on {}").shown([
            or_root(route.written),
            or_root(twins.first.written),
            &host,
        ]);
    }
}

/// The path as written; an absent one means `/` (KEP-758).
fn or_root(written: &str) -> &str {
    if written.is_empty() { "/" } else { written }
}
