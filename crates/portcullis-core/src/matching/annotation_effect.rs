//! The table of annotations that change what a check says about an Ingress, each with the controllers that read it. The annotations
//! that add hosts are in [`alias`](super::alias), and those that select a listener in [`listener_choice`](super::listener_choice).

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::controller::Controller::{
    self, Alibaba, Apisix, Aws, Azure, Cilium, Citrix, Contour, F5Nginx, Gke, HaproxyIngress, HaproxyTech, Higress,
    Huawei, IngressNginx, Kong, Oracle, Skipper, Traefik,
};
use super::readers::Direction;
use crate::kinds::annotation_value::{is_true, parse_bool, parse_port};
use crate::kinds::{Entries, Ingress};
use crate::names::{domain_of_key, glob};

/// What an annotation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Enables TLS without `spec.tls`.
    Tls,
    /// The controller serves no request in plain text, even without `spec.tls`: it redirects to HTTPS or does not listen.
    HttpsOnly,
    /// The controller serves requests in plain text although there is a certificate.
    PlainTextToo,
    /// The controller listens in plain text only, unless an annotation enables TLS: the secrets of `spec.tls` are then certificates for
    /// nothing.
    PlainTextOnly,
    /// The Ingress is a canary: it shares the settings and the routes of another one.
    Canary,
    /// Paths of type `Prefix` are regular expressions.
    PathRegex,
    /// Paths of type `ImplementationSpecific` are interpreted differently than usual.
    PathInterpretation,
    /// Paths may contain named segments such as `{id:[0-9]+}`.
    PathSegments,
    /// Several backends with the same path are valid: by weights of backends and conditions on requests (Skipper, Traefik 1, the nginx of
    /// Alibaba Cloud), or by TCP listeners, for which the port of the backend counts instead of the path (OCI).
    SharedPath,
    /// Like `SharedPath` for the backends of one Service, whose name ends the key: they answer only under conditions.
    SharedPathOfService,
    /// Other Ingresses serve what belongs to this one: it is a master of mergeable Ingresses, which must not have paths (F5 NGINX), or
    /// holds profiles of a front end (NetScaler).
    ServedElsewhere,
    /// Names a Secret, as `name` or `namespace/name`: of ingress-nginx (internal/ingress/annotations), Higress (pkg/ingress/kube/annotations),
    /// HAProxy Ingress (pkg/types/annotations) and HAProxy Technologies (documentation/annotations.md).
    Secret,
    /// Names the namespace of the Services to which the Ingress sends requests (APISIX).
    ServiceNamespace,
    /// TLS connections to the hosts of the Ingress go to one Service, which decrypts them: no path of another Ingress gets their requests.
    Passthrough,
    /// Requests for `/` are redirected, whichever Ingress of the host serves this path (ingress-nginx).
    FrontRedirect,
    /// The rules of the Ingress have a place in the order of all rules of the data plane.
    Order,
}

impl Effect {
    /// The direction of all annotations with this effect.
    pub const fn direction(self) -> Direction {
        match self {
            Self::PlainTextToo | Self::PlainTextOnly | Self::Secret | Self::ServiceNamespace => Direction::Widens,
            Self::Passthrough | Self::FrontRedirect => Direction::Widens,
            Self::Order => Direction::Arranges,
            // Expressions also match more than plain paths. What they take is only known of controllers in the table.
            Self::PathRegex | Self::PathInterpretation | Self::PathSegments => Direction::Relaxes,
            Self::Tls | Self::HttpsOnly | Self::Canary => Direction::Relaxes,
            Self::SharedPath | Self::SharedPathOfService | Self::ServedElsewhere => Direction::Relaxes,
        }
    }
}

/// A test whether the value of an annotation has the effect.
type Says = fn(&str) -> bool;

