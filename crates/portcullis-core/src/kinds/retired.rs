//! Versions of the supported kinds that API servers no longer serve.

use super::Kind;

/// A kind in a version that no current API server serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retired {
    /// The kind, under its current name.
    pub kind: Kind,
    /// The version to use instead, with its group.
    pub current: &'static str,
    /// The release that stopped serving it.
    pub since: &'static str,
}

/// Retired versions, the version that replaced them, and the release that stopped serving them.
struct Versions {
    retired: &'static [&'static str],
    current: &'static str,
    since: &'static str,
}

/// The release that stopped serving v1alpha2 of GatewayClasses, Gateways and HTTPRoutes. GRPCRoutes and ReferenceGrants had it until 1.2.
const GATEWAY_API_0_8: &str = "Gateway API 0.8";

const VERSIONS: [Versions; 3] = [
    Versions {
        retired: &["extensions/v1beta1", "networking.k8s.io/v1beta1"],
        current: "networking.k8s.io/v1",
        since: "Kubernetes 1.22",
    },
    Versions {
        retired: &["gateway.networking.k8s.io/v1alpha1", "gateway.networking.k8s.io/v1alpha2"],
        current: "gateway.networking.k8s.io/v1",
        since: GATEWAY_API_0_8,
    },
    Versions {
        retired: &["networking.x-k8s.io/v1alpha1"],
        current: "gateway.networking.k8s.io/v1",
        since: "Gateway API 0.4",
    },
];

/// Kinds that were renamed together with their version: the old and the new name.
const RENAMED: [(&str, &str); 1] = [("ReferencePolicy", "ReferenceGrant")];

impl Retired {
    /// The kind of this name in this version, if API servers have stopped serving it.
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        let Versions { current, since, .. } = VERSIONS.iter().find(|own| own.retired.contains(&api_version))?;
        if Kind::of_manifest(api_version, kind).is_some() {
            return None;
        }
        let name = RENAMED.iter().find(|(before, _)| *before == kind).map_or(kind, |(_, now)| now);
        let kind = Kind::of_manifest(current, name)?;
        let since = match (*since, kind) {
            (GATEWAY_API_0_8, Kind::GrpcRoute | Kind::ReferenceGrant) => "Gateway API 1.2",
            (since, _) => since,
        };
        Some(Self { kind, current, since })
    }
}
