//! Additions of implementations to the Gateway API: further kinds that take part in routing, and protocols of
//! listeners.

/// The group of the Gateway API's own kinds, and the default group of a parent reference.
pub const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";

/// The groups of Kubernetes and of the Gateway API that contain a dot. Every other group with a dot belongs to an
/// implementation.
const BUILT_IN: [&str; 2] = ["networking.k8s.io", GATEWAY_GROUP];

/// Kinds in the Gateway API's group to which routes attach in some implementations: delegating routes (kgateway, Gloo,
/// agentgateway), and whole meshes (Istio).
const PARENTS: [&str; 2] = ["HTTPRoute", "Mesh"];

/// Names in lower case that implementations use instead of a kind: routes selected by a label (Gloo, kgateway).
const LOWER_CASE: [(&str, &str); 2] = [("delegation.gateway.solo.io", "label"), ("delegation.kgateway.dev", "label")];

/// Kinds whose name is better known than the group that a reference must specify.
const GROUPS: [(&str, &str); 4] = [
    ("ClusterTrustBundle", "certificates.k8s.io"),
    ("EgressNetwork", "policy.linkerd.io"),
    ("ServiceEntry", "networking.istio.io"),
    ("ServiceImport", "multicluster.x-k8s.io"),
];

/// Listener protocols without a domain prefix: of waypoints (Istio), and of media relays (STUNner).
const PROTOCOLS: [&str; 5] = ["HBONE", "TURN-DTLS", "TURN-TCP", "TURN-TLS", "TURN-UDP"];

/// Whether only an implementation knows the kinds of `group`.
pub fn is_of_implementation(group: &str) -> bool {
    group.contains('.') && !BUILT_IN.contains(&group)
}

/// Whether routes can attach to this kind in some implementation.
pub fn is_parent(group: &str, kind: &str) -> bool {
    is_of_implementation(group) || (group == GATEWAY_GROUP && PARENTS.contains(&kind))
}

/// Whether a backend of this kind is a route to which some implementations delegate.
pub fn is_delegation(group: &str, kind: &str) -> bool {
    (group, kind) == (GATEWAY_GROUP, "HTTPRoute") || is_lower_case(group, kind)
}

/// Whether an implementation uses this name in lower case instead of a kind.
pub fn is_lower_case(group: &str, kind: &str) -> bool {
    LOWER_CASE.contains(&(group, kind))
}

/// The group that a reference to a well-known kind must specify.
pub fn group_of(kind: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(known, _)| *known == kind).map(|(_, group)| *group)
}

/// Whether an implementation defines this listener protocol.
pub fn is_protocol(protocol: &str) -> bool {
    PROTOCOLS.contains(&protocol)
}
