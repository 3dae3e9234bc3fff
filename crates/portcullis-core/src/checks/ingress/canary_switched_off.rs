//! `ingress/canary-switched-off`

use super::canary_primaries::Primaries;
use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Mark, Route};

pub static CHECK: Check = Check {
    id: "ingress/canary-switched-off",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("canary_switched_off.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if claims.mark != Mark::Canary
        || !cx.cluster.is_complete(Kind::Ingress)
        || !nginx_annotations::are_read(claims.ingress, cx)
    {
        return;
    }
    let primaries = Primaries::new(claims, cx);
    let positions = cx.part.of(claims.distinct()).iter().map(|position| &claims.routes[*position]);
    let (with, without): (Vec<&Route<'_>>, Vec<&Route<'_>>) =
        positions.filter(|route| route.path.is_some()).partition(|route| primaries.of(route).is_some());
    // A canary without any primary waits for it.
    if with.is_empty() {
        return;
    }
    for route in without {
        let host = route.host.to_string();
        let template = "no other Ingress has {} on {} with this type, so the canary gets no requests: remove the path";
        let finding = found.not_found(route.at.child("path"), route.written, template);
        finding.args([route.written_or_root(), &*route.host.described()]).claim(&host, route.key());
    }
}
