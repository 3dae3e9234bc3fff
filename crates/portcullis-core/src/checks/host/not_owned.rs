//! `host/not-owned`

use super::{first_namespace, included, is_moving, solver};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::host_template::TemplateOwner;
use crate::cluster::ownership::OwnershipDecision;
use crate::config::NamespaceSelector;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::claim_name::name_of;
use crate::matching::{ClaimedHost, Depth, Host};
use crate::routing::Hosts;

pub static CHECK: Check = Check {
    id: "host/not-owned",
    needs: &[
        Kind::Namespace,
        Kind::IngressClass,
        Kind::GatewayClass,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::IngressRoute,
        Kind::HttpProxy,
    ],
    page: include_str!("not_owned.md"),
    run: Run::Hosts(check),
    is_exported: true,
    ..Check::tenancy(Actions::DENY)
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.ownership.is_empty(cx.cluster) {
        return;
    }
    let claims = hosts.claims(cx.cluster);
    let (claims, others) = (cx.part.of(&claims), first_namespace::Others::default());
    included::check(hosts, &others, cx, found);
    let decisions = cx.ownership.claims(claims.iter().map(|claim| &claim.host), cx.namespace(), cx.cluster);
    for (claim, decision) in claims.iter().zip(decisions) {
        // Most claims are allowed, and the decision costs less than the two conditions.
        if decision == OwnershipDecision::Free
            || is_moving(&claim.host, cx.namespace(), cx)
            || !hosts.takes_requests(claim, cx.data_planes, cx.cluster)
            || solver::is_permitted(hosts, claim, cx)
        {
            continue;
        }
        let host = || claim.host.to_string();
        match decision {
            OwnershipDecision::Free | OwnershipDecision::Unknown => {}
            OwnershipDecision::Unlisted => {
                let message = "host {} is not listed, and only listed hosts may be claimed: ask the platform team";
                found.forbidden(claim.at, &host(), message).claim(&host(), claim.part());
            }
            OwnershipDecision::Unclaimed { entry } => report_unclaimed(claim, entry, cx, found),
            OwnershipDecision::FirstNamespace => first_namespace::check(hosts, claim, &others, cx, found),
            OwnershipDecision::Owned { entry, by, .. } if claim.host == Host::Any => {
                let identity = format!("{} {entry}", host());
                let finding = match entry.contains('{') {
                    true => {
                        let template = "this claims every host, and {} gives each namespace its own: name your hosts";
                        found.forbidden(claim.at, &identity, template).args([entry])
                    }
                    false => {
                        let template = "this claims every host, and {} belongs to {}";
                        let finding = found.forbidden(claim.at, &identity, template).without_args();
                        finding.redactable(entry, "a host").redactable(&by.to_string(), "others")
                    }
                };
                finding.claim(&host(), claim.part());
            }
            OwnershipDecision::Owned { entry, by, is_claim } => match solver::refused_user(hosts, claim, cx) {
                Some(user) => report_solver(claim, (entry, by), user, found),
                None if is_claim => report_claimed(claim, (entry, by), found),
                None => report_owned(claim, (entry, by), cx, found),
            },
        }
    }
}

/// Reports a host for which a HostClaim is required, by the entry for `entry` if that is given.
fn report_unclaimed(claim: &ClaimedHost<'_>, entry: Option<&str>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let host = claim.host.to_string();
    let Some(name) = name_of(&claim.host) else {
        let template = "this serves every host, and each host requires a HostClaim: list your hosts";
        found.forbidden(claim.at, &host, template).args([""; 0]).claim(&host, claim.part());
        return;
    };
    if let Some(entry) = entry.filter(|entry| is_above(&claim.host, entry)) {
        let template = "host {} covers the hosts of {}, which require a HostClaim each: list your hosts";
        found.forbidden(claim.at, &host, template).args([&*host, entry]).claim(&host, claim.part());
        return;
    }
    let is_requestable = cx.ownership.is_requestable(&claim.host, cx.namespace(), cx.cluster);
    let template = match (matches!(claim.host, Host::Wildcard(_)), is_requestable) {
        (true, true) => "host {} has no HostClaim: list your hosts, or ask for it with HostRequest {} in namespace {}",
        (true, false) => {
            "host {} has no HostClaim: list your hosts, or ask the platform team to create HostClaim {} with namespace {}"
        }
        (false, true) => "host {} has no HostClaim: ask for it with HostRequest {} in namespace {}",
        (false, false) => "host {} has no HostClaim: ask the platform team to create HostClaim {} with namespace {}",
    };
    let finding = found.forbidden(claim.at, &host, template);
    finding.args([&*host, &*name, cx.namespace()]).claim(&host, claim.part());
}

