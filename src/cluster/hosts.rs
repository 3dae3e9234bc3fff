//! Which objects of the Gateway API name a host, be they listeners or routes: one look-up for all kinds.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// Places by host. Every host, which whoever names none means, is nobody's name.
#[derive(Debug, Default)]
pub struct HostIndex {
    /// Under the canonical text, `*.` included.
    places: HashMap<Box<str>, BTreeSet<Arc<ObjectRef>>>,
}

impl HostIndex {
    /// Notes that the object at `place` names `hosts`.
    pub fn enter<'h>(&mut self, place: &ObjectRef, hosts: impl Iterator<Item = &'h Host<'static>>) {
        let mut shared = None;
        for key in hosts.filter_map(|host| key(host)) {
            let shared = shared.get_or_insert_with(|| Arc::new(place.clone()));
            self.places.entry_ref(&*key).or_default().insert(Arc::clone(shared));
        }
    }

    /// Forgets that the object at `place` names `hosts`.
    pub fn leave<'h>(&mut self, place: &ObjectRef, hosts: impl Iterator<Item = &'h Host<'static>>) {
        for key in hosts.filter_map(|host| key(host)) {
            let Some(places) = self.places.get_mut(&*key) else { continue };
            places.remove(place);
            if places.is_empty() {
                self.places.remove(&*key);
            }
        }
    }

    /// The places outside the namespace `own` that name just `host`, in order; those inside are skipped, however many there are.
    pub fn strangers(&self, host: &Host<'_>, own: &str) -> impl Iterator<Item = &ObjectRef> {
        let places = if self.places.is_empty() { None } else { key(host).and_then(|key| self.places.get(&*key)) };
        let of_kind = move |kind| {
            let from = |namespace: &str| ObjectRef { kind, namespace: namespace.to_owned(), name: String::new() };
            // No namespace stands between one and the same with a NUL.
            let (first, own, next) = (from(""), from(own), from(&format!("{own}\0")));
            let range = move |from: ObjectRef, to: Bound<ObjectRef>| {
                places.into_iter().flat_map(move |places| {
                    places.range::<ObjectRef, _>((Bound::Included(&from), to.as_ref())).map(|place| &**place)
                })
            };
            let before = range(first, Bound::Excluded(own));
            let after = range(next, Bound::Unbounded).take_while(move |place| place.kind == kind);
            before.chain(after)
        };
        let kinds = places.is_some().then_some(KINDS);
        kinds.into_iter().flatten().flat_map(of_kind)
    }
}

/// The kinds that name hosts here, in their order.
const KINDS: [Kind; 5] = [Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute];

fn key<'h>(host: &'h Host<'_>) -> Option<Cow<'h, str>> {
    match host {
        Host::Any => None,
        Host::Precise(name) => Some(Cow::Borrowed(name)),
        Host::Wildcard(_) => Some(Cow::Owned(host.to_string())),
    }
}
