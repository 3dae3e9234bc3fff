//! `host-claim/namespace-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{HostClaim, Kind, walk};
use crate::names::is_label;

pub static CHECK: Check = Check {
    id: "host-claim/namespace-not-found",
    needs: &[Kind::Namespace],
    page: include_str!("namespace_not_found.md"),
    run: Run::HostClaim(check),
    ..Check::reference(Actions::WARN)
};

fn check(claim: &HostClaim<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, namespace) in walk::host_claim::namespaces(claim).filter(|(_, namespace)| is_label(namespace)) {
        if matches!(cx.cluster.namespace(namespace), Lookup::Absent) {
            let template = "namespace {} does not exist: correct the name, or create the namespace";
            found.not_found(at, namespace, template);
        }
    }
}
