//! The hosts that annotations add to all rules of an Ingress, as the view stores them.

use hashbrown::HashSet;

use crate::kinds::Ingress;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::alias::{Alias, Aliased};
use crate::matching::{ClaimedHost, Host};

/// The hosts of one annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationHosts {
    /// The annotation.
    pub alias: &'static Alias,
    /// The hosts in canonical form, sorted, without duplicates and separated by spaces. An annotation may contain
    /// thousands of hosts, so they share one string.
    hosts: Box<str>,
}

impl AnnotationHosts {
    /// The hosts that the annotations of `ingress` add to the hosts of its rules.
    pub fn all(ingress: &Ingress<'_>) -> Box<[Self]> {
        let annotations = &ingress.metadata.annotations;
        if !annotations.iter().any(|(key, _)| Alias::adds_hosts(key)) {
            return Box::default();
        }
        let rules = ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref());
        let own: HashSet<Host<'_>> = rules.map(Host::parse).collect();
        let aliased = Aliased::all("metadata.annotations", annotations).filter(|aliased| aliased.alias.adds_to_rules());
        let added = aliased.filter_map(|aliased| {
            let claims = aliased.claims(&[]);
            let served = claims.iter().filter(|claim| claim.is_served() && !own.contains(&claim.host));
            let mut hosts: Vec<String> = served.map(|claim: &ClaimedHost<'_>| claim.host.to_string()).collect();
            hosts.sort_unstable();
            hosts.dedup();
            hosts.truncate(MAX_ENTRIES);
            (!hosts.is_empty()).then(|| Self { alias: aliased.alias, hosts: hosts.join(" ").into() })
        });
        added.collect()
    }

    /// The hosts, each with its byte offset in the string.
    pub fn hosts(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut end = 0;
        self.hosts.split(' ').map(move |host| {
            let position = end;
            end += u32::try_from(host.len()).unwrap_or(u32::MAX) + 1;
            (position, host)
        })
    }

    /// The host at this byte offset.
    pub fn host_at(&self, position: u32) -> &str {
        let rest = self.hosts.get(position as usize..).unwrap_or_default();
        rest.split(' ').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Kind, Object, decode};

    #[test]
    fn hosts_are_found_by_position() {
        let ingress = r#"{"metadata": {"annotations": {"konghq.com/host-aliases": "b.example.org, A.example.org., ~^x, own.example.org,b.example.org"}},
            "spec": {"rules": [{"host": "own.example.org"}]}}"#;
        let Ok(Object::Ingress(ingress)) = decode(Kind::Ingress, ingress) else { panic!("an Ingress") };
        let all = AnnotationHosts::all(&ingress);
        let [added] = &*all else { panic!("one annotation") };
        let hosts: Vec<_> = added.hosts().collect();
        assert_eq!(hosts, [(0, "a.example.org"), (14, "b.example.org")]);
        assert!(hosts.iter().all(|(position, host)| added.host_at(*position) == *host));
    }
}
