//! `ingress/path-duplicate`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::matching::Claims;

pub static CHECK: Check = Check {
    id: "ingress/path-duplicate",
    page: include_str!("path_duplicate.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

fn check(claims: &Claims<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for twins in claims.twins().into_iter().filter(|twins| twins.first.written == twins.second.written) {
        let (route, path) = (twins.second, twins.path);
        let identity = format!("{} {} {}", route.host, path.kind, route.written);
        let is_repetition = twins.first.backend == route.backend;
        let sentence = match is_repetition {
            true => "path {} on {} is repeated with type {} and the same backend; remove one",
            false => "path {} on {} is in this Ingress twice with type {} and different backends",
        };
        let finding = found.duplicate(route.at.then("path"), &identity, sentence);
        finding.shown([&*path.text, &route.host.to_string(), &path.kind.to_string()]);
        if is_repetition {
            finding.only_warns();
        }
    }
}
