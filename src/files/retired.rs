//! Versions of the supported kinds that API servers no longer serve.

use portcullis_core::kinds::Kind;

/// Retired API versions, the version that replaced them, and the release that stopped serving them.
struct Retired {
    versions: &'static [&'static str],
    current: &'static str,
    since: &'static str,
}

/// The release that stopped serving v1alpha2 of GatewayClasses, Gateways and HTTPRoutes. GRPCRoutes and ReferenceGrants had it until 1.2.
const GATEWAY_API_0_8: &str = "Gateway API 0.8";

const RETIRED: [Retired; 3] = [
    Retired {
        versions: &["extensions/v1beta1", "networking.k8s.io/v1beta1"],
        current: "networking.k8s.io/v1",
        since: "Kubernetes 1.22",
    },
    Retired {
        versions: &["gateway.networking.k8s.io/v1alpha1", "gateway.networking.k8s.io/v1alpha2"],
        current: "gateway.networking.k8s.io/v1",
        since: GATEWAY_API_0_8,
    },
    Retired {
        versions: &["networking.x-k8s.io/v1alpha1"],
        current: "gateway.networking.k8s.io/v1",
        since: "Gateway API 0.4",
    },
];

/// Kinds that were renamed together with their version: the old and the new name.
const RENAMED: [(&str, &str); 1] = [("ReferencePolicy", "ReferenceGrant")];

/// The kind that is no longer served in this version, the version to use instead, and the release that stopped serving
/// it.
pub(super) fn retired(api_version: &str, kind: &str) -> Option<(Kind, &'static str, &'static str)> {
    let Retired { current, since, .. } = RETIRED.iter().find(|retired| retired.versions.contains(&api_version))?;
    if Kind::of_manifest(api_version, kind).is_some() {
        return None;
    }
    let name = RENAMED.iter().find(|(before, _)| *before == kind).map_or(kind, |(_, now)| now);
    let kind = Kind::of_manifest(current, name)?;
    let since = match (*since, kind) {
        (GATEWAY_API_0_8, Kind::GrpcRoute | Kind::ReferenceGrant) => "Gateway API 1.2",
        (since, _) => since,
    };
    Some((kind, current, since))
}
