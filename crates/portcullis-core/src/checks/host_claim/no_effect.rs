//! `host-claim/no-effect`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::host_claims::HostClaimFacts;
use crate::cluster::ownership::Obstacle;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HostClaim;
use crate::matching::Host;

pub static CHECK: Check = Check {
    id: "host-claim/no-effect",
    page: include_str!("no_effect.md"),
    run: Run::HostClaim(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claim: &HostClaim<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = HostClaimFacts::of(claim);
    let (at, host) = (At::field("spec.host"), &*claim.spec.host);
    let finding = match cx.ownership.obstacle_to(&facts, cx.cluster) {
        Lookup::Absent | Lookup::Unknown | Lookup::Found(Obstacle::Ignored) => return,
        Lookup::Found(Obstacle::Entry { is_own: true, .. }) => return,
        Lookup::Found(Obstacle::Entry { host: entry, by, .. }) if Host::parse(entry) == Host::parse(host) => {
            let template = "this claim has no effect: hostOwnership gives host {} to {}; remove the claim or the entry";
            found.duplicate(at, host, template).args([host]).redactable(&by.to_string(), "others")
        }
        Lookup::Found(Obstacle::Entry { host: entry, by, .. }) => {
            let template =
                "this claim has no effect: hostOwnership gives the hosts of {} to {}; set `claims` in that entry";
            found.duplicate(at, host, template).args([entry]).redactable(&by.to_string(), "others")
        }
        Lookup::Found(Obstacle::Claim(wider)) => {
            let written = wider.host().map(Host::to_string).unwrap_or_default();
            let template = match facts.created.is_some() && wider.created.is_some() {
                true => "this claim has no effect: the older {other} gives the hosts of {} to {}",
                false => "this claim has no effect if it is created after {other}, which gives the hosts of {} to {}",
            };
            let owner = format!("namespace {}", wider.namespace);
            found
                .duplicate(at, host, template)
                .args([&*written])
                .redactable(&owner, "others")
                .other(&wider.object_ref())
        }
    };
    finding.only_warns();
}
