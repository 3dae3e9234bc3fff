//! The objects that name a host: listeners, routes, and roots of a delegation. One look-up covers all kinds that are
//! installed as CRDs.

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

/// Object references by host. `Host::Any`, which an object without a host has, is not in the index.
#[derive(Debug, Default)]
pub struct HostIndex {
    /// In order, by the canonical text including `*.`. Most hosts have one object, for which a `Vec` is smallest.
    object_refs: HashMap<Box<str>, Vec<Arc<ObjectRef>>>,
}

impl HostIndex {
    /// Records that the object at `object_ref` names `hosts`.
    pub fn enter<'h>(&mut self, object_ref: &Arc<ObjectRef>, hosts: impl Iterator<Item = &'h Host<'static>>) {
        for key in hosts.filter_map(|host| key(host)) {
            let object_refs = self.object_refs.entry_ref(&*key).or_insert_with(|| Vec::with_capacity(1));
            if let Err(position) = object_refs.binary_search(object_ref) {
                object_refs.insert(position, Arc::clone(object_ref));
            }
        }
    }

    /// Removes the entries of the object at `object_ref` for `hosts`.
    pub fn leave<'h>(&mut self, object_ref: &ObjectRef, hosts: impl Iterator<Item = &'h Host<'static>>) {
        for key in hosts.filter_map(|host| key(host)) {
            let Some(object_refs) = self.object_refs.get_mut(&*key) else { continue };
            if let Ok(position) = object_refs.binary_search_by(|own| (**own).cmp(object_ref)) {
                object_refs.remove(position);
            }
            if object_refs.is_empty() {
                self.object_refs.remove(&*key);
            }
        }
    }

    /// The objects of `kind` that name exactly `host`: first those outside the namespace `own`, then those inside, each
    /// part in order.
    pub fn of_kind(&self, kind: Kind, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        let known = key(host).and_then(|key| self.object_refs.get(&*key));
        known.into_iter().flat_map(move |object_refs| {
            let [before, inside, after] = split(object_refs, kind, own);
            before.iter().chain(after).chain(inside).map(|object_ref| &**object_ref)
        })
    }

    /// The objects of `kind` outside the namespace `own` that name exactly `host`, in order. Those inside are skipped at
    /// once, however many there are.
    pub fn of_kind_outside(&self, kind: Kind, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        let known = key(host).and_then(|key| self.object_refs.get(&*key));
        known.into_iter().flat_map(move |object_refs| {
            let [before, _, after] = split(object_refs, kind, own);
            before.iter().chain(after).map(|object_ref| &**object_ref)
        })
    }

    /// The objects that name exactly `host`, in order.
    pub fn shared(&self, host: &Host<'_>) -> impl Iterator<Item = &Arc<ObjectRef>> {
        key(host).and_then(|key| self.object_refs.get(&*key)).into_iter().flatten()
    }

    /// The objects outside the namespace `own` that name exactly `host`, in order. Those inside are skipped at once,
    /// however many there are.
    pub fn outside_namespace(&self, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        // The index is often empty, because most clusters use either Ingress or the kinds that are installed as CRDs.
        let known =
            if self.object_refs.is_empty() { None } else { key(host).and_then(|key| self.object_refs.get(&*key)) };
        known.into_iter().flat_map(move |object_refs| {
            KINDS.into_iter().flat_map(move |kind| {
                let [before, _, after] = split(object_refs, kind, own);
                before.iter().chain(after).map(|object_ref| &**object_ref)
            })
        })
    }
}

/// The references of `kind` in namespaces before `own`, in `own`, and in namespaces after it.
fn split<'p>(object_refs: &'p [Arc<ObjectRef>], kind: Kind, own: &str) -> [&'p [Arc<ObjectRef>]; 3] {
    let first = object_refs.partition_point(|object_ref| object_ref.kind < kind);
    let of_kind = &object_refs[first..object_refs.partition_point(|object_ref| object_ref.kind <= kind)];
    let before = of_kind.partition_point(|object_ref| *object_ref.namespace < *own);
    let until = of_kind.partition_point(|object_ref| *object_ref.namespace <= *own);
    [&of_kind[..before], &of_kind[before..until], &of_kind[until..]]
}

/// The kinds in the index, in their order.
pub const KINDS: [Kind; 7] = [
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::IngressRoute,
    Kind::HttpProxy,
];

/// The same kinds, and Ingresses.
pub const KINDS_WITH_HOSTS: &[Kind] = &[
    Kind::Ingress,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::IngressRoute,
    Kind::HttpProxy,
];

/// The kinds of routes with hosts, which they have from listeners if they name none.
pub const ROUTES_WITH_HOSTS: [Kind; 3] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute];

/// The kinds whose objects can hold a host, and those that decide whether a route gets a host from a listener.
pub const HOST_HOLDERS: KindSet =
    KindSet::of(&KINDS).union(KindSet::of(&[Kind::Ingress, Kind::IngressClass, Kind::GatewayClass, Kind::Namespace]));

fn key<'h>(host: &'h Host<'_>) -> Option<Cow<'h, str>> {
    (*host != Host::Any).then(|| host.text())
}
