//! Suggests a similar name when an object does not exist.

use std::cmp::Reverse;

use super::Cluster;
use crate::kinds::{Kind, ObjectRef};
use crate::names::similarity;

/// The maximum number of objects in a namespace that are compared. If there are more, nothing is suggested, so that a
/// suggestion stays cheap.
const MAX_COMPARED: usize = 1_000;

/// The required similarity: at least three of four characters are unchanged.
const MIN_SIMILARITY: f64 = 0.75;

impl Cluster {
    /// The name most similar to that of `absent` among objects of its kind and namespace. Of equally similar names, the
    /// alphabetically first.
    pub(super) fn similar<'c>(&'c self, absent: &'c ObjectRef) -> Option<&'c str> {
        most_similar(&absent.name, self.names(absent.kind, &absent.namespace))
    }

    /// The namespace most similar to that of `absent` among those with a Gateway or ListenerSet of its kind and name.
    pub(super) fn similar_namespace<'c>(&'c self, absent: &'c ObjectRef) -> Option<&'c str> {
        let is_alike = |object_ref: &&'c ObjectRef| object_ref.kind == absent.kind && object_ref.name == absent.name;
        let alike = self.gateways.listeners_object_refs().filter(is_alike).map(|object_ref| &*object_ref.namespace);
        most_similar(&absent.namespace, alike)
    }

    /// The names of the objects of `kind` in `namespace`, unordered; none for kinds that are never referred to by name.
    fn names<'c>(&'c self, kind: Kind, namespace: &'c str) -> Box<dyn Iterator<Item = &'c str> + 'c> {
        let is_here = move |object_ref: &&'c ObjectRef| object_ref.kind == kind && object_ref.namespace == namespace;
        match kind {
            Kind::IngressClass => Box::new(self.classes.keys().map(|name| &**name)),
            Kind::GatewayClass => Box::new(self.gateways.classes().map(|class| &*class.name)),
            Kind::Service => {
                let services = self.services.iter().filter(move |service| *service.namespace == *namespace);
                Box::new(services.map(|service| &*service.name))
            }
            Kind::Gateway | Kind::ListenerSet => {
                Box::new(self.gateways.listeners_object_refs().filter(is_here).map(|object_ref| &*object_ref.name))
            }
            Kind::IngressRoute | Kind::HttpProxy => {
                Box::new(self.delegations.delegation_object_refs().filter(is_here).map(|object_ref| &*object_ref.name))
            }
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// The most similar of `names`, unless there are too many.
fn most_similar<'c>(written: &str, names: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let names: Vec<&str> = names.take(MAX_COMPARED + 1).collect();
    if names.len() > MAX_COMPARED {
        return None;
    }
    let scored = names.into_iter().map(|name| (similarity(written, name), name));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0).then(Reverse(one.1).cmp(&Reverse(other.1))));
    best.filter(|(score, _)| *score >= MIN_SIMILARITY).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Event, Facts, SyncState};
    use crate::kinds::decode;

    fn service(namespace: &str, name: &str) -> Event {
        let json = format!(r#"{{"metadata": {{"namespace": "{namespace}", "name": "{name}"}}}}"#);
        Event::Apply(Facts::of(&decode(Kind::Service, &json).expect("a Service")))
    }

    fn suggested(cluster: &Cluster, name: &str) -> Option<String> {
        let absent = ObjectRef::new(Kind::Service, "web", name);
        cluster.similar(&absent).map(str::to_owned)
    }

    #[test]
    fn the_most_similar_name_of_the_namespace_is_suggested() {
        let mut cluster = Cluster::with(SyncState::Complete);
        for (namespace, name) in [("web", "checkout"), ("web", "catalog"), ("other", "checkuot"), ("web", "checkouts")]
        {
            cluster.apply(service(namespace, name));
        }
        assert_eq!(suggested(&cluster, "chekout").as_deref(), Some("checkout"));
        assert_eq!(suggested(&cluster, "cart"), None, "a name that is merely short is not a misspelled one");
    }

    #[test]
    fn a_similar_namespace_with_the_gateway_is_suggested() {
        let mut cluster = Cluster::with(SyncState::Complete);
        for (namespace, name) in [("edge", "public"), ("edges", "private"), ("infra", "public")] {
            let json = format!(r#"{{"metadata": {{"namespace": "{namespace}", "name": "{name}"}}, "spec": {{}}}}"#);
            cluster.apply(Event::Apply(Facts::of(&decode(Kind::Gateway, &json).expect("a Gateway"))));
        }
        for (namespace, name, expected) in
            [("edgee", "public", Some("edge")), ("edgee", "private", Some("edges")), ("lab", "public", None)]
        {
            let absent = ObjectRef::new(Kind::Gateway, namespace, name);
            assert_eq!(cluster.similar_namespace(&absent), expected, "{namespace}/{name}");
        }
    }

    #[test]
    fn too_many_names_get_no_suggestion() {
        let mut cluster = Cluster::with(SyncState::Complete);
        (0..MAX_COMPARED).for_each(|number| cluster.apply(service("web", &format!("service-{number}"))));
        assert!(suggested(&cluster, "service-x").is_some());
        cluster.apply(service("web", "one-more"));
        assert_eq!(suggested(&cluster, "service-x"), None);
    }
}
