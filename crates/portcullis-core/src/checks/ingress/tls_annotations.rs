//! The annotations by which controllers encrypt traffic or redirect requests in plain text.

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::kinds::annotation::Says;
use crate::kinds::annotation_value::{is_true, parse_bool, parse_port};
use crate::matching::controller::Controller;
use crate::names::glob;
use crate::routing::controllers::of_classes;

/// An annotation, in which a trailing `*` of the key matches any text, with the controllers that read it and the values
/// that have the effect.
type Effect = (&'static str, &'static [Controller], Says);

/// Annotations that enable TLS without `spec.tls`.
const TLS_BY_ANNOTATION: &[Effect] = &[
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

/// Annotations by which a controller serves no request in plain text, even without `spec.tls`: it redirects to HTTPS or
/// does not listen.
const HTTPS_ONLY: &[Effect] = &[
    ("alb.ingress.kubernetes.io/ssl-redirect", &[Controller::Aws], |port| parse_port(port).is_some()),
    ("haproxy.org/ssl-redirect", &[Controller::HaproxyTech], is_true),
    ("ingress.kubernetes.io/force-ssl-redirect", &[Controller::Contour], |value| value == "true"),
    ("konghq.com/protocols", &[Controller::Kong], |list| {
        list.split(',').all(|name| matches!(name.trim(), "https" | "grpcs" | "wss" | "tls"))
    }),
    ("kubernetes.io/ingress.allow-http", &[Controller::Contour, Controller::Other], is_false),
    ("nginx.ingress.kubernetes.io/force-ssl-redirect", &[Controller::IngressNginx, Controller::Higress], is_true),
    ("nginx.org/redirect-to-https", &[Controller::F5Nginx], is_true),
    // The entry point that the Helm chart of Traefik creates with TLS.
    ("traefik.ingress.kubernetes.io/router.entrypoints", &[Controller::Traefik], |list| {
        list.split(',').all(|name| name.trim() == "websecure")
    }),
];

/// Annotations by which a controller serves requests in plain text although there is a certificate.
const PLAIN_TEXT_TOO: &[Effect] = &[
    ("haproxy-ingress.github.io/ssl-redirect", &[Controller::HaproxyIngress], is_false),
    ("haproxy.org/ssl-redirect", &[Controller::HaproxyTech], is_false),
    ("ingress.kubernetes.io/ssl-redirect", &[Controller::F5Nginx, Controller::HaproxyIngress], is_false),
    ("nginx.ingress.kubernetes.io/ssl-redirect", &[Controller::IngressNginx, Controller::Higress], is_false),
    ("nginx.org/ssl-redirect", &[Controller::F5Nginx], is_false),
];

/// Annotations by which a controller listens in plain text only, unless an annotation enables TLS: the secrets of `spec.tls` are then
/// certificates for nothing. Traefik's provider for Ingresses takes certificates from `spec.tls`, and takes the entry points and the TLS
/// of a router from the annotations alone (`loadRouter` and `getCertificates` in its pkg/provider/kubernetes/ingress/kubernetes.go); `web`
/// is the entry point that its Helm chart creates without TLS. Beside another entry point, `web` may be there for its redirect.
const PLAIN_TEXT_ONLY: &[Effect] =
    &[("traefik.ingress.kubernetes.io/router.entrypoints", &[Controller::Traefik], |list| {
        list.split(',').all(|name| name.trim() == "web")
    })];

/// Annotations of an Ingress that shares the settings of another one, a canary of it.
const CANARY: &[Effect] =
    &[("nginx.ingress.kubernetes.io/canary", &[Controller::IngressNginx, Controller::Higress], is_true)];

fn is_false(text: &str) -> bool {
    parse_bool(text) == Some(false)
}

/// Whether the Ingress is a canary, which uses the settings of the Ingress that it belongs to.
pub(super) fn is_canary(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    with_effect(CANARY, ingress, cx).is_some()
}

/// Whether an annotation that the controller reads enables TLS.
pub(super) fn enables_tls(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    with_effect(TLS_BY_ANNOTATION, ingress, cx).is_some()
}

/// Whether an annotation that the controller reads keeps it from serving requests in plain text.
pub(super) fn is_https_only(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    with_effect(HTTPS_ONLY, ingress, cx).is_some()
}

/// The key and the value of an annotation that the controller reads and by which it serves requests in plain text, too, or only.
pub(super) fn serves_plain_text<'i>(ingress: &'i Ingress<'_>, cx: &Context<'_>) -> Option<(&'i str, &'i str)> {
    let only = || with_effect(PLAIN_TEXT_ONLY, ingress, cx).filter(|_| !enables_tls(ingress, cx));
    with_effect(PLAIN_TEXT_TOO, ingress, cx).or_else(only)
}

/// The first annotation with one of these effects. An annotation counts if every controller that may serve the Ingress
/// reads it or is unknown.
fn with_effect<'i>(effects: &[Effect], ingress: &'i Ingress<'_>, cx: &Context<'_>) -> Option<(&'i str, &'i str)> {
    let is_read = |controllers: &[Controller]| {
        let known = of_classes(ingress.classes().iter(), cx.cluster);
        known.into_iter().all(|known| known.is_none_or(|known| controllers.contains(&known)))
    };
    let has_effect = |key: &str, value: &str| {
        let mut effects = effects.iter();
        effects.any(|(pattern, controllers, says)| glob(pattern, key) && says(value) && is_read(controllers))
    };
    ingress.metadata.annotations.iter().find(|(key, value)| has_effect(key, value))
}
