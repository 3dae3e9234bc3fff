//! HTTPProxies: a host is its root's, and includes add the routes of other objects under conditions, which are strung together. What is
//! missing answers 502 or 503, and the rest goes on serving.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::answer::Api;
use super::candidate::Candidate;
use super::expansion;
use super::forest::{Forest, Target, services};
use super::route_chain::{End, ResolvedRoute, RouteChain, is_missing};
use super::route_resolver::Stored;
use super::trees::{Connections, Idle, Tree, Trees};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::field::At;
use crate::kinds::http_proxy::ProxyService;
use crate::kinds::{HttpProxy, Kind, Object, ObjectRef};
use crate::matching::Host;
use crate::message::{render_message, render_with_path};
use crate::validation::http_proxy;

/// The trees of all HTTPProxies.
pub(super) fn trees<'w>(objects: &'w [Stored<'w>], config: &Config, view: Overlay<'w>) -> Trees<'w> {
    let proxies = objects.iter().filter_map(|stored| match &stored.object {
        Object::HttpProxy(proxy) => Some((&stored.object_ref, proxy)),
        _ => None,
    });
    let proxies: BTreeMap<_, _> = proxies.collect();
    let errors = proxies.iter().map(|(object_ref, proxy)| (*object_ref, http_proxy::errors(proxy))).collect();
    let forest = Forest { proxies, errors, view: &view, config };
    let (mut all, mut idle) = (Vec::new(), Vec::new());
    for (object_ref, proxy) in &forest.proxies {
        let Some(virtualhost) = &proxy.spec.virtualhost else { continue };
        let host = Host::parse(&virtualhost.fqdn);
        match forest.tree(object_ref, proxy, &host) {
            Ok(tree) => all.push(tree),
            Err(reason) => idle.push(Idle { object: object_ref, class: proxy.class(), host: Some(host), reason }),
        }
    }
    let included = forest.included(all.iter().map(|tree| tree.root).collect());
    for (object_ref, proxy) in &forest.proxies {
        if proxy.spec.virtualhost.is_none() && !included.contains(object_ref) {
            let reason = "orphaned: no accepted root includes it".to_owned();
            idle.push(Idle { object: object_ref, class: proxy.class(), host: None, reason });
        }
    }
    Trees::new(Api::HttpProxy, view, all, idle)
}

