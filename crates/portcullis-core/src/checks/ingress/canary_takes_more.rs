//! `ingress/canary-takes-more`

use super::canary_primaries::Primaries;
use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, RouteFacts};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Mark, Route};

pub static CHECK: Check = Check {
    id: "ingress/canary-takes-more",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("canary_takes_more.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if claims.mark != Mark::Canary || !nginx_annotations::are_read(claims.ingress, cx) {
        return;
    }
    let primaries = Primaries::new(claims, cx);
    let routes: Vec<&Route<'_>> =
        cx.part.of(claims.distinct()).iter().map(|position| &claims.routes[*position]).collect();
    let of_all: Option<Vec<&IngressFacts>> = routes.iter().map(|route| primaries.of(route)).collect();
    // With a path that has none, it gets no requests.
    let Some(of_all) = of_all else { return };
    for (route, primary) in routes.into_iter().zip(of_all) {
        // Which of several Services a path has is not known here.
        let Some(service) = primary.services.single() else { continue };
        let own = primary.routes.iter().filter(|other| !is_named(other, claims)).map(|other| (primary, other));
        let others = primaries.rivals().with_service(service).filter(|other| other.object_ref != primary.object_ref);
        let others = others
            .filter_map(|other| Some((other, other.routes.first().filter(|_| other.services.single().is_some())?)));
        let Some((other, taken)) =
            own.chain(others).min_by_key(|(other, taken)| (&other.object_ref, taken.host().to_string(), &taken.path))
        else {
            continue;
        };
        let (host, at) = (taken.host(), route.at.child("path"));
        let template =
            "the canary also gets requests for {} on {} of {other}, which has the same Service: use another one";
        let finding = found.invalid(at, route.written, template);
        finding.args([&*taken.path, &*host.described()]).other(&other.object_ref);
        finding.claim(&route.host.to_string(), route.key());
    }
}

/// Whether the canary has a path of its Ingress.
fn is_named(other: &RouteFacts, claims: &Claims<'_>) -> bool {
    other.notation.is_default_backend
        || claims.routes.iter().any(|route| {
            route.host == other.host() && route.path.as_ref().is_some_and(|path| *path.text == *other.path)
        })
}
