//! `ingress/path-duplicate`

use super::shared_path::is_shared;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::Claims;

pub static CHECK: Check = Check {
    id: "ingress/path-duplicate",
    needs: &[Kind::IngressClass],
    page: include_str!("path_duplicate.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for duplicates in
        claims.duplicates().into_iter().filter(|duplicates| duplicates.first.written == duplicates.second.written)
    {
        if is_shared(claims, &duplicates, cx) {
            continue;
        }
        let (route, path) = (duplicates.second, duplicates.path);
        let identity = format!("{} {} {}", route.host, path.kind, route.written);
        let is_repetition = duplicates.first.backend == route.backend;
        let template = match is_repetition {
            true => "path {} on {} with type {} is listed twice with the same backend: remove one",
            false => "path {} on {} with type {} is already used with another backend: remove one",
        };
        let finding = found.duplicate(route.at.child("path"), &identity, template);
        finding.args([&*path.text, &route.host.described(), &path.kind.to_string()]);
        if is_repetition {
            finding.only_warns();
        }
    }
}