/// An annotation with an effect.
#[derive(Debug)]
pub struct AnnotationEffect {
    /// The key. A `*` at its end, after the domain, matches any text.
    pub key: &'static str,
    /// The controllers that read it.
    pub readers: &'static [Controller],
    /// The effect.
    pub effect: Effect,
    says: Says,
}

/// Each row follows the documentation or source code of its controllers. Of several rows with one effect that apply, the first counts.
pub static EFFECTS: &[AnnotationEffect] = &[
    row(Effect::Tls, "alb.ingress.kubernetes.io/certificate-arn", &[Aws], |_| true),
    // The controller selects the certificate by host.
    row(Effect::Tls, "alb.ingress.kubernetes.io/listen-ports", &[Aws, Alibaba], |ports| ports.contains("\"HTTPS\"")),
    row(Effect::Tls, "networking.gke.io/managed-certificates", &[Gke], |_| true),
    row(Effect::Tls, "ingress.gcp.kubernetes.io/pre-shared-cert", &[Gke], |_| true),
    row(Effect::Tls, "appgw.ingress.kubernetes.io/appgw-ssl-certificate", &[Azure], |_| true),
    row(Effect::Tls, "kubernetes.io/elb.tls-certificate-ids", &[Huawei], |_| true),
    row(Effect::Tls, "oci-native-ingress.oraclecloud.com/certificate-ocid", &[Oracle], |_| true),
    row(Effect::Tls, "traefik.ingress.kubernetes.io/router.tls", &[Traefik], is_true),
    // Each of these settings enables TLS for the router.
    row(Effect::Tls, "traefik.ingress.kubernetes.io/router.tls.*", &[Traefik], |_| true),
    // A minion uses the TLS settings of its master, and must not have its own.
    row(Effect::Tls, "nginx.org/mergeable-ingress-type", &[F5Nginx], |kind| kind == "minion"),
    row(Effect::HttpsOnly, "alb.ingress.kubernetes.io/ssl-redirect", &[Aws], |port| parse_port(port).is_some()),
    row(Effect::HttpsOnly, "haproxy.org/ssl-redirect", &[HaproxyTech], is_true),
    row(Effect::HttpsOnly, "ingress.kubernetes.io/force-ssl-redirect", &[Contour], |value| value == "true"),
    row(Effect::HttpsOnly, "konghq.com/protocols", &[Kong], |list| {
        list.split(',').all(|name| matches!(name.trim(), "https" | "grpcs" | "wss" | "tls"))
    }),
    row(Effect::HttpsOnly, "kubernetes.io/ingress.allow-http", &[Contour, Gke], is_false),
    row(Effect::HttpsOnly, "nginx.ingress.kubernetes.io/force-ssl-redirect", &[IngressNginx, Higress], is_true),
    row(Effect::HttpsOnly, "nginx.org/redirect-to-https", &[F5Nginx], is_true),
    // The entry point that the Helm chart of Traefik creates with TLS.
    row(Effect::HttpsOnly, "traefik.ingress.kubernetes.io/router.entrypoints", &[Traefik], |list| {
        list.split(',').all(|name| name.trim() == "websecure")
    }),
    row(Effect::PlainTextToo, "haproxy-ingress.github.io/ssl-redirect", &[HaproxyIngress], is_false),
    row(Effect::PlainTextToo, "haproxy.org/ssl-redirect", &[HaproxyTech], is_false),
    row(Effect::PlainTextToo, "ingress.kubernetes.io/ssl-redirect", &[F5Nginx, HaproxyIngress], is_false),
    row(Effect::PlainTextToo, "nginx.ingress.kubernetes.io/ssl-redirect", &[IngressNginx, Higress], is_false),
    row(Effect::PlainTextToo, "nginx.org/ssl-redirect", &[F5Nginx], is_false),
    // Traefik's provider for Ingresses takes certificates from `spec.tls`, and takes the entry points and the TLS of a router from the
    // annotations alone (`loadRouter` and `getCertificates` in its pkg/provider/kubernetes/ingress/kubernetes.go); `web` is the entry
    // point that its Helm chart creates without TLS. Beside another entry point, `web` may be there for its redirect.
    row(Effect::PlainTextOnly, "traefik.ingress.kubernetes.io/router.entrypoints", &[Traefik], |list| {
        list.split(',').all(|name| name.trim() == "web")
    }),
    row(Effect::Canary, "nginx.ingress.kubernetes.io/canary", &[IngressNginx, Higress], is_true),
    row(Effect::PathRegex, "alb.ingress.kubernetes.io/rewrite-target", &[Alibaba], is_some),
    row(Effect::PathRegex, "alb.ingress.kubernetes.io/use-regex", &[Alibaba], is_true),
    row(Effect::PathRegex, "higress.io/full-path-regex", &[Higress], is_true),
    row(Effect::PathRegex, "higress.io/rewrite-target", &[Higress], is_some),
    row(Effect::PathRegex, "higress.io/use-regex", &[Higress], is_true),
    row(Effect::PathRegex, "nginx.ingress.kubernetes.io/rewrite-target", &[IngressNginx, Higress], is_some),
    row(Effect::PathRegex, "nginx.ingress.kubernetes.io/use-regex", &[IngressNginx, Higress], is_true),
    row(Effect::PathRegex, "nginx.org/path-regex", &[F5Nginx], |value| {
        ["case_insensitive", "case_sensitive", "exact"].contains(&value)
    }),
    row(Effect::PathInterpretation, "alb.ingress.kubernetes.io/use-regex-path-match", &[Aws], is_true),
    row(Effect::PathInterpretation, "haproxy-ingress.github.io/path-type", &[HaproxyIngress], |_| true),
    row(Effect::PathInterpretation, "ingress.kubernetes.io/path-type", &[HaproxyIngress], |_| true),
    row(Effect::PathInterpretation, MATCHER, &[Traefik], |_| true),
    row(Effect::PathSegments, MATCHER, &[Traefik], |_| true),
    row(Effect::SharedPath, "ingress.kubernetes.io/service-weights", &[Traefik], |_| true),
    row(Effect::SharedPath, "nginx.ingress.kubernetes.io/service-match", &[IngressNginx], |_| true),
    row(Effect::SharedPath, "nginx.ingress.kubernetes.io/service-weight", &[IngressNginx], |_| true),
    row(Effect::SharedPath, "oci-native-ingress.oraclecloud.com/protocol", &[Oracle], |value| {
        value.eq_ignore_ascii_case("TCP")
    }),
    row(Effect::SharedPath, "traefik.ingress.kubernetes.io/service-weights", &[Traefik], |_| true),
    row(Effect::SharedPath, "zalando.org/backend-weights", &[Skipper], |_| true),
    row(Effect::SharedPathOfService, "alb.ingress.kubernetes.io/conditions.*", &[Aws, Alibaba], |_| true),
    row(Effect::SharedPathOfService, "kubernetes.io/elb.conditions.*", &[Huawei], |_| true),
    row(Effect::ServedElsewhere, "ingress.citrix.com/frontend-httpprofile", &[Citrix], |_| true),
    row(Effect::ServedElsewhere, "ingress.citrix.com/frontend-sslprofile", &[Citrix], |_| true),
    row(Effect::ServedElsewhere, "ingress.citrix.com/frontend-tcpprofile", &[Citrix], |_| true),
    row(Effect::ServedElsewhere, "nginx.org/mergeable-ingress-type", &[F5Nginx], |kind| kind == "master"),
    row(Effect::Secret, "higress.io/auth-secret", &[Higress], |_| true),
    row(Effect::Secret, "higress.io/auth-tls-secret", &[Higress], |_| true),
    row(Effect::Secret, "higress.io/proxy-ssl-secret", &[Higress], |_| true),
    row(Effect::Secret, "nginx.ingress.kubernetes.io/auth-secret", &[IngressNginx, Higress], |_| true),
    row(Effect::Secret, "nginx.ingress.kubernetes.io/auth-tls-secret", &[IngressNginx, Higress], |_| true),
    row(Effect::Secret, "nginx.ingress.kubernetes.io/proxy-ssl-secret", &[IngressNginx, Higress], |_| true),
    row(Effect::Secret, "haproxy-ingress.github.io/auth-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "haproxy-ingress.github.io/auth-tls-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "haproxy-ingress.github.io/secure-crt-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "haproxy-ingress.github.io/secure-verify-ca-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "haproxy.com/auth-secret", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.com/client-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.com/server-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.com/server-crt", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.org/auth-secret", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.org/client-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.org/server-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "haproxy.org/server-crt", &[HaproxyTech], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/auth-secret", &[HaproxyIngress, HaproxyTech], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/auth-tls-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/secure-crt-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/secure-verify-ca-secret", &[HaproxyIngress], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/client-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/server-ca", &[HaproxyTech], |_| true),
    row(Effect::Secret, "ingress.kubernetes.io/server-crt", &[HaproxyTech], |_| true),
    row(Effect::ServiceNamespace, "k8s.apisix.apache.org/svc-namespace", &[Apisix], |_| true),
    // ingress-nginx reads it only if it is started with `--enable-ssl-passthrough`.
    row(Effect::Passthrough, "nginx.ingress.kubernetes.io/ssl-passthrough", &[IngressNginx], is_true),
    row(Effect::Passthrough, "haproxy-ingress.github.io/ssl-passthrough", &[HaproxyIngress], is_true),
    row(Effect::Passthrough, "haproxy.com/ssl-passthrough", &[HaproxyTech], is_true),
    row(Effect::Passthrough, "haproxy.org/ssl-passthrough", &[HaproxyTech], is_true),
    row(Effect::Passthrough, "ingress.cilium.io/tls-passthrough", &[Cilium], |value| {
        value == "enabled" || is_true(value)
    }),
    row(Effect::Passthrough, "ingress.kubernetes.io/ssl-passthrough", &[HaproxyIngress, HaproxyTech], is_true),
    // Each location of a server contributes it, and the redirect stands before all of them (`Rewrite.AppRoot` in rootfs/etc/nginx/template/nginx.tmpl).
    row(Effect::FrontRedirect, "nginx.ingress.kubernetes.io/app-root", &[IngressNginx], |path| path.starts_with('/')),
    row(Effect::Order, GROUP_ORDER, &[Aws], |_| true),
    row(Effect::Order, INGRESS_ORDER, &[Huawei], |_| true),
    row(Effect::Order, CLASS_ORDER, &[Alibaba], |_| true),
    row(Effect::Order, RULE_PRIORITY, &[Azure], |_| true),
    row(Effect::Order, PRIORITY, &[Traefik], |_| true),
    row(Effect::Order, MATCHER, &[Traefik], |_| true),
];

/// The controllers that look for the name of a TLS connection among the hosts that pass it through, wildcards included, before they look
/// at any other host: HAProxy Ingress (`_front_sslpassthrough` in rootfs/etc/templates/haproxy/haproxy.tmpl) and HAProxy Technologies
/// (`sni.map`, which `addToMapFile` in pkg/route/route.go fills).
pub const PASSTHROUGH_FIRST: [Controller; 2] = [HaproxyIngress, HaproxyTech];

/// The position of an Ingress in its group.
pub const GROUP_ORDER: &str = "alb.ingress.kubernetes.io/group.order";
/// The position of an Ingress among those of its load balancer.
pub const INGRESS_ORDER: &str = "kubernetes.io/elb.ingress-order";
/// The position of an Ingress among those of its class, at a load balancer of Alibaba Cloud.
pub const CLASS_ORDER: &str = "alb.ingress.kubernetes.io/order";
/// The priority of the listeners of an Ingress at an application gateway.
pub const RULE_PRIORITY: &str = "appgw.ingress.kubernetes.io/rule-priority";
/// The priority of the rules of an Ingress.
pub const PRIORITY: &str = "traefik.ingress.kubernetes.io/router.priority";
/// The matcher that Traefik uses for paths, instead of `PathPrefix`.
pub const MATCHER: &str = "traefik.ingress.kubernetes.io/router.pathmatcher";

const fn row(effect: Effect, key: &'static str, readers: &'static [Controller], says: Says) -> AnnotationEffect {
    AnnotationEffect { key, readers, effect, says }
}

fn is_false(text: &str) -> bool {
    parse_bool(text) == Some(false)
}

/// Whether an annotation is set. The controllers treat an empty value as absent.
fn is_some(value: &str) -> bool {
    !value.is_empty()
}

impl AnnotationEffect {
    /// Whether an annotation with this key and value has the effect if the controller reads it.
    pub fn applies(&self, key: &str, value: &str) -> bool {
        glob(self.key, key) && (self.says)(value)
    }
}

/// The rows by the domain of their keys, each with its position in the table.
static BY_DOMAIN: LazyLock<HashMap<&'static str, Vec<(usize, &'static AnnotationEffect)>>> = LazyLock::new(|| {
    let mut rows: HashMap<_, Vec<_>> = HashMap::new();
    for (position, row) in EFFECTS.iter().enumerate() {
        rows.entry(domain_of_key(row.key)).or_default().push((position, row));
    }
    rows
});

