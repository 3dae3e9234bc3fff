//! The hosts that annotations give to an Ingress beside those of its rules, as the view stores them.

use hashbrown::HashSet;

use crate::field::At;
use crate::kinds::Ingress;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::alias::{Alias, Aliased};
use crate::matching::claimed_host::ClaimLocation;
use crate::matching::{ClaimedHost, Host};

/// The hosts of one annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationHosts {
    /// The annotation.
    pub alias: &'static Alias,
    /// Whether an expression, a predicate or a condition lists the hosts, which may then apply to some of the rules, or the annotation
    /// redirects from them. Otherwise, it adds them to all rules.
    pub is_described: bool,
    /// The hosts in canonical form, sorted, without duplicates and separated by spaces. An annotation may contain
    /// thousands of hosts, so they share one string.
    hosts: Box<str>,
}

impl AnnotationHosts {
    /// The hosts that the annotations of `ingress` give to it beside the hosts of its rules.
    pub fn all(ingress: &Ingress<'_>) -> Box<[Self]> {
        let annotations = &ingress.metadata.annotations;
        if !annotations.iter().any(|(key, _)| Alias::lists_hosts(key)) {
            return Box::default();
        }
        let rules = ingress.spec.rules.iter().enumerate();
        let rules = rules.filter_map(|(index, rule)| Some((index, rule.host.as_deref()?)));
        let at = |index| ClaimLocation::At(At::element("spec.rules[].host", [index]));
        let rules: Vec<_> = rules.map(|(index, host)| ClaimedHost::written(at(index), host)).collect();
        let own: HashSet<&Host<'_>> = rules.iter().map(|claim| &claim.host).collect();
        let aliased = Aliased::all("metadata.annotations", annotations).filter(|aliased| aliased.alias.may_list());
        let given = aliased.flat_map(|aliased| {
            let (alias, claims) = (aliased.alias, aliased.claims(&rules));
            let hosts_of = |is_described: bool| {
                let is_kept = |claim: &&ClaimedHost<'_>| match alias.adds_to_rules() && claim.is_served() {
                    true => !is_described,
                    // What only bounds the hosts lists none.
                    false => is_described && matches!(claim.host, Host::Precise(_)),
                };
                let kept = claims.iter().filter(is_kept).filter(|claim| !own.contains(&claim.host));
                let mut hosts: Vec<String> = kept.map(|claim| claim.host.to_string()).collect();
                hosts.sort_unstable();
                hosts.dedup();
                hosts.truncate(MAX_ENTRIES);
                (!hosts.is_empty()).then(|| Self { alias, is_described, hosts: hosts.join(" ").into() })
            };
            [hosts_of(false), hosts_of(true)].into_iter().flatten()
        });
        given.collect()
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
    fn a_redirect_between_names_lists_the_other_name() {
        let ingress = |value: &str| {
            format!(
                r#"{{"metadata": {{"annotations": {{"nginx.ingress.kubernetes.io/from-to-www-redirect": "{value}"}}}},
                "spec": {{"rules": [{{"host": "a.b.c"}}, {{"host": "www.d.e"}}, {{"host": "f.g"}}, {{"host": "www.f.g"}}]}}}}"#
            )
        };
        let listed = |value: &str| {
            let json = ingress(value);
            let Ok(Object::Ingress(ingress)) = decode(Kind::Ingress, &json) else { panic!("{json}") };
            let all = AnnotationHosts::all(&ingress);
            all.iter().flat_map(|given| given.hosts().map(|(_, host)| host.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(listed("true"), ["d.e", "www.a.b.c"]);
        assert_eq!(listed("false"), [""; 0]);
    }

    #[test]
    fn precise_hosts_are_listed_by_expressions_predicates_and_conditions() {
        for (key, value, expected) in [
            ("nginx.ingress.kubernetes.io/server-alias", r"~^a\\.b\\.c$", "a.b.c"),
            ("haproxy-ingress.github.io/server-alias-regex", r"^(x|y)\\.b\\.c$", "x.b.c y.b.c"),
            ("haproxy-ingress.github.io/server-alias-regex", r"^.*\\.b\\.c$", ""),
            ("zalando.org/skipper-predicate", r#"HostAny(\"a.b.c\")"#, "a.b.c"),
            ("traefik.ingress.kubernetes.io/router.pathmatcher", "Host(`a.b.c`) && PathPrefix", "a.b.c"),
            ("external-dns.kubernetes.io/hostname", "a.b.c", ""),
        ] {
            let ingress = format!(r#"{{"metadata": {{"annotations": {{"{key}": "{value}"}}}}}}"#);
            let Ok(Object::Ingress(ingress)) = decode(Kind::Ingress, &ingress) else { panic!("{ingress}") };
            let all = AnnotationHosts::all(&ingress);
            let found: Vec<&str> = all.iter().flat_map(|given| given.hosts().map(|(_, host)| host)).collect();
            assert_eq!(found.join(" "), expected, "{key}: {value}");
            assert!(all.iter().all(|given| given.is_described), "{key}: {value}");
        }
    }

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
