//! HTTPProxies. A host belongs to its root, and includes add the routes of other objects, with combined conditions. A
//! missing object or Service is answered with 502 or 503, and everything else continues to be served.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::answer::Api;
use super::candidate::Candidate;
use super::expansion;
use super::forest::{Forest, IncludeTarget};
use super::not_evaluated::NotEvaluated;
use super::route_action::{RouteAction, RouteService, RouteServices, services};
use super::route_chain::{ResolvedRoute, RouteChain, is_missing};
use super::route_resolver::Stored;
use super::trees::{TlsHandling, Tree, Trees, UnservedObject};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::field::At;
use crate::kinds::http_proxy::ProxyService;
use crate::kinds::{HttpProxy, Kind, Object, ObjectRef};
use crate::matching::Host;
use crate::message::{render_message, render_with_path};
use crate::validation::http_proxy;

const TCP_PROXY: At = At::field("spec.tcpproxy");

/// The trees of all HTTPProxies.
pub(super) fn trees<'w>(objects: &'w [Stored<'w>], config: &Config, view: Overlay<'w>) -> Trees<'w> {
    let proxies = objects.iter().filter_map(|stored| match &stored.object {
        Object::HttpProxy(proxy) => Some((&stored.object_ref, proxy)),
        _ => None,
    });
    let proxies: BTreeMap<_, _> = proxies.collect();
    let errors = proxies.iter().map(|(object_ref, proxy)| (*object_ref, http_proxy::errors(proxy))).collect();
    let forest = Forest { proxies, errors, view: &view, config };
    let (mut all, mut idle, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    for (object_ref, proxy) in &forest.proxies {
        let Some(virtualhost) = &proxy.spec.virtualhost else { continue };
        let host = Host::parse(&virtualhost.fqdn);
        match forest.tree(object_ref, proxy, &host) {
            // Contour has no virtual host without routes, so that a wildcard above the host answers.
            Ok(tree) if tree.is_empty() => {
                roots.push(tree.root);
                let first = tree.replaced.first().map(|loser| format!(": {}", loser.reason));
                let reason = format!("no route is served{}", first.unwrap_or_default());
                idle.push(UnservedObject { object: object_ref, class: proxy.class(), host: Some(host), reason });
            }
            Ok(tree) => {
                roots.push(tree.root);
                all.push(tree);
            }
            Err(reason) => {
                idle.push(UnservedObject { object: object_ref, class: proxy.class(), host: Some(host), reason })
            }
        }
    }
    let included = forest.included(roots);
    for (object_ref, proxy) in &forest.proxies {
        if proxy.spec.virtualhost.is_none() && !included.contains(object_ref) {
            let reason = "orphaned: no accepted root includes it".to_owned();
            idle.push(UnservedObject { object: object_ref, class: proxy.class(), host: None, reason });
        }
    }
    Trees::new(Api::HttpProxy, view, all, idle)
}

