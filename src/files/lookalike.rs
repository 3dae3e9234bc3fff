//! Finds the supported kind that a document means if its `kind` or `apiVersion` is misspelled or names a version that
//! does not exist.

use portcullis_core::kinds::Kind;

/// The maximum number of typos (edit distance) in a kind.
const MAX_KIND_EDITS: usize = 2;
/// The maximum number of typos in a kind if there is no `apiVersion` to confirm it.
const MAX_KIND_EDITS_WITHOUT_VERSION: usize = 1;
/// The maximum number of typos in a group: `networking.k8s` lacks three characters.
const MAX_GROUP_EDITS: usize = 3;

/// The group of the Gateway API.
const GATEWAY_API: &str = "gateway.networking.k8s.io";
/// Unsupported kinds of the Gateway API that are spelled almost like supported ones. No release has an IPRoute, but the design document
/// names it.
const FOREIGN_KINDS: [&str; 2] = ["BackendLBPolicy", "IPRoute"];
/// The group of the experiments of the Gateway API. The names of their kinds begin with `X`: XListenerSet became ListenerSet.
const EXPERIMENTS: &str = "gateway.networking.x-k8s.io";

/// The kinds that a document may mean. Of cert-manager, which has released several versions and has other kinds, an object of another version
/// is not a mistake.
fn ours() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| *kind != Kind::Certificate)
}

/// The supported kind that this `apiVersion` and `kind` probably mean, given that they do not name one exactly. `None`
/// if they name an unsupported kind.
pub(super) fn meant(api_version: &str, kind: &str) -> Option<Kind> {
    let group = group_of(api_version);
    let is_foreign = match group {
        GATEWAY_API => FOREIGN_KINDS.contains(&kind.strip_suffix("List").unwrap_or(kind)),
        EXPERIMENTS => kind.starts_with('X'),
        _ => false,
    };
    if is_foreign {
        return None;
    }
    let kind = kind.trim().to_lowercase();
    let near = ours().filter_map(|ours| {
        let slips = edits(&kind, ours);
        let is_like = match api_version {
            "" => slips <= MAX_KIND_EDITS_WITHOUT_VERSION,
            _ => slips <= MAX_KIND_EDITS && is_group_like(group, ours.api().group, slips == 0),
        };
        is_like.then_some((slips, ours))
    });
    // If two kinds have the same name, the one with the nearer group wins.
    near.min_by_key(|(slips, ours)| (*slips, strsim::osa_distance(group, ours.api().group))).map(|(_, ours)| ours)
}

/// The correct spelling of `kind` and its `apiVersion`, for a message.
pub(super) fn written(kind: Kind) -> String {
    let api = kind.api();
    let slash = if api.group.is_empty() { "" } else { "/" };
    format!("`{}` of `{}{slash}{}`", api.kind, api.group, api.versions[0])
}

/// Whether this `apiVersion` names the group of a supported kind, or a group that is spelled almost like it. The empty
/// group of the core kinds does not count.
pub(super) fn is_of_our_groups(api_version: &str) -> bool {
    let group = group_of(api_version).to_lowercase();
    let is_like = |kind: Kind| {
        let ours = kind.api().group;
        !ours.is_empty() && strsim::osa_distance(&group, ours) <= MAX_GROUP_EDITS
    };
    !group.is_empty() && ours().any(is_like)
}

/// The edit distance between `kind`, in lower case, and the name of `ours`, its plural or the name of its list,
/// whichever is nearest. `usize::MAX` if the lengths alone differ by more than the allowed typos.
fn edits(kind: &str, ours: Kind) -> usize {
    let api = ours.api();
    let is_near = |length: usize| length.abs_diff(kind.len()) <= MAX_KIND_EDITS;
    let distance = |form: &str| strsim::osa_distance(kind, form);
    let (name, list) = (api.kind.len(), api.kind.len() + "list".len());
    let singular = is_near(name).then(|| distance(&api.kind.to_lowercase()));
    let plural = is_near(api.plural.len()).then(|| distance(api.plural));
    let list = is_near(list).then(|| distance(&format!("{}list", api.kind.to_lowercase())));
    [singular, plural, list].into_iter().flatten().min().unwrap_or(usize::MAX)
}

/// The group of an `apiVersion`. A domain name without a version counts as a group.
fn group_of(api_version: &str) -> &str {
    match api_version.rsplit_once('/') {
        Some((group, _)) => group,
        None if api_version.contains('.') => api_version,
        None => "",
    }
}

