//! Hosts that were let in for roots moments ago. The view shows a write only once its watch has; until then a second root for the host
//! would pass as well, and the two would reject each other.

use jiff::{SignedDuration, Timestamp};

use crate::kinds::{Kind, Object, ObjectRef};
use crate::matching::Host;

/// How long a promise holds, should the object never come: another webhook may refuse it.
const HOLDS: SignedDuration = SignedDuration::from_secs(5);
/// How many promises are remembered.
const MOST: usize = 1024;

/// A host that a root of a kind and class is about to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    place: ObjectRef,
    class: Option<Box<str>>,
    host: Host<'static>,
    until: Timestamp,
}

impl Promise {
    /// What `object`, let in at `now` to stand at `place`, is promised; nothing where it is no root, or has no name yet.
    pub fn of(object: &Object<'_>, place: &ObjectRef, now: Timestamp) -> Option<Self> {
        let (class, fqdn) = match object {
            Object::IngressRoute(route) => (route.class(), &route.spec.virtualhost.as_ref()?.fqdn),
            Object::HttpProxy(proxy) => (proxy.class(), &proxy.spec.virtualhost.as_ref()?.fqdn),
            _ => return None,
        };
        let (host, until) = (Host::parse(fqdn).into_owned(), now.saturating_add(HOLDS).unwrap_or(now));
        (!place.name.is_empty()).then(|| Self { place: place.clone(), class: class.map(Box::from), host, until })
    }
}

/// The promises that hold, the oldest first.
#[derive(Debug, Default)]
pub struct Promises(Vec<Promise>);

impl Promises {
    /// Gives a promise, unless another object has the same: then nothing is given.
    pub fn give(&mut self, promise: Promise, now: Timestamp) -> bool {
        self.0.retain(|given| given.until > now);
        let Promise { place, class, host, .. } = &promise;
        if self.to_other(place, class.as_deref(), host, now).is_some() {
            return false;
        }
        self.end(&promise.place);
        if self.0.len() < MOST {
            self.0.push(promise);
        }
        true
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ends what was promised to an object that is there now, or is not to be.
    pub fn end(&mut self, place: &ObjectRef) {
        self.0.retain(|given| given.place != *place);
    }

    /// Another object than the one at `place` that is promised the host, in the same kind and class.
    pub fn to_other(
        &self,
        place: &ObjectRef,
        class: Option<&str>,
        host: &Host<'_>,
        now: Timestamp,
    ) -> Option<&ObjectRef> {
        let is_it = |given: &&Promise| {
            let is_alike = given.place.kind == place.kind && given.class.as_deref() == class;
            is_alike && given.host.parts() == host.parts() && given.place != *place && given.until > now
        };
        self.0.iter().find(is_it).map(|given| &given.place)
    }

    /// Whether `kind` is one whose objects are promised hosts.
    pub const fn is_for(kind: Kind) -> bool {
        matches!(kind, Kind::IngressRoute | Kind::HttpProxy)
    }
}
