//! `ingress/tls-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::Mark;
use crate::matching::controller::Controller;
use crate::routing::controllers::of_classes;

pub static CHECK: Check = Check {
    id: "ingress/tls-missing",
    needs: &[Kind::IngressClass],
    page: include_str!("tls_missing.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

/// Annotations by which TLS is asked for without `spec.tls`: whose they are, and the value that does so, or any.
const TLS_BY_ANNOTATION: &[(&str, Controller, Option<&str>)] = &[
    ("alb.ingress.kubernetes.io/certificate-arn", Controller::Aws, None),
    ("networking.gke.io/managed-certificates", Controller::Other, None),
    ("ingress.gcp.kubernetes.io/pre-shared-cert", Controller::Other, None),
    ("appgw.ingress.kubernetes.io/appgw-ssl-certificate", Controller::Azure, None),
    ("traefik.ingress.kubernetes.io/router.tls", Controller::Traefik, Some("true")),
    // A minion has the TLS of its master, and may have none of its own.
    ("nginx.org/mergeable-ingress-type", Controller::F5Nginx, Some("minion")),
];

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_read = |controller: Controller| {
        let known = of_classes(ingress.classes().iter(), cx.cluster);
        known.into_iter().all(|known| known.is_none_or(|known| known == controller))
    };
    let asks = |(key, controller, wanted): &(&str, Controller, Option<&str>)| {
        let value = ingress.metadata.annotations.get(key);
        value.is_some_and(|value| wanted.is_none_or(|wanted| **value == *wanted)) && is_read(*controller)
    };
    // An ACME server asks in plain text, before there is a certificate; a canary takes the TLS of the Ingress beside it.
    let is_exempt = || Mark::of_ingress(ingress) != Mark::None || TLS_BY_ANNOTATION.iter().any(asks);
    if ingress.spec.tls.is_empty() && !is_exempt() {
        found.required(At::field("spec.tls"), "no TLS is asked for, so requests may travel in plain text");
    }
}
