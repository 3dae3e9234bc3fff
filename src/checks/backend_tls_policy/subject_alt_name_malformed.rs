//! `backend-tls-policy/subject-alt-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/subject-alt-name-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("subject_alt_name_malformed.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name) in walk::backend_tls_policy::subject_alt_names(policy) {
        let is_host = |host: &&str| names::is_subdomain(host) || names::is_wildcard(host);
        if let Some(host) = name.hostname.as_deref().filter(|host| !host.is_empty() && !is_host(host)) {
            found.malformed(at.then("hostname"), host, "`{}` is no DNS name, with or without `*.` in front");
        }
        let Some(uri) = name.uri.as_deref().filter(|uri| !uri.is_empty()) else { continue };
        if names::is_too_long(uri) {
            found.too_long(at.then("uri"), uri, "the URI `{}` has more than 253 characters");
        } else if !names::is_absolute_uri(uri) {
            found.invalid(at.then("uri"), uri, "`{}` is no URI; one begins like spiffe://");
        }
    }
}