/// Whether `host` covers the host of an entry, but is not that host.
fn is_above(host: &Host<'_>, entry: &str) -> bool {
    let entry = Host::parse(entry);
    entry != *host && host.covers(&entry, Depth::AnyLabels)
}

/// Reports a host that belongs to other namespaces, and for which `user` may not answer challenges.
fn report_solver(
    claim: &ClaimedHost<'_>,
    (entry, by): (&str, &NamespaceSelector),
    user: &str,
    found: &mut Findings<'_>,
) {
    let host = claim.host.to_string();
    let template =
        "host {} belongs to {}; user {} may not answer ACME challenges for it: list the user in acmeSolvers.users";
    let finding = found.forbidden(claim.at, &format!("{host} {entry}"), template).args([&host]);
    finding.redactable(&by.to_string(), "others").also(user).claim(&host, claim.part());
}

/// Reports a host that the HostClaim for `entry` gives to other namespaces.
fn report_claimed(claim: &ClaimedHost<'_>, (entry, by): (&str, &NamespaceSelector), found: &mut Findings<'_>) {
    let host = claim.host.to_string();
    let is_just = Host::parse(entry) == claim.host;
    let covers = is_above(&claim.host, entry);
    let template = match (is_just, covers) {
        (true, _) => "host {} belongs to {} by its HostClaim",
        (false, true) => "host {} covers {}, which belongs to {} by its HostClaim",
        (false, false) => "host {} is under {}, which belongs to {} by its HostClaim",
    };
    let finding = found.forbidden(claim.at, &format!("{host} {entry}"), template);
    let finding = match claim.written.is_empty() {
        true => finding.without_args().redactable(&host, "of a listener"),
        false => finding.args([claim.written]),
    };
    let finding = match (is_just, covers) {
        (true, _) => finding,
        (false, true) => finding.redactable(entry, "a host"),
        (false, false) => finding.also(entry),
    };
    finding.redactable(&by.to_string(), "others").claim(&host, claim.part());
}

/// Reports a host that the entry of `hostOwnership` for `entry` gives to other namespaces.
fn report_owned(
    claim: &ClaimedHost<'_>,
    (entry, by): (&str, &NamespaceSelector),
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) {
    let instead = cx.ownership.host_for(entry, cx.namespace(), cx.cluster);
    let is_written = !claim.written.is_empty();
    // The host itself says who the owner by a template is.
    let owner = cx.ownership.owner_of(entry, &claim.host).filter(|_| is_written && by.is_every());
    let host = claim.host.to_string();
    let identity = format!("{host} {entry}");
    let is_under = entry.strip_prefix('*').is_some_and(|domain| host.ends_with(domain));
    let covers = !entry.contains('{') && !is_under && Host::parse(entry) != claim.host;
    let (template, entry) = if let Some(owner) = &owner {
        match (owner, &instead) {
            (TemplateOwner::Namespace(name), Some(_)) => {
                ("host {} belongs to namespace {}; this namespace may use {}", Some(&**name))
            }
            (TemplateOwner::Namespace(name), None) => ("host {} belongs to namespace {}", Some(&**name)),
            (TemplateOwner::Labeled(labels), Some(_)) => {
                ("host {} belongs to namespaces labeled {}; this namespace may use {}", Some(&**labels))
            }
            (TemplateOwner::Labeled(labels), None) => ("host {} belongs to namespaces labeled {}", Some(&**labels)),
        }
    } else if entry.contains('{') {
        match instead {
            Some(_) => ("host {} is not allowed here under {}; this namespace may use {}", Some(entry)),
            None => ("host {} is not allowed here under {}", Some(entry)),
        }
    } else if Host::parse(entry) == claim.host {
        ("host {} belongs to {}", None)
    } else if is_under {
        ("host {} is under {}, which belongs to {}", Some(entry))
    } else {
        ("host {} covers {}, which belongs to {}", Some(entry))
    };
    let finding = found.forbidden(claim.at, &identity, template);
    // A hostname that comes from a listener was written by the owner of the Gateway, and a host that a wildcard covers
    // belongs to another namespace, so both are redactable.
    let finding = match is_written {
        false => finding.without_args().redactable(&host, "of a listener"),
        true => finding.args([claim.written]),
    };
    let finding = match entry {
        Some(entry) if covers => finding.redactable(entry, "a host"),
        Some(entry) => finding.also(entry),
        None => finding,
    };
    if let Some(instead) = instead {
        finding.also(&instead.to_string());
    }
    finding.redactable(&by.to_string(), "others").claim(&host, claim.part());
}
