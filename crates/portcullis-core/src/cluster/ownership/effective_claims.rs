//! The HostClaims that have an effect as a list, for readers that cannot decide which have one.

use std::collections::BTreeMap;

use super::super::{Cluster, Lookup, Overlay};
use super::Ownership;
use super::literals::Last;
use crate::kinds::Kind;

impl Ownership {
    /// The names of the HostClaims with an effect, each with the namespaces that may serve its host, joined by commas; with none if the effect
    /// depends on labels that are not known. `None` unless all HostClaims are known.
    pub fn effective_claims(&self, cluster: &Cluster) -> Option<BTreeMap<String, String>> {
        let view = Overlay::of_all(cluster);
        let listed = |name: &str| {
            let claim = cluster.host_claims.get(name)?;
            let host = claim.host()?;
            let namespaces = match self.claim_over(host, self.deciding(host, &mut Last::default()), &view) {
                Lookup::Found(found) if std::ptr::eq(found, claim) => claim.entry.namespaces.as_ref()?.names.join(","),
                Lookup::Found(_) | Lookup::Absent => return None,
                Lookup::Unknown => String::new(),
            };
            Some((name.to_owned(), namespaces))
        };
        cluster.knows_all(Kind::HostClaim).then(|| cluster.host_claims.names().filter_map(listed).collect())
    }
}
