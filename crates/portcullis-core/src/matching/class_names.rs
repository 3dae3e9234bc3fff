//! Names of classes that many clusters have, and misspellings of them.

use super::controller::ControllerTraits;

/// GatewayClasses that their controllers create, so that few repositories contain them, each with the name of the controller. Sources: the
/// code of each controller, and for GKE the list in its documentation of GatewayClasses.
const CREATED: [(&str, &str); 16] = [
    ("agentgateway", "agentgateway.dev/agentgateway"),
    ("cilium", "io.cilium/gateway-controller"),
    ("gke-l7-cross-regional-internal-managed-mc", "networking.gke.io/gateway"),
    ("gke-l7-global-external-managed", "networking.gke.io/gateway"),
    ("gke-l7-global-external-managed-mc", "networking.gke.io/gateway"),
    ("gke-l7-gxlb", "networking.gke.io/gateway"),
    ("gke-l7-gxlb-mc", "networking.gke.io/gateway"),
    ("gke-l7-regional-external-managed", "networking.gke.io/gateway"),
    ("gke-l7-regional-external-managed-mc", "networking.gke.io/gateway"),
    ("gke-l7-rilb", "networking.gke.io/gateway"),
    ("gke-l7-rilb-mc", "networking.gke.io/gateway"),
    ("istio", "istio.io/gateway-controller"),
    ("istio-remote", "istio.io/unmanaged-gateway"),
    ("istio-waypoint", "istio.io/mesh-controller"),
    ("kgateway", "kgateway.dev/kgateway"),
    ("kgateway-waypoint", "kgateway.dev/kgateway"),
];

/// GatewayClasses that users create by the documentation of a controller: the AWS Gateway API Controller, Gloo Gateway, and Envoy Gateway.
const DOCUMENTED: [&str; 3] = ["amazon-vpc-lattice", "gloo-gateway", "envoy-gateway"];

/// The length from which a name that differs by one slip of the keyboard is not another word: `lab` is not a misspelling of `alb`.
const SHORTEST: usize = 5;

/// The controller that creates the GatewayClass of this name.
pub fn creator(class: &str) -> Option<&'static str> {
    CREATED.iter().find(|(name, _)| *name == class).map(|(_, controller)| *controller)
}

/// The well-known class that is meant by a name that is not well-known itself: two neighboring letters are swapped, or one is missing or
/// doubled. A name with a further letter, number or word is that of another class.
///
/// ```
/// use portcullis_core::matching::class_names::meant;
///
/// assert_eq!(meant("ngnix"), Some("nginx"));
/// assert_eq!(meant("traefk"), Some("traefik"));
/// assert_eq!(meant("nginx2"), None);
/// ```
pub fn meant(class: &str) -> Option<&'static str> {
    let known = || ControllerTraits::class_names().chain(CREATED.map(|(name, _)| name)).chain(DOCUMENTED);
    let is_meant = |known: &&str| known.len() >= SHORTEST && is_slip(class.as_bytes(), known.as_bytes());
    if known().any(|known| known == class) { None } else { known().find(is_meant) }
}

/// Whether `written` is `meant` with one slip, which leaves the first character.
fn is_slip(written: &[u8], meant: &[u8]) -> bool {
    let same = written.iter().zip(meant).take_while(|(one, other)| one == other).count();
    let (wrong, right) = (&written[same..], &meant[same..]);
    match (wrong, right) {
        _ if same == 0 => false,
        ([a, b, wrong @ ..], [c, d, right @ ..]) if written.len() == meant.len() => (a, b) == (d, c) && wrong == right,
        // One is missing, but not the last one: `voyage` is a word.
        (wrong, [_, right @ ..]) if written.len() < meant.len() => !right.is_empty() && wrong == right,
        ([doubled, wrong @ ..], right) if written.len() > meant.len() => {
            doubled.is_ascii_alphabetic() && *doubled == written[same - 1] && wrong == right
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_other_names() {
        for (written, expected) in [
            ("ngnix", "nginx"),
            ("nginxx", "nginx"),
            ("nnginx", "nginx"),
            ("traefk", "traefik"),
            ("trafeik", "traefik"),
            ("traefki", "traefik"),
            ("haprxoy", "haproxy"),
            ("ciliium", "cilium"),
            ("gke-l7-glboal-external-managed", "gke-l7-global-external-managed"),
        ] {
            assert_eq!(meant(written), Some(expected), "{written}");
        }
        let others = ["nginx", "nginx2", "nginx-int", "nginxs", "ginx", "ngin", "lab", "king", "kon", "voyage"];
        for written in others.into_iter().chain(["nginz", "gke-l7-gxlb-mc", "envoy-gatewa", "gke-l77-rilb", "", "n"]) {
            assert_eq!(meant(written), None, "{written}");
        }
    }
}
