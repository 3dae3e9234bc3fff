//! A document that is skipped, but looks as if one of our kinds was meant: a slip of the pen in `kind` or `apiVersion`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::kinds::Kind;

/// How many slips a kind may hold and still be meant.
const SLIPS_OF_KIND: usize = 2;
/// How many slips a group may hold: `networking.k8s` lacks three characters.
const SLIPS_OF_GROUP: usize = 3;

/// A document that looks as if one of our kinds was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// The file.
    pub file: Arc<Path>,
    /// The document's `apiVersion`.
    pub api_version: String,
    /// The document's `kind`.
    pub kind: String,
    /// The kind that it is like.
    pub meant: Kind,
}

impl Lookalike {
    /// A document of this `apiVersion` and `kind`, neither of which is ours, if both are like those of one of our kinds.
    pub fn of(file: &Arc<Path>, api_version: &str, kind: &str) -> Option<Self> {
        let slips = |ours: &Kind| {
            let api = ours.api();
            let slips = strsim::osa_distance(&kind.to_lowercase(), &api.kind.to_lowercase());
            (slips <= SLIPS_OF_KIND && is_group_like(group_of(api_version), api.group, kind == api.kind))
                .then_some(slips)
        };
        let near = Kind::ALL.into_iter().filter_map(|ours| Some((slips(&ours)?, ours)));
        let (_, meant) = near.min_by_key(|(slips, _)| *slips)?;
        Some(Self { file: Arc::clone(file), api_version: api_version.to_owned(), kind: kind.to_owned(), meant })
    }

    /// Whether the group is that of one of our kinds, so that the API server itself serves no such kind.
    pub fn is_of_our_groups(&self) -> bool {
        Kind::ALL.iter().any(|ours| ours.api().group == group_of(&self.api_version))
    }
}

impl fmt::Display for Lookalike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, api_version, kind, meant } = self;
        let api = meant.api();
        let slash = if api.group.is_empty() { "" } else { "/" };
        let (file, ours) = (file.display(), format!("{}{slash}{}", api.group, api.versions[0]));
        write!(f, "{file}: `{kind}` of `{api_version}` is not read; `{}` of `{ours}` would be", api.kind)
    }
}

/// The group of an `apiVersion`; a domain without a version is one too.
fn group_of(api_version: &str) -> &str {
    match api_version.rsplit_once('/') {
        Some((group, _)) => group,
        None if api_version.contains('.') => api_version,
        None => "",
    }
}

/// Whether `group` may stand for `ours`. Nobody adds kinds to the core group, so a kind of ours that is written out names the wrong one there.
fn is_group_like(group: &str, ours: &str, is_written_out: bool) -> bool {
    match (group, ours) {
        ("", "") => true,
        ("", _) => is_written_out,
        (_, "") => false,
        _ => strsim::osa_distance(&group.to_lowercase(), ours) <= SLIPS_OF_GROUP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the document is taken for, and whether that is more than a note.
    fn meant(api_version: &str, kind: &str) -> Option<(Kind, bool)> {
        let found = Lookalike::of(&Arc::from(Path::new("a.yaml")), api_version, kind)?;
        Some((found.meant, found.is_of_our_groups()))
    }

    #[test]
    fn a_slip_is_told_from_a_kind_of_others() {
        let slips = [
            ("networking.k8s.io/v1", "Ingres", Kind::Ingress, true),
            ("networking.k8s.io/v1", "ingress", Kind::Ingress, true),
            ("networking.k8s.io/v2", "Ingress", Kind::Ingress, true),
            ("networking.k8s.io", "Ingress", Kind::Ingress, true),
            ("v1", "Ingress", Kind::Ingress, true),
            ("", "Ingress", Kind::Ingress, true),
            ("networking.k8s.io/v1", "IngressClas", Kind::IngressClass, true),
            ("v1", "Servcie", Kind::Service, true),
            ("networking.k8s/v1", "Ingress", Kind::Ingress, false),
            ("netwroking.k8s.io/v1", "Ingres", Kind::Ingress, false),
            ("contour.heptio.com/v1", "IngressRoute", Kind::IngressRoute, true),
            ("contour.heptio.co/v1beta1", "IngressRoute", Kind::IngressRoute, false),
            ("projectcontour.io/v1", "HTTPPRoxy", Kind::HttpProxy, true),
            ("projectcontour.io/v1alpha1", "HTTPProxy", Kind::HttpProxy, true),
            ("projectcontour.io/v1beta1", "TLSCertificateDelegation", Kind::ProxyCertificateDelegation, true),
        ];
        for (api_version, kind, expected, ours) in slips {
            assert_eq!(meant(api_version, kind), Some((expected, ours)), "{api_version} {kind}");
        }
        let others = [
            ("apps/v1", "Deployment"),
            ("v1", "Secret"),
            ("networking.k8s.io/v1", "NetworkPolicy"),
            ("networking.k8s.io/v1", "ServiceCIDR"),
            ("serving.knative.dev/v1", "Service"),
            ("config.openshift.io/v1", "Ingress"),
            ("traefik.io/v1alpha1", "IngressRoute"),
            ("traefik.containo.us/v1alpha1", "IngressRoute"),
            ("traefik.io/v1alpha1", "IngressRouteTCP"),
            ("projectcontour.io/v1alpha1", "ContourConfiguration"),
            ("networking.istio.io/v1", "ServiceEntry"),
            ("", ""),
        ];
        for (api_version, kind) in others {
            assert_eq!(meant(api_version, kind), None, "{api_version} {kind}");
        }
    }
}
