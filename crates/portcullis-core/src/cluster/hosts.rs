//! Which objects name a host, be they listeners, routes or roots of a delegation: one look-up for all kinds that come as CRDs.

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// Places by host. Every host, which whoever names none means, is nobody's name.
#[derive(Debug, Default)]
pub struct HostIndex {
    /// In order, under the canonical text, `*.` included. Most hosts have one place, for which a list is smallest.
    places: HashMap<Box<str>, Vec<Arc<ObjectRef>>>,
}

impl HostIndex {
    /// Notes that the object at `object_ref` names `hosts`.
    pub fn enter<'h>(&mut self, object_ref: &Arc<ObjectRef>, hosts: impl Iterator<Item = &'h Host<'static>>) {
        for key in hosts.filter_map(|host| key(host)) {
            let places = self.places.entry_ref(&*key).or_insert_with(|| Vec::with_capacity(1));
            if let Err(position) = places.binary_search(object_ref) {
                places.insert(position, Arc::clone(object_ref));
            }
        }
    }

    /// Forgets that the object at `object_ref` names `hosts`.
    pub fn leave<'h>(&mut self, object_ref: &ObjectRef, hosts: impl Iterator<Item = &'h Host<'static>>) {
        for key in hosts.filter_map(|host| key(host)) {
            let Some(places) = self.places.get_mut(&*key) else { continue };
            if let Ok(position) = places.binary_search_by(|own| (**own).cmp(object_ref)) {
                places.remove(position);
            }
            if places.is_empty() {
                self.places.remove(&*key);
            }
        }
    }

    /// The places of `kind` that name just `host`: those outside the namespace `own` in order, then those inside.
    pub fn of_kind(&self, kind: Kind, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        let known = key(host).and_then(|key| self.places.get(&*key));
        known.into_iter().flat_map(move |places| {
            let [before, inside, after] = split(places, kind, own);
            before.iter().chain(after).chain(inside).map(|object_ref| &**object_ref)
        })
    }

    /// The places outside the namespace `own` that name just `host`, in order; those inside are skipped, however many there are.
    pub fn strangers(&self, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        // Most clusters have one kind of traffic or the other.
        let known = if self.places.is_empty() { None } else { key(host).and_then(|key| self.places.get(&*key)) };
        known.into_iter().flat_map(move |places| {
            KINDS.into_iter().flat_map(move |kind| {
                let [before, _, after] = split(places, kind, own);
                before.iter().chain(after).map(|object_ref| &**object_ref)
            })
        })
    }
}

/// The places of `kind` before, in and after the namespace `own`.
fn split<'p>(places: &'p [Arc<ObjectRef>], kind: Kind, own: &str) -> [&'p [Arc<ObjectRef>]; 3] {
    let first = places.partition_point(|object_ref| object_ref.kind < kind);
    let of_kind = &places[first..places.partition_point(|object_ref| object_ref.kind <= kind)];
    let before = of_kind.partition_point(|object_ref| *object_ref.namespace < *own);
    let until = of_kind.partition_point(|object_ref| *object_ref.namespace <= *own);
    [&of_kind[..before], &of_kind[before..until], &of_kind[until..]]
}

/// The kinds that name hosts here, in their order.
pub(super) const KINDS: [Kind; 7] = [
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::IngressRoute,
    Kind::HttpProxy,
];

fn key<'h>(host: &'h Host<'_>) -> Option<Cow<'h, str>> {
    (*host != Host::Any).then(|| host.text())
}
