//! `ingress-route/insecure-permitted`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingress-route/insecure-permitted",
    options: &[CheckOption::Optional("namespaces", OptionDefault::Text("every namespace"))],
    page: include_str!("insecure_permitted.md"),
    run: Run::IngressRoute(check),
    ..Check::policy(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let may = cx.options.namespaces.as_ref().map(|allowed| cx.cluster.selects(allowed, cx.namespace()));
    let is_plain = route.spec.virtualhost.as_ref().is_some_and(|virtualhost| virtualhost.tls.is_none());
    for (at, path) in walk::ingress_route::routes(route).filter(|(_, path)| path.permit_insecure) {
        // No finding if this depends on namespace labels that are not known.
        if may == Some(Some(false)) {
            let message = "permitInsecure must not be set for `{}` in namespace {}: remove it";
            let finding = found.forbidden(at.then("permitInsecure"), path.prefix(), message);
            finding.args([path.prefix(), cx.namespace()]);
        } else if is_plain {
            let message = "permitInsecure of `{}` has no effect: the host has no TLS";
            found.invalid(at.then("permitInsecure"), path.prefix(), message).only_warns();
        }
    }
}
