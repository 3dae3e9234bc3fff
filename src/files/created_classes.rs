//! GatewayClasses that their controllers create, so that few repositories contain them.

use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{Kind, decode};

/// The names, each with the name of the controller. Sources: the code of each controller that creates them, and for GKE the list in
/// its documentation of GatewayClasses.
const CLASSES: [(&str, &str); 16] = [
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

/// The facts of the GatewayClass of this name, if a controller creates it.
pub(super) fn created_class(name: &str) -> Option<Facts> {
    let (name, controller) = CLASSES.iter().find(|(own, _)| *own == name)?;
    let json = serde_json::json!({"metadata": {"name": name}, "spec": {"controllerName": controller}}).to_string();
    decode(Kind::GatewayClass, &json).ok().map(|class| Facts::of(&class))
}
