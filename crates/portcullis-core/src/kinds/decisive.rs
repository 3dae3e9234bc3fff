//! The fields that decide which object gets which traffic: hosts, paths, parents, classes, allowed namespaces. An
//! object in which one of them is unreadable must not be admitted after a partial check. Any other field may change its
//! type in a newer CRD.

use super::Kind;
use crate::field::{FieldPath, Segment};

/// The decisive fields of each kind, besides all of `metadata`. `[]` represents each element of a list, and everything
/// below a field belongs to it. For a kind that is not listed, all fields are decisive: the API server itself enforces
/// its types, which no newer version can change.
const FIELDS: &[(&[Kind], &[&str])] = &[
    (&[Kind::GatewayClass], &["spec.controllerName"]),
    (
        &[Kind::Gateway],
        &["spec.gatewayClassName", "spec.defaultScope", "spec.allowedListeners", "spec.infrastructure.annotations"],
    ),
    (&[Kind::ListenerSet], &["spec.parentRef"]),
    (
        &[Kind::Gateway, Kind::ListenerSet],
        &[
            "spec.listeners[].name",
            "spec.listeners[].hostname",
            "spec.listeners[].port",
            "spec.listeners[].protocol",
            "spec.listeners[].allowedRoutes",
            "spec.listeners[].tls.mode",
        ],
    ),
    (
        &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute],
        &[
            "apiVersion",
            "spec.parentRefs",
            "spec.hostnames",
            "spec.useDefaultGateways",
            "spec.rules[].matches",
            "spec.rules[].backendRefs[].group",
            "spec.rules[].backendRefs[].kind",
            "spec.rules[].backendRefs[].namespace",
            "spec.rules[].backendRefs[].name",
        ],
    ),
    (&[Kind::ReferenceGrant], &["spec.from", "spec.to"]),
    (&[Kind::BackendTlsPolicy], &["spec.targetRefs"]),
    (
        &[Kind::HttpProxy],
        &[
            "spec.ingressClassName",
            "spec.virtualhost.fqdn",
            "spec.virtualhost.tls.secretName",
            "spec.virtualhost.tls.passthrough",
            "spec.includes",
            "spec.routes[].conditions",
            "spec.tcpproxy.include",
            "spec.tcpproxy.includes",
        ],
    ),
];

/// Whether a decisive field of `kind` is at the address `at`, or above or below it.
pub fn decides(kind: Kind, at: &FieldPath) -> bool {
    let mut fields =
        FIELDS.iter().filter(|(kinds, _)| kinds.contains(&kind)).flat_map(|(_, fields)| *fields).peekable();
    fields.peek().is_none() || overlaps("metadata", at) || fields.any(|field| overlaps(field, at))
}

/// Whether a field that may name the class of an object is at the address `at`, or above or below it.
pub fn names_class(at: &FieldPath) -> bool {
    overlaps("metadata.annotations", at) || overlaps("spec.ingressClassName", at)
}

/// Whether `at` matches `pattern`, or one of them is above the other.
fn overlaps(pattern: &str, at: &FieldPath) -> bool {
    let mut segments = at.segments().iter();
    for step in pattern.split('.') {
        let name = step.trim_end_matches("[]");
        match segments.next() {
            None => return true,
            Some(Segment::Field(own)) if own == name => {}
            Some(_) => return false,
        }
        if name.len() < step.len() && segments.next().is_none() {
            return true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::At;

    #[test]
    fn parents_and_children_of_decisive_fields_are_decisive() {
        let decides = |kind, pattern, indexes| decides(kind, &FieldPath::from(At::element::<2>(pattern, indexes)));
        for above_or_below in [
            "",
            "spec",
            "spec.hostnames",
            "spec.hostnames[]",
            "spec.rules",
            "spec.rules[]",
            "spec.rules[].matches[].path.value",
            "spec.rules[].backendRefs[]",
            "metadata.annotations",
        ] {
            assert!(decides(Kind::HttpRoute, above_or_below, [0, 3]), "{above_or_below}");
        }
        for beside in ["spec.rules[].name", "spec.rules[].backendRefs[].weight", "spec.rules[].filters", "status"] {
            assert!(!decides(Kind::HttpRoute, beside, [1, 2]), "{beside}");
        }
        assert!(decides(Kind::Ingress, "spec.rules[].http.paths[].backend.service.port.number", [0, 0]));
        assert!(decides(Kind::IngressRoute, "spec.routes[].services[].weight", [0, 0]));
    }
}