/// Whether `group` may be a misspelling of `ours`. Only Kubernetes projects add kinds to groups without a dot and to
/// groups below `k8s.io`, so a correctly spelled supported kind in such a group has the wrong group.
fn is_group_like(group: &str, ours: &str, is_written_out: bool) -> bool {
    let is_reserved = !group.contains('.') || group.ends_with(".k8s.io");
    match (group, ours) {
        ("", "") => true,
        _ if is_reserved && is_written_out => true,
        ("", _) | (_, "") => false,
        _ => strsim::osa_distance(&group.to_lowercase(), ours) <= MAX_GROUP_EDITS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_kinds_are_distinguished_from_foreign_kinds() {
        let slips = [
            ("networking.k8s.io/v1", "Ingres", Kind::Ingress),
            ("networking.k8s.io/v1", "ingress", Kind::Ingress),
            ("networking.k8s.io/v1", "Ingresses", Kind::Ingress),
            ("networking.k8s.io/v1", "IngressLst", Kind::Ingress),
            ("networking.k8s.io/v1", "Ingress ", Kind::Ingress),
            ("networking.k8s.io/v2", "Ingress", Kind::Ingress),
            ("networking.k8s.io", "Ingress", Kind::Ingress),
            ("Networking.k8s.io/v1", "Ingress", Kind::Ingress),
            ("v1", "Ingress", Kind::Ingress),
            ("", "Ingress", Kind::Ingress),
            ("", "ingress", Kind::Ingress),
            ("", "Ingres", Kind::Ingress),
            ("apps/v1", "Ingress", Kind::Ingress),
            ("networking/v1", "Ingress", Kind::Ingress),
            ("gateway.k8s.io/v1", "HTTPRoute", Kind::HttpRoute),
            ("networking.k8s.io/v1", "IngressClas", Kind::IngressClass),
            ("networking.k8s.io/v1", "IngressClasses", Kind::IngressClass),
            ("v1", "Servcie", Kind::Service),
            ("networking.k8s/v1", "Ingress", Kind::Ingress),
            ("netwroking.k8s.io/v1", "Ingres", Kind::Ingress),
            ("contour.heptio.com/v1", "IngressRoute", Kind::IngressRoute),
            ("contour.heptio.co/v1beta1", "IngressRoute", Kind::IngressRoute),
            ("projectcontour.io/v1", "HTTPPRoxy", Kind::HttpProxy),
            ("projectcontour.io/v1", "httpproxies", Kind::HttpProxy),
            ("projectcontour.io/v1alpha1", "HTTPProxy", Kind::HttpProxy),
            ("projectcontour.io/v1beta1", "TLSCertificateDelegation", Kind::ProxyCertificateDelegation),
            ("contour.heptio.com/v1", "TLSCertificateDelegation", Kind::TlsCertificateDelegation),
            ("gateway.networking.k8s.io/v1", "BackendTLSPolicies", Kind::BackendTlsPolicy),
            ("gateway.networking.k8s.io/v1alpha2", "TPRoute", Kind::TcpRoute),
            ("gateway.networking.x-k8s.io/v1alpha1", "HTTPRoute", Kind::HttpRoute),
        ];
        for (api_version, kind, expected) in slips {
            assert_eq!(meant(api_version, kind), Some(expected), "{api_version} {kind}");
        }
        let others = [
            ("apps/v1", "Deployment"),
            ("v1", "Secret"),
            ("v1", "List"),
            ("networking.k8s.io/v1", "NetworkPolicy"),
            ("networking.k8s.io/v1", "ServiceCIDR"),
            ("serving.knative.dev/v1", "Service"),
            ("config.openshift.io/v1", "Ingress"),
            ("networking.istio.io/v1", "Gateway"),
            ("policy.linkerd.io/v1beta1", "HTTPRoute"),
            ("traefik.io/v1alpha1", "IngressRoute"),
            ("traefik.containo.us/v1alpha1", "IngressRoute"),
            ("traefik.io/v1alpha1", "IngressRouteTCP"),
            ("projectcontour.io/v1alpha1", "ContourConfiguration"),
            ("networking.istio.io/v1", "ServiceEntry"),
            ("gateway.networking.k8s.io/v1alpha2", "BackendLBPolicy"),
            ("gateway.networking.k8s.io/v1alpha2", "IPRoute"),
            ("gateway.networking.k8s.io/v1alpha2", "IPRouteList"),
            ("gateway.networking.x-k8s.io/v1alpha1", "XListenerSet"),
            ("gateway.networking.x-k8s.io/v1alpha1", "XReferenceGrant"),
            ("networking.gke.io/v1", "ManagedCertificate"),
            ("cert-manager.io/v1alpha2", "Certificate"),
            ("cert-manager.io/v1", "Issuer"),
            ("", "certificate"),
            ("", "device"),
            ("", ""),
        ];
        for (api_version, kind) in others {
            assert_eq!(meant(api_version, kind), None, "{api_version} {kind}");
        }
    }

    #[test]
    fn a_kind_is_written_with_its_version() {
        assert_eq!(written(Kind::Ingress), "`Ingress` of `networking.k8s.io/v1`");
        assert_eq!(written(Kind::Service), "`Service` of `v1`");
    }
}
