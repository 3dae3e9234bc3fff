//! Which Services the objects of a folder refer to: if most of them are missing, those of the namespace are kept somewhere else.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::cluster::Name;
use portcullis_core::kinds::walk::{self, RouteParts};
use portcullis_core::kinds::{Kind, Object, ObjectRef};
use portcullis_core::names::similarity;

/// How similar a name must be to that of a Service to be a misspelling of it.
const MISSPELT: f64 = 0.75;

/// Services by namespace and name.
#[derive(Debug, Default)]
pub(super) struct ReferencedServices(BTreeSet<Name>);

impl ReferencedServices {
    /// Adds those to which an object refers.
    pub(super) fn note(&mut self, object: &Object<'_>) {
        let own = object.metadata().namespace();
        let mut note = |namespace: &str, name: &str| {
            if !name.is_empty() {
                self.0.insert((namespace.into(), name.into()));
            }
        };
        match object {
            Object::Ingress(ingress) => {
                let services = walk::service_backends(ingress).filter(|(_, service)| !service.is_action());
                services.for_each(|(_, service)| note(own, &service.name));
            }
            Object::HttpProxy(proxy) => {
                walk::http_proxy::services(proxy).for_each(|(_, service)| note(own, &service.name));
            }
            Object::IngressRoute(route) => {
                walk::ingress_route::services(route).for_each(|(_, service)| note(own, &service.name));
            }
            other => {
                let Some(route) = other.route() else { return };
                for backend in RouteParts::of(route).backends().iter().map(|located| located.backend) {
                    if backend.is_service() {
                        note(backend.namespace.as_deref().unwrap_or(own), &backend.name);
                    }
                }
            }
        }
    }

    /// The namespaces in which more of them are missing than `exist`. One that is spelled almost like a Service of its namespace is not
    /// missing.
    pub(super) fn mostly_missing<'o>(&self, exist: impl Iterator<Item = &'o ObjectRef>) -> BTreeSet<Box<str>> {
        let services: BTreeSet<(&str, &str)> = exist
            .filter(|object_ref| object_ref.kind == Kind::Service)
            .map(|object_ref| (&*object_ref.namespace, &*object_ref.name))
            .collect();
        let is_missing = |namespace: &str, name: &str| {
            let mut here = services.range((namespace, "")..).take_while(|(own, _)| *own == namespace);
            !here.any(|(_, service)| similarity(service, name) >= MISSPELT)
        };
        let mut counts: BTreeMap<&Box<str>, (usize, usize)> = BTreeMap::new();
        for (namespace, name) in &self.0 {
            let (missing, all) = counts.entry(namespace).or_default();
            *missing += usize::from(is_missing(namespace, name));
            *all += 1;
        }
        // One alone is more often a mistake.
        let mostly = counts.into_iter().filter(|(_, (missing, all))| *missing > 1 && 2 * missing > *all);
        mostly.map(|(namespace, _)| namespace.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_core::kinds::decode;

    #[test]
    fn a_namespace_with_few_of_its_services_is_known_by_what_is_missing() {
        let mut referenced = ReferencedServices::default();
        for (namespace, names) in [
            ("web", ["shop", "crat", "other"]),
            ("team", ["a", "b", "shop"]),
            ("kept", ["one", "two", "one"]),
            ("alone", ["one"; 3]),
        ] {
            let paths: Vec<_> =
                names.iter().map(|name| serde_json::json!({"backend": {"service": {"name": name}}})).collect();
            let json = serde_json::json!({"metadata": {"namespace": namespace}, "spec": {"rules": [{"http": {"paths": paths}}]}});
            referenced.note(&decode(Kind::Ingress, &json.to_string()).expect("an Ingress"));
        }
        let services = [("web", "shop"), ("web", "cart"), ("team", "shop"), ("kept", "one"), ("alone", "other")];
        let services = services.map(|(namespace, name)| ObjectRef::new(Kind::Service, namespace, name));
        let missing = referenced.mostly_missing(services.iter());
        assert_eq!(missing.iter().map(|namespace| &**namespace).collect::<Vec<_>>(), ["team"]);
    }
}
