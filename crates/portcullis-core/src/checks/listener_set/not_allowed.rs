//! `listener-set/not-allowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{AllowedNamespaces, ParentFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ListenerSet};
use crate::routing::attachment::allows_namespace;

pub static CHECK: Check = Check {
    id: "listener-set/not-allowed",
    needs: &[Kind::Gateway, Kind::Namespace],
    page: include_str!("not_allowed.md"),
    run: Run::ListenerSet(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(facts) = ParentFacts::of(&set.spec.parent_ref, cx.namespace()) else { return };
    if facts.target.kind != Kind::Gateway {
        return;
    }
    let Lookup::Found(gateway) = cx.cluster.listeners(&facts.target) else { return };
    let allowed = &gateway.allowed_listeners;
    if allows_namespace(allowed, &gateway.object_ref.namespace, cx.namespace(), cx.cluster) != Some(false) {
        return;
    }
    let message = match allowed {
        AllowedNamespaces::None => "{other} does not allow ListenerSets: set its spec.allowedListeners",
        AllowedNamespaces::Same => "{other} only allows ListenerSets of its own namespace",
        _ => "the allowedListeners selector of {other} does not match namespace {}",
    };
    let at = At::field("spec.parentRef").then("name");
    found.forbidden(at, &set.spec.parent_ref.name, message).args([cx.namespace()]).other(&gateway.object_ref);
}
