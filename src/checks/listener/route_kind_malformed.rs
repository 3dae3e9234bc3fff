//! `listener/route-kind-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/route-kind-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("route_kind_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, kind) in walk::listener::route_kinds(listeners) {
        if let Some(group) = kind.group.as_deref().filter(|group| !names::is_group(group)) {
            found.invalid(at.then("group"), group, "`{}` is no API group: a DNS name in lower case, or empty");
        }
        match &*kind.kind {
            "" => {
                found.required(at.then("kind"), "a kind of routes needs a name, such as HTTPRoute");
            }
            name if !names::is_kind(name) => {
                found.invalid(at.then("kind"), name, "`{}` is no kind: letters, digits and `-`, such as HTTPRoute");
            }
            _ => {}
        }
    }
}
