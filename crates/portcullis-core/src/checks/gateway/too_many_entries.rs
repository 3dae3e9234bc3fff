//! `gateway/too-many-entries`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::gateway::{Infrastructure, MAX_ANNOTATIONS, MAX_AUTHORITIES, Most};
use crate::kinds::{Gateway, Kind, walk};

pub static CHECK: Check = Check {
    id: "gateway/too-many-entries",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("too_many_entries.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let release = cx.cluster.schema(Kind::Gateway).bundle.release;
    let most = |limit: Most| if release < (1, 6) { limit.before } else { limit.now };
    let mut limit = |at: At, count: usize, most: usize| {
        if count > most {
            let message = "must have at most {} entries; it has {}";
            found.invalid(at, &count.to_string(), message).args([most.to_string(), count.to_string()]);
        }
    };
    limit(At::field("spec.addresses"), gateway.spec.addresses.len(), 16);
    if let Some(Infrastructure { labels, annotations, .. }) = &gateway.spec.infrastructure {
        limit(At::field("spec.infrastructure.labels"), labels.iter().count(), 8);
        limit(At::field("spec.infrastructure.annotations"), annotations.iter().count(), most(MAX_ANNOTATIONS));
    }
    limit(At::field("spec.tls.frontend.perPort"), walk::gateway::frontend_ports(gateway).count(), 64);
    for (site, validation) in walk::gateway::client_validations(gateway) {
        limit(site.authorities(), validation.ca_certificate_refs.len(), most(MAX_AUTHORITIES));
    }
}
