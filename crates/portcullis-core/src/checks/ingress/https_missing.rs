//! `ingress/https-missing`

use std::collections::HashSet;

use super::tls_annotations::{enables_tls, is_canary, is_https_only, serves_plain_text};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
use crate::matching::{Host, HostSet, Mark};

pub static CHECK: Check = Check {
    id: "ingress/https-missing",
    needs: &[Kind::IngressClass],
    page: include_str!("https_missing.md"),
    requires_https: true,
    run: Run::Ingress(check),
    ..Check::policy(Actions::OFF)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // An ACME server sends plain-text requests, because the certificate does not exist yet.
    if Mark::of_ingress(ingress) == Mark::AcmeSolver || is_canary(ingress, cx) || is_https_only(ingress, cx) {
        return;
    }
    if let Some((key, value)) = serves_plain_text(ingress, cx) {
        let at = At::field("metadata.annotations").key(key);
        let template = "`{}` makes the controller answer requests in plain text: remove the annotation";
        found.forbidden(at, value, template);
    }
    if !enables_tls(ingress, cx) {
        report_uncovered(ingress, found);
    }
}

/// Reports the hosts that no entry of `spec.tls` covers, each at its first rule: more rules of the same host are the same fault.
fn report_uncovered(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    // An entry without hosts applies to every host.
    if ingress.spec.tls.iter().any(|entry| entry.hosts.is_empty()) {
        return;
    }
    let covered: HostSet<'_> = walk::tls_hosts(ingress).map(|(_, host)| Host::parse(host)).collect();
    let mut seen = HashSet::new();
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let written = rule.host.as_deref().unwrap_or_default();
        let (host, at) = (Host::parse(written), At::element("spec.rules[].host", [index]));
        if !seen.insert(written) {
            continue;
        }
        if host == Host::Any {
            let template = "this rule serves every host, and no entry of spec.tls is for every host: HTTPS is required";
            found.forbidden(at, "*", template).without_args();
        } else if !covered.covers(&host) {
            let template = "host {} has no entry in spec.tls and no redirect to HTTPS: add it to spec.tls";
            found.forbidden(at, &host.to_string(), template).args([written]);
        }
    }
    if ingress.spec.default_backend.is_some() {
        let template =
            "the default backend serves every host, and no entry of spec.tls is for every host: HTTPS is required";
        found.forbidden(At::field("spec.defaultBackend"), "*", template).without_args();
    }
}
