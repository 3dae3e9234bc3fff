//! The claims that an update adds.

use std::cell::OnceCell;

use hashbrown::HashSet;

use crate::cluster::Facts;
use crate::cluster::claim_set::ClaimSet;
use crate::finding::{Claim, Finding};
use crate::kinds::http_proxy::MatchCondition;
use crate::kinds::{HttpProxy, Ingress, IngressRoute, Object};
use crate::matching::Host;
use crate::matching::alias::Aliased;
use crate::matching::host_claim::CERTIFICATES;

/// Stands for the path of what serves whole connections.
const CONNECTIONS: &str = "spec.tcpproxy";

/// The claims of an object before and after an update.
pub(super) struct AddedClaims {
    new: Claims,
    old: Claims,
    adds_any: OnceCell<bool>,
}

/// The claims of one version of an object.
struct Claims {
    set: ClaimSet,
    /// The hosts that an annotation does not list but describes, and that therefore get all paths of the object.
    described: HashSet<String>,
}

impl AddedClaims {
    /// What the update of `old` to `new` adds.
    pub fn of(new: &Object<'_>, old: &Object<'_>) -> Self {
        Self { new: Claims::of(new), old: Claims::of(old), adds_any: OnceCell::new() }
    }

    /// Whether a finding is about a claim to which the update adds.
    pub fn concern(&self, finding: &Finding) -> bool {
        let Some(Claim { host, path, is_older }) = &finding.claim else { return false };
        let (new, old) = (&self.new.set, &self.old.set);
        match new.has(host) {
            true if *is_older => !old.has(host),
            true if !self.new.described.contains(host) => new.adds_to(old, host, path.as_deref()),
            // A host that the object does not name itself comes from a listener, or is one of those that a wildcard or an
            // expression covers, so the claim to every host decides.
            _ => *self.adds_any.get_or_init(|| new.adds_any(old)),
        }
    }
}

impl Claims {
    /// The claims of an object, including those that its facts do not contain.
    fn of(object: &Object<'_>) -> Self {
        let (mut set, mut described) = (ClaimSet::of(&Facts::of(object)), HashSet::new());
        for aliased in Aliased::all("metadata.annotations", &object.metadata().annotations) {
            let (key, value) = aliased.written();
            for claim in aliased.claims(&[]) {
                // A host of a list stays the same claim if the list changes; an expression is a claim as a whole.
                let is_listed = !claim.written.is_empty();
                let host = claim.host.to_string();
                set.add(&host, "", (key, if is_listed { "" } else { value }));
                if !is_listed {
                    described.insert(host);
                }
            }
        }
        match object {
            Object::Ingress(ingress) => add_certificates(&mut set, ingress),
            Object::IngressRoute(route) => add_root(&mut set, route),
            Object::HttpProxy(proxy) => add_proxy(&mut set, proxy),
            _ => {}
        }
        Self { set, described }
    }
}

fn add_certificates(set: &mut ClaimSet, ingress: &Ingress<'_>) {
    for tls in &ingress.spec.tls {
        let has_secret = tls.secret_name.as_deref().is_some_and(|name| !name.is_empty());
        tls.hosts.iter().for_each(|host| set.add(&Host::parse(host).to_string(), CERTIFICATES, has_secret));
    }
}

fn add_root(set: &mut ClaimSet, route: &IngressRoute<'_>) {
    let Some(virtual_host) = &route.spec.virtualhost else { return };
    let host = Host::parse(&virtual_host.fqdn).to_string();
    if let Some(tls) = &virtual_host.tls {
        set.add(&host, CERTIFICATES, tls.passthrough);
    }
    if route.spec.tcpproxy.is_some() {
        set.add(&host, CONNECTIONS, "");
    }
}

fn add_proxy(set: &mut ClaimSet, proxy: &HttpProxy<'_>) {
    let Some(virtual_host) = &proxy.spec.virtualhost else { return };
    let host = Host::parse(&virtual_host.fqdn).to_string();
    if let Some(tls) = &virtual_host.tls {
        set.add(&host, CERTIFICATES, (tls.passthrough, tls.secret_name.is_some()));
    }
    if proxy.spec.tcpproxy.is_some() {
        set.add(&host, CONNECTIONS, "");
    }
    let routes = proxy.spec.routes.iter().map(|route| &route.conditions);
    for conditions in routes.chain(proxy.spec.includes.iter().map(|include| &include.conditions)) {
        set.add(&host, "", in_any_order(conditions));
    }
}

fn in_any_order(conditions: &[MatchCondition<'_>]) -> Vec<String> {
    let mut texts: Vec<String> = conditions.iter().map(|condition| format!("{condition:?}")).collect();
    texts.sort_unstable();
    texts
}
