//! `host-claim/served-by-others`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::host_claims::HostClaimFacts;
use crate::cluster::hosts::KINDS_WITH_HOSTS;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HostClaim, ObjectRef};

pub static CHECK: Check = Check {
    id: "host-claim/served-by-others",
    needs: KINDS_WITH_HOSTS,
    page: include_str!("served_by_others.md"),
    run: Run::HostClaim(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claim: &HostClaim<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = HostClaimFacts::of(claim);
    if !matches!(cx.ownership.obstacle_to(&facts, cx.cluster), Lookup::Absent) {
        return;
    }
    let is_foreign = |object: &&ObjectRef| !facts.may_serve(&object.namespace);
    // The first by reference, so that the result does not depend on the order of the index.
    let Some(first) = cx.cluster.serving(&facts).filter(is_foreign).min() else { return };
    let at = At::field("spec.host");
    let template = "{other} also serves host {}: add {} to alsoServedBy, or remove the host there";
    let finding = found.duplicate(at, &claim.spec.host, template).args([&*claim.spec.host]);
    let namespace = format!("namespace {}", first.namespace);
    finding.redactable(&namespace, "its namespace").other(first).only_warns();
}
