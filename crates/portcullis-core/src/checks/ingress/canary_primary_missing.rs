//! `ingress/canary-primary-missing`

use super::canary_primaries::Primaries;
use super::nginx_annotations;
use crate::checks::{Actions, CLAIMS_PER_TURN, Check, Context, Run, When};
use crate::cluster::ingress_services::service_key;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark, Route};

pub static CHECK: Check = Check {
    id: "ingress/canary-primary-missing",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("canary_primary_missing.md"),
    when: When::Stored,
    run: Run::Claims(check),
    ..Check::reference(Actions::WARN)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if claims.mark != Mark::Canary
        || claims.distinct().len() > CLAIMS_PER_TURN
        || !cx.cluster.is_complete(Kind::Ingress)
        || !nginx_annotations::are_read(claims.ingress, cx)
    {
        return;
    }
    let primaries = Primaries::new(claims, cx);
    let routes = || claims.distinct().iter().map(|position| &claims.routes[*position]);
    // A canary for every host, and one whose Service is also that of another Ingress, may answer without a path of its own.
    let may_answer = |route: &Route<'_>| {
        let shares_service = || service_key(route.backend).is_some_and(|key| primaries.has_service(&key));
        route.host == Host::Any || route.path.is_none() || primaries.may_exist(route) || shares_service()
    };
    let Some(route) = routes().next().filter(|_| !routes().any(may_answer)) else { return };
    let host = route.host.to_string();
    let template = "no other Ingress has {} on {}, so the canary gets no requests: create its main Ingress";
    let finding = found.not_found(route.at.child("path"), route.written, template);
    finding.args([route.written_or_root(), &host]).claim(&host, route.key());
}
