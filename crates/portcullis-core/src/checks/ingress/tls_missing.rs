//! `ingress/tls-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation::Says;
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Ingress, Kind};
use crate::matching::Mark;
use crate::matching::controller::Controller;
use crate::names::glob;
use crate::routing::controllers::of_classes;

pub static CHECK: Check = Check {
    id: "ingress/tls-missing",
    needs: &[Kind::IngressClass],
    page: include_str!("tls_missing.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

/// Annotations that enable TLS without `spec.tls`: the key, in which a trailing `*` matches any text, the controllers
/// that read it, and the values that enable TLS.
const TLS_BY_ANNOTATION: &[(&str, &[Controller], Says)] = &[
    ("alb.ingress.kubernetes.io/certificate-arn", &[Controller::Aws], |_| true),
    // The controller selects the certificate by host.
    ("alb.ingress.kubernetes.io/listen-ports", &[Controller::Aws, Controller::Alibaba], |ports| {
        ports.contains("\"HTTPS\"")
    }),
    ("networking.gke.io/managed-certificates", &[Controller::Other], |_| true),
    ("ingress.gcp.kubernetes.io/pre-shared-cert", &[Controller::Other], |_| true),
    ("appgw.ingress.kubernetes.io/appgw-ssl-certificate", &[Controller::Azure], |_| true),
    ("kubernetes.io/elb.tls-certificate-ids", &[Controller::Huawei], |_| true),
    ("oci-native-ingress.oraclecloud.com/certificate-ocid", &[Controller::Oracle], |_| true),
    ("traefik.ingress.kubernetes.io/router.tls", &[Controller::Traefik], is_true),
    // Each of these settings enables TLS for the router.
    ("traefik.ingress.kubernetes.io/router.tls.*", &[Controller::Traefik], |_| true),
    // A minion uses the TLS settings of its master, and must not have its own.
    ("nginx.org/mergeable-ingress-type", &[Controller::F5Nginx], |kind| kind == "minion"),
];

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_read = |controllers: &[Controller]| {
        let known = of_classes(ingress.classes().iter(), cx.cluster);
        known.into_iter().all(|known| known.is_none_or(|known| controllers.contains(&known)))
    };
    let asks = |(pattern, controllers, says_so): &(&str, &[Controller], Says)| {
        let mut annotations = ingress.metadata.annotations.iter();
        annotations.any(|(key, value)| glob(pattern, key) && says_so(value)) && is_read(controllers)
    };
    // An ACME server sends plain-text requests, because the certificate does not exist yet. A canary uses the TLS settings of
    // the Ingress that it belongs to.
    let is_exempt = || Mark::of_ingress(ingress) != Mark::None || TLS_BY_ANNOTATION.iter().any(asks);
    if ingress.spec.tls.is_empty() && !is_exempt() {
        found.required(At::field("spec.tls"), "spec.tls is required: without it requests may travel in plain text");
    }
}
