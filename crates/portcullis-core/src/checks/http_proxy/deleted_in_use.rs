//! `http-proxy/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::delegation_facts::DelegationFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/deleted-in-use",
    needs: &[Kind::HttpProxy],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::WARN)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (name, includes) = (proxy.metadata.name(), Includes::new(cx.cluster, cx.this, cx.subject.class));
    let referrers = cx.cluster.referrers(cx.this).filter(|facts| includes.has_same_class(facts));
    let referrers: Vec<&DelegationFacts> = referrers.collect();
    let Some((first, others)) = referrers.split_first() else { return };
    // An object that is included by `tcpproxy` is not answered with 502; the host accepts no connections instead.
    let answer_502 = referrers.iter().all(|facts| facts.targets_of(Traffic::Requests).any(|target| target == cx.this));
    let at = At::field("metadata.name");
    let finding = match (others.len(), answer_502) {
        (0, true) => {
            let message = "{other} still includes this object and will answer 502 for the included paths: remove the include first";
            found.forbidden(at, name, message)
        }
        (0, false) => {
            let message =
                "{other} still includes this object and the host will accept no connections: remove the include first";
            found.forbidden(at, name, message)
        }
        (more, true) => {
            let message =
                "{other} and {} more still include this object and will answer 502: remove the includes first";
            found.forbidden(at, name, message).args([&more.to_string()])
        }
        (more, false) => {
            let message = "{other} and {} more still include this object, at least one for TCP connections: remove the includes first";
            found.forbidden(at, name, message).args([&more.to_string()])
        }
    };
    finding.other(&first.object_ref).only_warns();
}
