//! What implementations add to the Gateway API: kinds that take part in routing beyond those of the API, and protocols of listeners.

/// The group of the Gateway API's own kinds, and what a parent reference without a group means.
pub const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";

/// The groups of Kubernetes and of the Gateway API that have a dot; every other group with one belongs to an implementation.
const BUILT_IN: [&str; 2] = ["networking.k8s.io", GATEWAY_GROUP];

/// Kinds of the Gateway API's own group to which routes attach in some implementations: routes that delegate (kgateway, Gloo,
/// agentgateway), and whole meshes (Istio).
const PARENTS: [&str; 2] = ["HTTPRoute", "Mesh"];

/// Names that implementations write where a kind belongs, in lower case: routes chosen by a label (Gloo, kgateway).
const LOWER_CASE: [(&str, &str); 2] = [("delegation.gateway.solo.io", "label"), ("delegation.kgateway.dev", "label")];

/// Kinds that are better known than their group, which is written out in a reference.
const GROUPS: [(&str, &str); 4] = [
    ("ClusterTrustBundle", "certificates.k8s.io"),
    ("EgressNetwork", "policy.linkerd.io"),
    ("ServiceEntry", "networking.istio.io"),
    ("ServiceImport", "multicluster.x-k8s.io"),
];

/// Protocols of listeners without a domain: of waypoints (Istio), and of relays for media (STUNner).
const PROTOCOLS: [&str; 5] = ["HBONE", "TURN-DTLS", "TURN-TCP", "TURN-TLS", "TURN-UDP"];

/// Whether only an implementation knows what the kinds of `group` are.
pub fn is_of_implementation(group: &str) -> bool {
    group.contains('.') && !BUILT_IN.contains(&group)
}

/// Whether some implementation lets routes attach to this kind.
pub fn is_parent(group: &str, kind: &str) -> bool {
    is_of_implementation(group) || (group == GATEWAY_GROUP && PARENTS.contains(&kind))
}

/// Whether a backend of this kind is a route that decides further, as some implementations have it.
pub fn is_delegation(group: &str, kind: &str) -> bool {
    (group, kind) == (GATEWAY_GROUP, "HTTPRoute") || is_lower_case(group, kind)
}

/// Whether an implementation writes this name in lower case where a kind belongs.
pub fn is_lower_case(group: &str, kind: &str) -> bool {
    LOWER_CASE.contains(&(group, kind))
}

/// The group that must be written out for a kind that is known by its name.
pub fn group_of(kind: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(known, _)| *known == kind).map(|(_, group)| *group)
}

/// Whether an implementation has this protocol of listeners.
pub fn is_protocol(protocol: &str) -> bool {
    PROTOCOLS.contains(&protocol)
}
