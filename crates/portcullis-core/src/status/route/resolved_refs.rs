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

/// The reason for a reference to a Service or a port that does not exist.
const NOT_FOUND: &str = "BackendNotFound";
/// The reason for a reference of which it is not known whether it resolves.
const PENDING: &str = "Pending";

/// The condition `ResolvedRefs` of a route. The first reference in document order decides the reason.
pub fn of(route: &RouteParts<'_, '_>, context: &StatusContext<'_>) -> Condition {
    let this = context.cluster.this();
    let from = Referrer { kind: route.kind(), namespace: &this.namespace };
    let backends = backend::destinations(route.backends(), from, &context.cluster);
    let mut all: Vec<Unresolved> = backends.iter().filter_map(|destination| unresolved(destination, context)).collect();
    all.extend(extensions(route, context));
    all.sort_by(|left, right| left.at.cmp(&right.at));
    let (pending, failed): (Vec<Unresolved>, Vec<Unresolved>) =
        all.into_iter().partition(|reference| reference.reason == PENDING);
    match (failed.first(), pending.is_empty()) {
        (Some(first), _) => Condition::new(RESOLVED_REFS, false, first.reason, listed(&failed))
            .or_because(failed.iter().map(|reference| reference.reason)),
        (None, false) => Condition::new(RESOLVED_REFS, ConditionStatus::Unknown, PENDING, listed(&pending)),
        (None, true) => Condition::new(RESOLVED_REFS, true, RESOLVED_REFS, "every reference resolves"),
    }
}

/// Why a backend does not resolve; `None` if it does.
fn unresolved(destination: &Destination<'_, '_, '_>, context: &StatusContext<'_>) -> Option<Unresolved> {
    let (reason, message) = match destination.backend.is_service() {
        true => unresolved_service(destination, context.cluster.this())?,
        false => {
            let (group, kind) = (destination.backend.group(), destination.backend.kind());
            let message = format!("kind {} is not supported as a backend: use a Service", qualified(group, kind));
            (unsupported(context), message)
        }
    };
    Some(Unresolved { at: FieldPath::from(destination.at), reason, message })
}

/// The reason and the message for a reference to a Service.
fn unresolved_service(destination: &Destination<'_, '_, '_>, this: &ObjectRef) -> Option<(&'static str, String)> {
    let Destination { backend, resolution, .. } = destination;
    let namespace = backend.namespace_from(&this.namespace);
    let service = format!("Service {namespace}/{}", backend.name);
    let kind = this.kind.api().kind;
    match (resolution, backend.port) {
        (Resolution::NotPermitted, _) => {
            let own = &this.namespace;
            let grant = format!("no ReferenceGrant in `{namespace}` allows {kind}s of `{own}` to refer to ");
            Some(("RefNotPermitted", format!("{grant}Service `{}`", backend.name)))
        }
        _ if backend.name.is_empty() => Some((NOT_FOUND, "the name of the Service is required".to_owned())),
        (Resolution::NotFound, _) => Some((NOT_FOUND, format!("{service} not found"))),
        (_, None) => Some((NOT_FOUND, format!("the port of {service} is required"))),
        (Resolution::NoPort(facts), Some(port)) => {
            Some((NOT_FOUND, format!("{service} has no port {port} (it has {})", facts.port_numbers())))
        }
        (Resolution::Resolved(facts), Some(port)) => backend::is_wrong_transport(this.kind, facts, port).then(|| {
            ("UnsupportedProtocol", format!("the protocol of port {port} of {service} cannot serve a {kind}"))
        }),
        (Resolution::Unknown | Resolution::InvalidKind | Resolution::OtherKind, Some(_)) => {
            Some((PENDING, format!("it is not known whether {service} can be used")))
        }
    }
}

/// The reason for a kind that only some implementations support. Portcullis supports none of them.
fn unsupported(context: &StatusContext<'_>) -> &'static str {
    if context.is_specification() { PENDING } else { "InvalidKind" }
}

/// A kind with its group, unless that is the core group.
fn qualified(group: &str, kind: &str) -> String {
    if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") }
}

/// The filters of implementations.
fn extensions<'p>(route: &'p RouteParts<'_, '_>, context: &StatusContext<'_>) -> impl Iterator<Item = Unresolved> + 'p {
    let reason = unsupported(context);
    let named = route.filters().iter().filter(|site| &*site.filter.kind == "ExtensionRef");
    named.filter_map(|site| {
        let extension = site.filter.extension_ref.as_deref()?;
        let kind = qualified(extension.group(), extension.kind_or(""));
        let message = format!("kind {kind} is not supported as a filter: remove the filter");
        Some(Unresolved { at: site.at().then("extensionRef"), reason, message })
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
