//! The claims that an update adds. A finding about a claim (a host, or one path or match of it) is excused by the same finding in the old
//! object only if the update adds nothing to the claim: no path, class, group, listener, parent, match or expression.

use std::cell::OnceCell;

use hashbrown::HashSet;

use crate::cluster::Facts;
use crate::cluster::claim_set::ClaimSet;
use crate::finding::{Claim, Finding};
use crate::kinds::http_proxy::MatchCondition;
use crate::kinds::{HttpProxy, Ingress, IngressRoute, Object};
use crate::matching::Host;
use crate::matching::alias::Aliased;
use crate::matching::annotation_effect::{Effect, with_effect};
use crate::matching::claimed_host::{CERTIFICATES, CONNECTIONS};

/// Stands for the host of an IngressRoute or HTTPProxy without one, which serves part of the hosts of its roots.
const UNNAMED_HOST: &str = "";

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
            // A host that the object does not name itself comes from a listener or a root, or is one of those that a wildcard or
            // an expression covers, so the claim to every host decides.
            _ => *self.adds_any.get_or_init(|| new.adds_any(old)),
        }
    }
}

impl Claims {
    /// The claims of an object, including those that its facts do not contain.
    fn of(object: &Object<'_>) -> Self {
        let facts = Facts::of(object);
        let (mut set, mut described) = (ClaimSet::of(&facts), HashSet::new());
        if let Facts::Delegation(facts) = &facts
            && facts.root.is_none()
        {
            set.add_served(UNNAMED_HOST, facts);
        }
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
            Object::Ingress(ingress) => {
                add_certificates(&mut set, ingress);
                add_effects(&mut set, ingress);
                add_canary(&mut set, ingress);
            }
            Object::IngressRoute(IngressRoute { spec, .. }) => {
                let root = spec.virtualhost.as_ref();
                let tls = root.and_then(|root| root.tls.as_ref()).map(|tls| (true, tls.passthrough));
                add_connections(&mut set, &host_of(root.map(|root| &*root.fqdn)), tls, spec.tcpproxy.is_some());
            }
            Object::HttpProxy(HttpProxy { spec, .. }) => {
                let root = spec.virtualhost.as_ref();
                let host = host_of(root.map(|root| &*root.fqdn));
                let tls =
                    root.and_then(|root| root.tls.as_ref()).map(|tls| (tls.secret_name.is_some(), tls.passthrough));
                add_connections(&mut set, &host, tls, spec.tcpproxy.is_some());
                let routes = spec.routes.iter().map(|route| &route.conditions);
                let includes = spec.includes.iter().map(|include| &include.conditions);
                routes.chain(includes).for_each(|conditions| set.add(&host, "", in_any_order(conditions)));
            }
            _ => {}
        }
        Self { set, described }
    }
}

/// The host of the claims of an IngressRoute or HTTPProxy with this name of its host.
fn host_of(fqdn: Option<&str>) -> String {
    fqdn.map_or(UNNAMED_HOST.to_owned(), |fqdn| Host::parse(fqdn).to_string())
}

fn add_certificates(set: &mut ClaimSet, ingress: &Ingress<'_>) {
    for tls in &ingress.spec.tls {
        let has_secret = tls.secret_name.as_deref().is_some_and(|name| !name.is_empty());
        tls.hosts.iter().for_each(|host| add_tls(set, &Host::parse(host).to_string(), (has_secret, false)));
    }
}

/// Adds what annotations take of the hosts of rules beside their paths: all connections, or the path `/`.
fn add_effects(set: &mut ClaimSet, ingress: &Ingress<'_>) {
    for (effect, path) in [(Effect::Passthrough, CONNECTIONS), (Effect::FrontRedirect, "/")] {
        for (_, key, _) in with_effect(effect, ingress) {
            let hosts = ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref());
            hosts.for_each(|host| set.add(&Host::parse(host).to_string(), path, key));
        }
    }
}

/// The shares of requests, in percent, that a canary takes beyond those of another one if it passes one of them.
const SHARES: [u32; 6] = [1, 10, 25, 50, 75, 100];

/// Adds the share of requests that a canary takes, so that an update may make it smaller, and the headers and cookies with which it takes
/// them.
fn add_canary(set: &mut ClaimSet, ingress: &Ingress<'_>) {
    if with_effect(Effect::Canary, ingress).next().is_none() {
        return;
    }
    let hosts = ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref());
    let hosts: Vec<String> = hosts.map(|host| Host::parse(host).to_string()).collect();
    for (key, value) in ingress.metadata.annotations.iter() {
        let shares = || {
            let share = value.trim().parse().unwrap_or(u32::MAX);
            SHARES.iter().filter(move |step| **step <= share).map(ToString::to_string).collect()
        };
        let parts: Vec<String> = match key.rsplit('/').next() {
            Some("canary-weight") => shares(),
            Some(name) if name.starts_with("canary-by-") => vec![value.to_string()],
            _ => continue,
        };
        hosts.iter().for_each(|host| parts.iter().for_each(|part| set.add(host, "", (key, part))));
    }
}

/// Adds what a root, or an object below it, serves of a host beside requests: TLS, with or without a certificate and passthrough, and whole
/// connections.
fn add_connections(set: &mut ClaimSet, host: &str, tls: Option<(bool, bool)>, has_tcp: bool) {
    if let Some(tls) = tls {
        add_tls(set, host, tls);
    }
    if has_tcp {
        set.add(host, CONNECTIONS, "");
    }
}

/// Adds TLS, and separately what it has, so that an update may remove that.
fn add_tls(set: &mut ClaimSet, host: &str, (has_secret, has_passthrough): (bool, bool)) {
    let has = [("", true), ("secret", has_secret), ("passthrough", has_passthrough)];
    has.into_iter().filter(|(_, has)| *has).for_each(|(part, _)| set.add(host, CERTIFICATES, part));
}

fn in_any_order(conditions: &[MatchCondition<'_>]) -> Vec<String> {
    let mut texts: Vec<String> = conditions.iter().map(|condition| format!("{condition:?}")).collect();
    texts.sort_unstable();
    texts
}
