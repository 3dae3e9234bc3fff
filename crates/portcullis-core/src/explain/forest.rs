//! All HTTPProxies of a cluster, with the errors in each, and the targets of their includes.

use std::collections::{BTreeMap, HashSet};

use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::kinds::http_proxy::ProxyTcp;
use crate::kinds::{HttpProxy, ObjectRef};
use crate::validation::http_proxy::Errors;

/// All HTTPProxies by reference.
pub(super) struct Forest<'f, 'w> {
    pub(super) proxies: BTreeMap<&'w ObjectRef, &'w HttpProxy<'w>>,
    pub(super) errors: BTreeMap<&'w ObjectRef, Errors>,
    pub(super) view: &'f Overlay<'w>,
    pub(super) config: &'f Config,
}

/// The target of an include.
pub(super) enum IncludeTarget<'w> {
    /// An object of the same class that is not a root.
    Resolved(&'w ObjectRef, &'w HttpProxy<'w>),
    /// No valid target; the text says why.
    Unresolved(String),
}

impl<'w> Forest<'_, 'w> {
    /// The errors in the object at `object_ref`.
    pub(super) fn errors(&self, object_ref: &'w ObjectRef) -> &Errors {
        &self.errors[object_ref]
    }

    /// What the include `namespace`/`name` of the object at `own`, which has this class, refers to.
    pub(super) fn target(
        &self,
        own: &ObjectRef,
        class: Option<&str>,
        namespace: &str,
        name: &str,
    ) -> IncludeTarget<'w> {
        let target = ObjectRef::new(own.kind, namespace, name);
        match self.proxies.get_key_value(&target) {
            None if matches!(self.view.delegation(&target), Lookup::Absent) => {
                IncludeTarget::Unresolved(format!("{target} not found"))
            }
            None => IncludeTarget::Unresolved(format!("{target} cannot be read")),
            Some((_, proxy)) if proxy.class() != class => {
                IncludeTarget::Unresolved(format!("{target} is of another class"))
            }
            Some((_, proxy)) if proxy.spec.virtualhost.is_some() => {
                IncludeTarget::Unresolved(format!("{target} is a root"))
            }
            Some((object_ref, proxy)) => IncludeTarget::Resolved(object_ref, proxy),
        }
    }

    /// The objects that `roots` include, directly or indirectly. Each object is visited once.
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
                    IncludeTarget::Resolved(part, _) if included.insert(part) => open.push(part),
                    IncludeTarget::Resolved(..) | IncludeTarget::Unresolved(_) => {}
                }
            }
        }
        included
    }
}
