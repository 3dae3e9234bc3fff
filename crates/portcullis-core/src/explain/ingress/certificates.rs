//! The hosts for which Ingresses name certificates.

use crate::kinds::Ingress;
use crate::matching::Host;

/// The hosts for which an Ingress names a certificate, in `spec.tls` or perhaps in annotations of its controller.
pub(super) fn hosts<'w>(ingress: &'w Ingress<'w>) -> Vec<Host<'w>> {
    let rules = || ingress.spec.rules.iter().map(|rule| Host::parse(rule.host.as_deref().unwrap_or_default()));
    let names_certificate = |key: &str| key.contains("cert") && !OTHERS.iter().any(|prefix| key.starts_with(prefix));
    let by_annotation = ingress.metadata.annotations.iter().any(|(key, _)| names_certificate(key));
    let entries = ingress.spec.tls.iter().flat_map(|tls| match tls.hosts.is_empty() {
        true => rules().collect::<Vec<_>>(),
        false => tls.hosts.iter().map(|host| Host::parse(host)).collect(),
    });
    entries.chain(rules().filter(|_| by_annotation)).collect()
}

/// The domains of annotations that name no certificate of a host.
const OTHERS: [&str; 2] = ["cert-manager.io/", "nginx.ingress.kubernetes.io/"];
