//! Whether all references of a route to other objects than its parents resolve. The condition is written for every
//! parent, also if the parent does not accept the route.

use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::kinds::walk::RouteParts;
use crate::routing::backend::{self, Destination, Resolution};
use crate::routing::grant::Referrer;
use crate::status::{Condition, ConditionStatus, StatusContext};

/// The type of the condition.
const RESOLVED_REFS: &str = "ResolvedRefs";
/// The maximum number of references in a message.
const MAX_LISTED: usize = 32;

/// A reference that does not resolve.
struct Unresolved {
    at: FieldPath,
    reason: &'static str,
    message: String,
}

/// The reason for a reference of which it is not known whether it resolves.
const PENDING: &str = "Pending";

/// The condition `ResolvedRefs` of a route. The first reference in document order decides the reason.
pub fn of(route: &RouteParts<'_, '_>, context: &StatusContext<'_>) -> Condition {
    let this = context.cluster.this();
    let from = Referrer { kind: route.kind(), namespace: &this.namespace };
    let backends = backend::destinations(route.backends(), from, &context.cluster);
    let mut all: Vec<Unresolved> = backends.iter().filter_map(|destination| unresolved(destination, this)).collect();
    all.extend(extensions(route));
    all.sort_by(|left, right| left.at.cmp(&right.at));
    let (pending, failed): (Vec<Unresolved>, Vec<Unresolved>) =
        all.into_iter().partition(|reference| reference.reason == PENDING);
    match (failed.first(), pending.is_empty()) {
        (Some(first), _) => Condition::new(RESOLVED_REFS, false, first.reason, listed(&failed)),
        (None, false) => Condition::new(RESOLVED_REFS, ConditionStatus::Unknown, PENDING, listed(&pending)),
        (None, true) => Condition::new(RESOLVED_REFS, true, RESOLVED_REFS, "every reference resolves"),
    }
}

/// Why a backend does not resolve; `None` if it does.
fn unresolved(destination: &Destination<'_, '_, '_>, this: &ObjectRef) -> Option<Unresolved> {
    let Destination { at, backend, resolution } = destination;
    let namespace = backend.namespace_from(&this.namespace);
    let service = || format!("Service {namespace}/{}", backend.name);
    let (reason, message) = match resolution {
        // This controller supports no kind that only some implementations do.
        _ if !backend.is_service() => {
            let kind = if backend.group().is_empty() { "" } else { "/" };
            let kind = [backend.group(), kind, backend.kind()].concat();
            ("InvalidKind", format!("kind {kind} is not supported as a backend: use a Service"))
        }
        Resolution::InvalidKind | Resolution::OtherKind => return None,
        Resolution::NotPermitted => {
            let kind = this.kind.api().kind;
            let message = format!(
                "no ReferenceGrant in `{namespace}` allows {kind}s of `{}` to refer to Service `{}`",
                this.namespace, backend.name
            );
            ("RefNotPermitted", message)
        }
        _ if backend.name.is_empty() => ("BackendNotFound", "the name of the Service is required".to_owned()),
        Resolution::NotFound => ("BackendNotFound", format!("{} not found", service())),
        Resolution::NoPort(facts) => {
            let port = backend.port.unwrap_or_default();
            ("BackendNotFound", format!("{} has no port {port} (it has {})", service(), facts.port_numbers()))
        }
        _ if backend.port.is_none() => ("BackendNotFound", format!("the port of {} is required", service())),
        Resolution::Resolved(facts) => {
            let port = backend.port.unwrap_or_default();
            if !backend::is_wrong_transport(this.kind, facts, port) {
                return None;
            }
            let kind = this.kind.api().kind;
            ("UnsupportedProtocol", format!("the protocol of port {port} of {} cannot serve a {kind}", service()))
        }
        Resolution::Unknown => (PENDING, format!("it is not known whether {} can be used", service())),
    };
    Some(Unresolved { at: FieldPath::from(*at), reason, message })
}

/// The filters of implementations, none of which this controller supports.
fn extensions<'p>(route: &'p RouteParts<'_, '_>) -> impl Iterator<Item = Unresolved> + 'p {
    let named = route.filters().iter().filter(|site| &*site.filter.kind == "ExtensionRef");
    named.filter_map(|site| {
        let extension = site.filter.extension_ref.as_deref()?;
        let (group, kind) = (extension.group(), extension.kind_or(""));
        let message = format!("kind {group}/{kind} is not supported as a filter: remove the filter");
        Some(Unresolved { at: site.at().then("extensionRef"), reason: "InvalidKind", message })
    })
}

/// The first references, each with its address.
fn listed(references: &[Unresolved]) -> String {
    let shown = references.iter().take(MAX_LISTED);
    let mut shown: Vec<String> = shown.map(|reference| format!("{}: {}", reference.at, reference.message)).collect();
    if let Some(omitted) = references.len().checked_sub(MAX_LISTED).filter(|omitted| *omitted > 0) {
        shown.push(format!("{omitted} more references"));
    }
    shown.join("; ")
}