/// The annotations of an Ingress with this effect, each with its row, in the order of the rows.
pub fn with_effect<'e>(
    effect: Effect,
    ingress: &'e Ingress<'_>,
) -> impl Iterator<Item = (&'static AnnotationEffect, &'e str, &'e str)> {
    let annotations = &ingress.metadata.annotations;
    let applied = ingress.effects.get_or(|| applied(annotations)).iter();
    applied.filter_map(move |(row, annotation)| {
        let row = EFFECTS.get(*row).filter(|row| row.effect == effect)?;
        let (key, value) = annotations.0.get(*annotation)?;
        Some((row, &**key, &**value))
    })
}

/// The positions of all rows that apply, each with that of its annotation. Most annotations have the domain of no row.
fn applied(annotations: &Entries<'_>) -> Vec<(usize, usize)> {
    let applied = annotations.iter().enumerate().flat_map(|(annotation, (key, value))| {
        let rows = BY_DOMAIN.get(domain_of_key(key)).into_iter().flatten();
        rows.filter(move |(_, row)| row.applies(key, value)).map(move |(row, _)| (*row, annotation))
    });
    let mut applied: Vec<_> = applied.collect();
    applied.sort_unstable();
    applied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_many_annotations_is_found_at_its_place() {
        let many = (0..70_000).map(|number| format!(r#""{number}": """#)).collect::<Vec<_>>().join(", ");
        let key = "haproxy.org/ssl-passthrough";
        let text = format!(r#"{{"metadata": {{"annotations": {{{many}, "{key}": "true"}}}}}}"#);
        let ingress: Ingress<'_> = serde_json::from_str(&text).expect("an Ingress");
        let found: Vec<_> = with_effect(Effect::Passthrough, &ingress).map(|(_, key, value)| (key, value)).collect();
        assert_eq!(found, [(key, "true")]);
    }

    #[test]
    fn each_effect_is_unique_and_has_controllers() {
        for (index, row) in EFFECTS.iter().enumerate() {
            assert!(!domain_of_key(row.key).is_empty() && !domain_of_key(row.key).contains('*'), "{}", row.key);
            assert!(!row.readers.is_empty() && !row.readers.contains(&Controller::Other), "{}", row.key);
            let is_again = |other: &AnnotationEffect| (other.key, other.effect) == (row.key, row.effect);
            assert!(!EFFECTS[index + 1..].iter().any(is_again), "{}", row.key);
        }
    }
}