impl<'w> Forest<'_, 'w> {
    /// What a root serves, or why it has no host or serves nothing at all.
    fn tree(&self, object_ref: &'w ObjectRef, root: &'w HttpProxy<'w>, host: &Host<'w>) -> Result<Tree<'w>, String> {
        self.refuse(object_ref, root, host)?;
        let way = RouteChain::begin(object_ref, At::field("spec.virtualhost.fqdn"), format!("host {host}"));
        let connections = self.connections(object_ref, root, &way)?;
        let mut tree = Tree::new(object_ref, root.class(), host.clone(), connections);
        expansion::grow(self, &mut tree, root, way);
        Ok(tree)
    }

    /// Fails where a root is invalid, or another root claims its host.
    fn refuse(&self, object_ref: &'w ObjectRef, root: &HttpProxy<'_>, host: &Host<'_>) -> Result<(), String> {
        let may_hold =
            |object_ref: &ObjectRef| self.config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace);
        if !may_hold(object_ref) {
            return Err(format!("namespace {} may not hold roots", object_ref.namespace));
        }
        if let Some(error) = &self.errors(object_ref).object {
            return Err(render_with_path(error));
        }
        let mut others = self.view.roots(object_ref.kind, root.class(), host).map(|other| &*other.object_ref);
        if let Some(other) = others.find(|other| *other != object_ref && may_hold(other)) {
            return Err(format!("{other} also claims the host, so neither serves it"));
        }
        let tls = root.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
        match tls.filter(|tls| !tls.passthrough).and_then(|tls| tls.secret_name.as_deref()) {
            Some(secret) => self.refuse_secret(object_ref, secret),
            None => Ok(()),
        }
    }

    /// Fails where a Secret is not lent, or TLS cannot be spoken with it, as far as files hold it: few keep theirs beside their manifests.
    fn refuse_secret(&self, object_ref: &ObjectRef, secret: &str) -> Result<(), String> {
        let (namespace, name) = secret.split_once('/').unwrap_or((&object_ref.namespace, secret));
        if self.view.delegates_certificate(Kind::ProxyCertificateDelegation, namespace, name, &object_ref.namespace)
            == Lookup::Absent
        {
            return Err(format!(
                "no TLSCertificateDelegation.projectcontour.io of namespace {namespace} delegates the Secret {name} to it"
            ));
        }
        match self.view.secret(namespace, name) {
            Lookup::Found(facts) if !facts.speaks_tls() => {
                Err(format!("Secret {secret} has no usable certificate and key"))
            }
            _ => Ok(()),
        }
    }

    /// What becomes of connections over TLS; with a `tcpproxy` that is wrong, whoever holds it, the root serves nothing.
    fn connections(
        &self,
        root: &'w ObjectRef,
        proxy: &'w HttpProxy<'w>,
        way: &Rc<RouteChain<'w>>,
    ) -> Result<Connections<'w>, String> {
        let tls = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
        match (tls, &proxy.spec.tcpproxy) {
            (None, _) => return Ok(Connections::Plain),
            (Some(tls), None) if tls.passthrough => {
                return Ok(Connections::Nowhere("TLS is passed through, and there is no tcpproxy".to_owned()));
            }
            (Some(_), None) => return Ok(Connections::Ended),
            (Some(_), Some(_)) => {}
        }
        let at = At::field("spec.tcpproxy");
        let (mut object_ref, mut object, mut way, mut seen) = (root, proxy, Rc::clone(way), HashSet::from([root]));
        loop {
            let Some(tcpproxy) = object.spec.tcpproxy.as_deref() else {
                return Ok(Connections::Nowhere(format!(
                    "connections are handed on to {object_ref}, which has no tcpproxy"
                )));
            };
            if let Some(error) = &self.errors(object_ref).tcpproxy {
                return Err(format!("tcpproxy of {object_ref} is invalid: {}", render_message(error)));
            }
            let Some((_, include)) = tcpproxy.include() else {
                return self.whole(object_ref, &tcpproxy.services, way).map(Box::new).map(Connections::Whole);
            };
            let namespace = include.namespace_from(&object_ref.namespace);
            match self.target(object_ref, proxy.class(), namespace, &include.name) {
                Target::None(why) => return Err(format!("tcpproxy of {object_ref} includes what it cannot: {why}")),
                Target::Part(target, _) if !seen.insert(target) => {
                    return Err(format!("tcpproxy of {object_ref} includes {target}, which leads back to it"));
                }
                Target::Part(target, part) => {
                    way = way.on(object_ref, at, format!("connections are handed on to {target}"));
                    (object_ref, object) = (target, part);
                }
            }
        }
    }

    /// The services that take whole connections, all of which must be there.
    fn whole(
        &self,
        object_ref: &'w ObjectRef,
        written: &'w [ProxyService<'w>],
        way: Rc<RouteChain<'w>>,
    ) -> Result<ResolvedRoute<'w>, String> {
        let services = services(written);
        let missing = services.iter().find(|(name, port, _)| is_missing(name, *port, &object_ref.namespace, self.view));
        if let Some((name, ..)) = missing {
            return Err(format!("Service {name} of tcpproxy of {object_ref} is missing, or has not the port"));
        }
        let candidate = Candidate::of_everything(object_ref, None, At::field("spec.tcpproxy"), [0, 0]);
        Ok(ResolvedRoute { candidate, way, end: End::Services(services), permits_insecure: true })
    }
}
