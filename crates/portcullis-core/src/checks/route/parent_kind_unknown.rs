//! `route/parent-kind-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::extension;
use crate::kinds::reference::{GATEWAY_GROUP, is_spelled_as_resource};
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/parent-kind-unknown",
    page: include_str!("parent_kind_unknown.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

/// Kinds that routes attach to: those with listeners, and for a mesh the Service.
const KNOWN: [(&str, &str); 4] = [
    (GATEWAY_GROUP, "Gateway"),
    (GATEWAY_GROUP, "ListenerSet"),
    ("gateway.networking.x-k8s.io", "XListenerSet"),
    ("", "Service"),
];

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, parent) in walk::route::parent_refs(route) {
        let (group, kind) = (parent.group(), parent.kind());
        // The form of a group or a kind is another fault.
        let is_misspelt = !names::is_kind(kind) || is_spelled_as_resource(kind);
        let is_extension = extension::is_parent(group, kind) && KNOWN.iter().all(|(_, known)| *known != kind);
        if is_misspelt
            || is_extension
            || KNOWN.contains(&(group, kind))
            || !(group.is_empty() || names::is_subdomain(group))
        {
            continue;
        }
        let meant = KNOWN.into_iter().find(|(_, known)| *known == kind);
        let meant = meant.or_else(|| extension::group_of(kind).map(|own| (own, kind)));
        match meant {
            Some(("", _)) => found.invalid(at.then("group"), group, "a Service as parent needs `group: \"\"`"),
            Some((own, _)) => {
                let template = "as parent the kind {} is of the group `{}`, not `{}`";
                found.invalid(at.then("group"), group, template).args([kind, own, group])
            }
            None => {
                let template = "no route attaches to the kind `{}`: name a Gateway, a ListenerSet or a Service";
                found.not_supported(at.then("kind"), kind, template)
            }
        };
    }
}
