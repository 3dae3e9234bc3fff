//! `route/backend-kind-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::extension;
use crate::kinds::reference::is_spelled_as_resource;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::reference::BackendSite;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/backend-kind-unknown",
    page: include_str!("backend_kind_unknown.md"),
    run: Run::RouteParts(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for BackendSite { at, backend, .. } in
        route.backends().iter().filter(|site| site.backend.can_answer() == Some(false))
    {
        let (group, kind) = (backend.group(), backend.kind());
        // The form of a group or a kind is another fault.
        let is_misspelt = !names::is_kind(kind) || is_spelled_as_resource(kind);
        if is_misspelt || !(group.is_empty() || names::is_subdomain(group)) {
            continue;
        }
        match (group, kind) {
            (_, "Service") => found.invalid(at.then("group"), group, "a Service is of the group \"\", not `{}`"),
            _ if extension::group_of(kind).is_some() => {
                let own = extension::group_of(kind).unwrap_or_default();
                let message = "the kind {} is of the group `{}`, not `{}`";
                found.invalid(at.then("group"), group, message).args([kind, own, group])
            }
            ("", _) => found.not_supported(
                at.then("kind"),
                kind,
                "a backend of the kind {} answers no requests: name a Service",
            ),
            _ => {
                let value = [group, kind].join("/");
                found.not_supported(
                    at.then("kind"),
                    &value,
                    "a backend of the kind {} answers no requests: name a Service",
                )
            }
        };
    }
}