impl<'w> Forest<'_, 'w> {
    /// The tree of a root, or the reason why it serves nothing.
    fn tree(&self, object_ref: &'w ObjectRef, root: &'w HttpProxy<'w>, host: &Host<'w>) -> Result<Tree<'w>, String> {
        self.check_root(object_ref, root, host)?;
        let chain = RouteChain::begin(object_ref, At::field("spec.virtualhost.fqdn"), format!("host {host}"));
        let tls_handling = self.tls_handling(object_ref, root, &chain)?;
        let mut tree = Tree::new(object_ref, root.class(), host.clone(), tls_handling);
        let policies = root.spec.virtualhost.iter().flat_map(|host| host.policies());
        tree.not_evaluated = policies
            .map(|name| NotEvaluated::FieldOf(object_ref.clone(), At::field("spec.virtualhost").then(name)))
            .collect();
        expansion::expand(self, &mut tree, root, chain);
        Ok(tree)
    }

    /// Fails if a root is invalid, or if another root claims its host.
    fn check_root(&self, object_ref: &'w ObjectRef, root: &HttpProxy<'_>, host: &Host<'_>) -> Result<(), String> {
        let may_hold =
            |object_ref: &ObjectRef| self.config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace);
        if !may_hold(object_ref) {
            return Err(format!("roots are not allowed in namespace {}", object_ref.namespace));
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
            Some(secret) => self.check_certificate(object_ref, secret),
            None => Ok(()),
        }
    }

    /// Fails if a Secret is not delegated to the namespace, or cannot be used for TLS. Secrets are only known from
    /// files, and few users keep them beside their manifests, so an unknown Secret is accepted.
    fn check_certificate(&self, object_ref: &ObjectRef, secret: &str) -> Result<(), String> {
        let (namespace, name) = secret.split_once('/').unwrap_or((&object_ref.namespace, secret));
        if self.view.delegates_certificate(Kind::ProxyCertificateDelegation, namespace, name, &object_ref.namespace)
            == Lookup::Absent
        {
            return Err(format!(
                "no TLSCertificateDelegation.projectcontour.io in namespace {namespace} delegates Secret {name} to the namespace of this object"
            ));
        }
        match self.view.secret(namespace, name) {
            Lookup::Found(facts) if !facts.speaks_tls() => {
                Err(format!("Secret {secret} has no usable certificate and key"))
            }
            _ => Ok(()),
        }
    }

    /// How the host handles TLS connections. If any `tcpproxy` on the chain is invalid, the root serves nothing.
    fn tls_handling(
        &self,
        root: &'w ObjectRef,
        proxy: &'w HttpProxy<'w>,
        chain: &Rc<RouteChain<'w>>,
    ) -> Result<TlsHandling<'w>, String> {
        let tls = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
        match (tls, &proxy.spec.tcpproxy) {
            (None, _) => Ok(TlsHandling::PlainHttp),
            (Some(tls), None) if tls.passthrough => {
                Ok(TlsHandling::Unroutable("TLS is passed through, but spec.tcpproxy is not set".to_owned()))
            }
            (Some(_), None) => Ok(TlsHandling::Terminated),
            (Some(_), Some(_)) => self.tcp_proxy(root, proxy, Rc::clone(chain)),
        }
    }

    /// Where the `tcpproxy` of a root leads, which may include that of another object, and so on.
    fn tcp_proxy(
        &self,
        root: &'w ObjectRef,
        proxy: &'w HttpProxy<'w>,
        mut chain: Rc<RouteChain<'w>>,
    ) -> Result<TlsHandling<'w>, String> {
        let (mut object_ref, mut object, mut seen) = (root, proxy, HashSet::from([root]));
        loop {
            let Some(tcpproxy) = object.spec.tcpproxy.as_deref() else {
                return Ok(TlsHandling::Unroutable(format!(
                    "spec.tcpproxy includes {object_ref}, which has no spec.tcpproxy"
                )));
            };
            if let Some(error) = &self.errors(object_ref).tcpproxy {
                return Err(format!("tcpproxy of {object_ref} is invalid: {}", render_message(error)));
            }
            let Some((_, include)) = tcpproxy.include() else {
                let route = self.tcp_proxy_route(object_ref, &tcpproxy.services, chain)?;
                return Ok(TlsHandling::TcpProxy(Box::new(route)));
            };
            let namespace = include.namespace_from(&object_ref.namespace);
            match self.target(object_ref, proxy.class(), namespace, &include.name) {
                IncludeTarget::Unresolved(why) => {
                    return Err(format!("the include in spec.tcpproxy of {object_ref} cannot be followed: {why}"));
                }
                IncludeTarget::Resolved(target, _) if !seen.insert(target) => {
                    return Err(format!("tcpproxy of {object_ref} includes {target}, which leads back to it"));
                }
                IncludeTarget::Resolved(target, part) => {
                    chain = chain.followed_by(object_ref, TCP_PROXY, format!("connections are delegated to {target}"));
                    (object_ref, object) = (target, part);
                }
            }
        }
    }

    /// The services that receive whole connections, all of which must exist.
    fn tcp_proxy_route(
        &self,
        object_ref: &'w ObjectRef,
        entries: &'w [ProxyService<'w>],
        chain: Rc<RouteChain<'w>>,
    ) -> Result<ResolvedRoute<'w>, String> {
        let services: Vec<RouteService<'w>> = services(entries).collect();
        let missing = services.iter().find(|(name, port, _)| is_missing(name, *port, &object_ref.namespace, self.view));
        if let Some((name, ..)) = missing {
            return Err(format!("Service {name} (spec.tcpproxy of {object_ref}) does not exist or lacks the port"));
        }
        let candidate = Candidate::of_everything(object_ref, None, TCP_PROXY, [0, 0]);
        let action = RouteAction::Services(RouteServices::of_connections(services));
        Ok(ResolvedRoute { candidate, chain, action, not_evaluated: Vec::new(), permits_insecure: true })
    }
}
