//! The features that a GatewayClass may list in `status.supportedFeatures` (GEP-2162).

/// The maximum number of rows of the table.
const CAPACITY: usize = u64::BITS as usize;

/// Each feature that the package `pkg/features` of the module `sigs.k8s.io/gateway-api` names, except those of meshes, which have no
/// GatewayClass, with the release 1.N that first names it; 1.4 stands for it and older ones. Ordered by name.
pub const FEATURES: &[(&str, u8)] = &[
    ("BackendTLSPolicy", 4),
    ("BackendTLSPolicySANValidation", 4),
    ("ClusterTrustBundle", 7),
    ("GRPCRoute", 4),
    ("GRPCRouteNamedRouteRule", 4),
    ("GRPCRouteRequestHeaderModifier", 7),
    ("Gateway", 4),
    ("GatewayAddressEmpty", 4),
    ("GatewayAddressRoutability", 7),
    ("GatewayAddressRoutabilityCluster", 7),
    ("GatewayBackendClientCertificate", 5),
    ("GatewayFrontendClientCertificateValidation", 5),
    ("GatewayFrontendClientCertificateValidationInsecureFallback", 5),
    ("GatewayHTTPListenerIsolation", 4),
    ("GatewayHTTPSListenerDetectMisdirectedRequests", 5),
    ("GatewayInfrastructure", 6),
    ("GatewayInfrastructurePropagation", 4),
    ("GatewayListenerFilters", 7),
    ("GatewayPort8080", 4),
    ("GatewayRouteHostnameIntersectionPrecedence", 7),
    ("GatewayStaticAddresses", 4),
    ("HTTPRoute", 4),
    ("HTTPRoute303RedirectStatusCode", 5),
    ("HTTPRoute307RedirectStatusCode", 5),
    ("HTTPRoute308RedirectStatusCode", 5),
    ("HTTPRouteBackendProtocolH2C", 4),
    ("HTTPRouteBackendProtocolWebSocket", 4),
    ("HTTPRouteBackendRequestHeaderModification", 4),
    ("HTTPRouteBackendTimeout", 4),
    ("HTTPRouteBackendURLRewrite", 7),
    ("HTTPRouteCORS", 4),
    ("HTTPRouteDestinationPortMatching", 4),
    ("HTTPRouteHostRewrite", 4),
    ("HTTPRouteMethodMatching", 4),
    ("HTTPRouteNamedRouteRule", 4),
    ("HTTPRouteParentRefPort", 4),
    ("HTTPRoutePathRedirect", 4),
    ("HTTPRoutePathRewrite", 4),
    ("HTTPRoutePortRedirect", 4),
    ("HTTPRouteQueryParamMatching", 4),
    ("HTTPRouteRequestMirror", 4),
    ("HTTPRouteRequestMultipleMirrors", 4),
    ("HTTPRouteRequestPercentageMirror", 4),
    ("HTTPRouteRequestTimeout", 4),
    ("HTTPRouteResponseHeaderModification", 4),
    ("HTTPRouteRetry", 6),
    ("HTTPRouteRetryBackendTimeout", 6),
    ("HTTPRouteRetryCodes", 7),
    ("HTTPRouteRetryConnectionError", 6),
    ("HTTPRouteSchemeRedirect", 4),
    ("ListenerSet", 5),
    ("ReferenceGrant", 4),
    ("TCPRoute", 6),
    ("TLSRoute", 4),
    ("TLSRouteModeMixed", 5),
    ("TLSRouteModeTerminate", 5),
    ("UDPRoute", 4),
];

const _: () = assert!(FEATURES.len() <= CAPACITY);

/// The features that a GatewayClass lists, one bit for each row of [`FEATURES`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// The set of these features, of which those that are not in the table do not count.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().filter_map(position).fold(0, |all, position| all | 1 << position))
    }

    /// Whether no feature is known to be supported, so that nothing is known of the others either.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether what has these names, in one release or another, is certainly not supported: none of them is listed, although the
    /// controller knows a release that has one. A controller knows the releases up to that of the newest feature that it lists.
    ///
    /// ```
    /// use portcullis_core::kinds::feature::FeatureSet;
    ///
    /// let of_1_4 = FeatureSet::of(["HTTPRoute", "HTTPRouteCORS"]);
    /// assert!(of_1_4.lacks(&["HTTPRouteMethodMatching"]) && !of_1_4.lacks(&["HTTPRouteCORS"]));
    /// // Before release 1.6, retries had no name, so controllers may support them without listing them.
    /// assert!(!of_1_4.lacks(&["HTTPRouteRetry"]));
    /// assert!(FeatureSet::of(["HTTPRoute", "TCPRoute"]).lacks(&["HTTPRouteRetry"]));
    /// ```
    pub fn lacks(self, names: &[&str]) -> bool {
        let positions = || names.iter().filter_map(|name| position(name));
        let newest = releases(self.0).max();
        let first = releases(positions().fold(0, |all, position| all | 1 << position)).min();
        newest >= first && !positions().any(|position| self.0 & 1 << position != 0)
    }
}

fn position(name: &str) -> Option<usize> {
    FEATURES.binary_search_by_key(&name, |(name, _)| name).ok()
}

/// The releases that first name these features.
fn releases(features: u64) -> impl Iterator<Item = u8> {
    let listed = FEATURES.iter().enumerate().filter(move |(position, _)| features & 1 << position != 0);
    listed.map(|(_, (_, release))| *release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered() {
        assert!(FEATURES.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn without_a_known_feature_nothing_is_lacking() {
        let unknown = FeatureSet::of(["MeshClusterIPMatching", "another"]);
        assert!(unknown.is_empty() && !unknown.lacks(&["HTTPRouteMethodMatching"]));
    }
}
