//! All HTTPProxies of a cluster, with what is invalid in each, and what an include of one leads to.

use std::collections::{BTreeMap, HashSet};

use super::route_chain::Service;
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::kinds::http_proxy::{ProxyService, ProxyTcp};
use crate::kinds::{HttpProxy, ObjectRef};
use crate::validation::http_proxy::Errors;

/// All HTTPProxies by place.
pub(super) struct Forest<'f, 'w> {
    pub(super) proxies: BTreeMap<&'w ObjectRef, &'w HttpProxy<'w>>,
    pub(super) errors: BTreeMap<&'w ObjectRef, Errors>,
    pub(super) view: &'f Overlay<'w>,
    pub(super) config: &'f Config,
}

/// What stands where an object includes from.
pub(super) enum Target<'w> {
    /// A part, of the same class.
    Part(&'w ObjectRef, &'w HttpProxy<'w>),
    /// Nothing that can be included, in words.
    None(String),
}

impl<'w> Forest<'_, 'w> {
    /// What is invalid in the object at `object_ref`.
    pub(super) fn errors(&self, object_ref: &'w ObjectRef) -> &Errors {
        &self.errors[object_ref]
    }

    /// What stands where the object at `own` includes from.
    pub(super) fn target(&self, own: &ObjectRef, class: Option<&str>, namespace: &str, name: &str) -> Target<'w> {
        let target = ObjectRef::new(own.kind, namespace, name);
        match self.proxies.get_key_value(&target) {
            None if matches!(self.view.delegation(&target), Lookup::Absent) => {
                Target::None(format!("there is no {target}"))
            }
            None => Target::None(format!("of {target} nothing can be read")),
            Some((_, proxy)) if proxy.class() != class => Target::None(format!("{target} is of another class")),
            Some((_, proxy)) if proxy.spec.virtualhost.is_some() => Target::None(format!("{target} is a root")),
            Some((object_ref, proxy)) => Target::Part(object_ref, proxy),
        }
    }

    /// The parts to which includes lead from `roots`, each looked at once.
    pub(super) fn included(&self, roots: Vec<&'w ObjectRef>) -> HashSet<&'w ObjectRef> {
        let (mut included, mut open) = (HashSet::new(), roots);
        while let Some(object_ref) = open.pop() {
            let Some(proxy) = self.proxies.get(object_ref) else { continue };
            let requests = proxy.spec.includes.iter();
            let requests = requests.map(|include| (include.namespace_from(&object_ref.namespace), &*include.name));
            let connections = proxy.spec.tcpproxy.as_deref().and_then(ProxyTcp::include);
            let connections =
                connections.map(|(_, include)| (include.namespace_from(&object_ref.namespace), &*include.name));
            for (namespace, name) in requests.chain(connections) {
                match self.target(object_ref, proxy.class(), namespace, name) {
                    Target::Part(part, _) if included.insert(part) => open.push(part),
                    Target::Part(..) | Target::None(_) => {}
                }
            }
        }
        included
    }
}

/// The services that answer, each with port and weight: mirrors only get copies.
pub(super) fn services<'w>(services: &'w [ProxyService<'w>]) -> Vec<Service<'w>> {
    let answering = services.iter().filter(|service| !service.mirror);
    answering.map(|service| (&*service.name, service.port, service.weight)).collect()
}
