//! `host-claim/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::Lookup;
use crate::cluster::host_claims::HostClaimFacts;
use crate::cluster::hosts::KINDS_WITH_HOSTS;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HostClaim, ObjectRef};

pub static CHECK: Check = Check {
    id: "host-claim/deleted-in-use",
    needs: KINDS_WITH_HOSTS,
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::HostClaim(check),
    // Only warns, so that no configuration can deny a deletion.
    ..Check::reference(Actions::WARN)
};

fn check(claim: &HostClaim<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = HostClaimFacts::of(claim);
    if !matches!(cx.ownership.obstacle_to(&facts, cx.cluster), Lookup::Absent) {
        return;
    }
    // The first by reference, so that the result does not depend on the order of the index.
    let is_own = |object: &&ObjectRef| facts.may_serve(&object.namespace);
    let Some(first) = cx.cluster.serving(&facts).filter(is_own).min() else { return };
    let (at, name) = (At::field("metadata.name"), claim.metadata.name());
    let finding = match cx.cluster.serving(&facts).filter(is_own).count() {
        1 => found.forbidden(at, name, "{other} still serves this host: delete it, or keep the claim"),
        all => {
            let template = "{other} and {} more still serve this host: delete them, or keep the claim";
            found.forbidden(at, name, template).args([&(all - 1).to_string()])
        }
    };
    finding.other(first).only_warns();
}
