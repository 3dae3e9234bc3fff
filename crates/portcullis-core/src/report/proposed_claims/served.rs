//! The hosts that stored objects claim, as the check `host/not-owned` sees them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;

use crate::checks::resolve::exempted;
use crate::checks::settings::HOST_RULE;
use crate::checks::{ObjectParts, ReviewSubjects, registry};
use crate::cluster::{Cluster, DataPlanes, Overlay, Subject};
use crate::config::{Config, Exemption, Expiry, Validity};
use crate::explain::Stored;
use crate::kinds::{Kind, KindSet, Object, ObjectRef};
use crate::matching::{ClaimedHost, Host};
use crate::routing::precedence;

/// The kinds to read: those whose objects claim hosts, those that decide which hosts an object claims, and HostClaims.
pub fn kinds() -> KindSet {
    let check = registry::find(HOST_RULE);
    let needs = check.map_or(KindSet::EMPTY, |check| KindSet::of(check.needs));
    claiming().union(needs).union(KindSet::of(&[Kind::HostClaim]))
}

/// The kinds whose objects claim hosts.
fn claiming() -> KindSet {
    registry::find(HOST_RULE).map_or(KindSet::EMPTY, |check| check.run.kinds())
}

/// An object that serves a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServingObject {
    /// The creation time.
    pub created: Option<Timestamp>,
    /// The object.
    pub object_ref: ObjectRef,
}

impl fmt::Display for ServingObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.created {
            Some(created) => write!(f, "{}, created {created}", self.object_ref),
            None => self.object_ref.fmt(f),
        }
    }
}

/// A namespace that serves a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServingNamespace {
    /// The name.
    pub name: String,
    /// Its objects that serve the host, the oldest first.
    pub objects: Vec<ServingObject>,
}

/// The hosts of `objects`, each with the objects that claim it. Objects that are exempt from the check at `now` claim none. The hosts are
/// ordered by their labels from the right, and each wildcard follows the hosts that it covers.
pub(super) fn served_hosts(
    objects: &[Stored<'_>],
    cluster: &Cluster,
    config: &Config,
    now: Timestamp,
) -> BTreeMap<(String, Host<'static>), Vec<ServingObject>> {
    let (kinds, exemptions) = (claiming(), exemptions(config, now));
    let data_planes = DataPlanes::new(&config.data_planes);
    let mut served: BTreeMap<(String, Host<'static>), Vec<ServingObject>> = BTreeMap::new();
    for stored in objects.iter().filter(|stored| kinds.contains(stored.object_ref.kind)) {
        let (this, object) = (&stored.object_ref, &stored.object);
        let overlay = Overlay::new(cluster, this);
        if is_exempt(this, object, &exemptions, &overlay) {
            continue;
        }
        let created = object.metadata().created();
        for host in hosts_of(this, object, &data_planes, &overlay) {
            let serving = ServingObject { created, object_ref: this.clone() };
            served.entry((order_key(&host), host)).or_default().push(serving);
        }
    }
    served
}

/// The hosts that a stored object claims, each once.
fn hosts_of(
    this: &ObjectRef,
    object: &Object<'_>,
    data_planes: &DataPlanes,
    cluster: &Overlay<'_>,
) -> BTreeSet<Host<'static>> {
    let object_parts = ObjectParts::of(object);
    let subjects = ReviewSubjects::of(&object_parts, &this.namespace, cluster);
    let hosts = subjects.hosts();
    let claims = hosts.claims(cluster);
    let is_owned =
        |claim: &&ClaimedHost<'_>| hosts.takes_requests(claim, data_planes, cluster) && !hosts.is_challenge(claim);
    claims.iter().filter(is_owned).map(|claim| claim.host.clone().into_owned()).collect()
}

/// The exemptions from the check that have an effect at `now`.
fn exemptions(config: &Config, now: Timestamp) -> Vec<&Exemption> {
    let positions = registry::find(HOST_RULE).map(|check| exempted(check, config)).unwrap_or_default();
    let all = positions.into_iter().filter_map(|position| config.exemptions.get(position));
    all.filter(|exemption| Expiry::validity(exemption.expires, now) != Validity::Over).collect()
}

/// Whether an exemption applies to a stored object. Where labels decide that are not known, it does, as in the check.
fn is_exempt(this: &ObjectRef, object: &Object<'_>, exemptions: &[&Exemption], cluster: &Overlay<'_>) -> bool {
    let classes = object.classes();
    let subject = Subject { kind: this.kind, class: classes.first(), namespace: &this.namespace, user: None };
    exemptions.iter().any(|exemption| cluster.matches_in_all(&classes, &exemption.only, &subject) != Some(false))
}

/// The place of a host: its labels from the right, with `~` for `*`, since `~` follows every letter of a host.
fn order_key(host: &Host<'_>) -> String {
    match host {
        Host::Any => "~".to_owned(),
        host => host.from_the_right().replace('*', "~"),
    }
}

/// The namespaces of `objects`, the one with the oldest object first.
pub(super) fn by_namespace(objects: Vec<ServingObject>) -> Vec<ServingNamespace> {
    let mut by_name: BTreeMap<String, Vec<ServingObject>> = BTreeMap::new();
    for object in objects {
        by_name.entry(object.object_ref.namespace.clone()).or_default().push(object);
    }
    let sorted = |(name, mut objects): (String, Vec<ServingObject>)| {
        objects.sort_by(by_age);
        ServingNamespace { name, objects }
    };
    let mut namespaces: Vec<ServingNamespace> = by_name.into_iter().map(sorted).collect();
    // Each namespace has an object.
    namespaces.sort_by(|left, right| by_age(&left.objects[0], &right.objects[0]));
    namespaces
}

/// The older object first. Of two with the same time, the first by `namespace/name`, and then by kind.
fn by_age(left: &ServingObject, right: &ServingObject) -> Ordering {
    let order = precedence::compare((left.created, &left.object_ref), (right.created, &right.object_ref));
    order.then_with(|| left.object_ref.cmp(&right.object_ref))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_follow_the_hosts_that_they_cover() {
        let mut hosts = ["", "*.c", "*.b.c", "c", "a.b.c", "*.a.b.c", "b.c", "a-b.c", "0.c"].map(Host::parse);
        hosts.sort_by_key(order_key);
        let texts = hosts.map(|host| host.to_string());
        assert_eq!(texts, ["c", "0.c", "a-b.c", "b.c", "a.b.c", "*.a.b.c", "*.b.c", "*.c", "*"]);
    }

    #[test]
    fn the_namespace_of_the_oldest_object_is_first() {
        let object = |namespace: &str, name: &str, second: Option<i64>| ServingObject {
            created: second.map(|second| Timestamp::from_second(second).expect("a time")),
            object_ref: ObjectRef::new(Kind::Ingress, namespace, name),
        };
        let objects = vec![object("a", "new", None), object("b", "old", Some(1)), object("a", "older", Some(2))];
        let found: Vec<String> = by_namespace(objects)
            .iter()
            .flat_map(|namespace| namespace.objects.iter().map(|object| object.object_ref.to_string()))
            .collect();
        assert_eq!(found, ["Ingress b/old", "Ingress a/older", "Ingress a/new"]);
    }
}
