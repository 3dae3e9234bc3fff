//! One of two sets of objects that are compared, and what is written around its answers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::asked::{Asked, asked};
use super::changes::winner;
use super::forwarded::label;
use super::remainder::remainder;
use super::written::{UnevaluatedObject, Written, content};
use crate::explain::{AnsweringPlane, Api, BackendShare, Explanation, Port, Scope, Snapshot, Winner};
use crate::kinds::{Kind, ObjectRef};

/// One of two sets of objects, and the data planes that are asked.
#[derive(Clone, Copy)]
pub struct Side<'s, 'w> {
    /// The objects.
    pub snapshot: &'s Snapshot<'w>,
    /// The data planes.
    pub scope: &'s Scope,
    /// The objects as they are written.
    pub written: &'s Written<'w>,
}

/// The beginnings of annotations that controllers read. Those of ingress-nginx are compared one by one.
const CONTROLLERS: [&str; 16] = [
    "alb.ingress.kubernetes.io/",
    "cloud.google.com/",
    "contour.heptio.com/",
    "haproxy-ingress.github.io/",
    "haproxy.org/",
    "haproxy.router.openshift.io/",
    "ingress.citrix.com/",
    "ingress.kubernetes.io/",
    "kgateway.dev/",
    "konghq.com/",
    "networking.gke.io/",
    "nginx.org/",
    "projectcontour.io/",
    "route.openshift.io/",
    "traefik.ingress.kubernetes.io/",
    "traefik.io/",
];

/// The beginning of what says that annotations of an object ask for something.
pub(super) const ANNOTATIONS: &str = "what annotations of ";

/// The annotations of an object that controllers read.
fn of_controllers(object: &Value) -> BTreeMap<&String, &Value> {
    let all = object["metadata"]["annotations"].as_object().into_iter().flatten();
    all.filter(|(key, _)| CONTROLLERS.iter().any(|beginning| key.starts_with(beginning))).collect()
}

/// The Services that answer, each with the backend that names it.
fn services(winner: &Winner) -> impl Iterator<Item = (&BackendShare, ObjectRef)> {
    let services = winner.outcome.backends().iter().filter(|backend| backend.kind == "Service");
    services.map(|backend| (backend, ObjectRef::new(Kind::Service, &backend.namespace, &backend.name)))
}

/// The object with the rule, the Gateway whose data plane answers, and the ListenerSet with the listener.
fn holders<'a>(plane: &AnsweringPlane, winner: &'a Winner) -> impl Iterator<Item = &'a ObjectRef> {
    let is_plane = |object: &&ObjectRef| object.kind == Kind::Gateway && object.to_string() == plane.name;
    let links = || winner.chain.iter().map(|link| &link.object);
    let set = links().find(|object| object.kind == Kind::ListenerSet);
    std::iter::once(&winner.object).chain(links().find(is_plane)).chain(set)
}

impl<'w> Side<'_, 'w> {
    /// The policies that may change this answer. Whether one that is attached to a part of an object, or by labels, still is depends on
    /// that object, so it belongs to its content.
    pub(super) fn policies_of(&self, answer: &Explanation) -> Vec<UnevaluatedObject> {
        let Some((plane, winner)) = answer.winner.as_ref().filter(|_| !self.written.others.is_empty()) else {
            return Vec::new();
        };
        let backends = winner.outcome.backends().iter();
        let backends = backends.map(|backend| format!("{} {}/{}", backend.kind, backend.namespace, backend.name));
        // No controller of Ingresses reads policies of Services.
        let backends = backends.filter(|_| plane.api != Api::Ingress);
        let holders_named = holders(plane, winner).map(ToString::to_string);
        let named: Vec<String> = backends.chain(holders_named).chain([plane.name.clone()]).collect();
        let objects: BTreeSet<ObjectRef> =
            holders(plane, winner).cloned().chain(services(winner).map(|(_, service)| service)).collect();
        let of_policy = |policy: &UnevaluatedObject| {
            let targets =
                objects.iter().filter(|object| policy.is_selective && policy.is_attached(&object.to_string()));
            let targets = targets.filter_map(|object| Some(content(&*self.written.value(object)?)));
            std::iter::once(policy.content.clone()).chain(targets).collect()
        };
        let is_of_mesh = |policy: &UnevaluatedObject| plane.api == Api::Gateway && policy.selects_pods();
        let attached = self
            .written
            .others
            .iter()
            .filter(|policy| is_of_mesh(policy) || named.iter().any(|object| policy.is_attached(object)));
        attached.map(|policy| UnevaluatedObject { content: of_policy(policy), ..policy.clone() }).collect()
    }

    /// Those of `removed` that this answer needs: Services, classes, and what permits references to other namespaces.
    pub(super) fn needed_of(&self, removed: &BTreeSet<&ObjectRef>, answer: &Explanation) -> Vec<ObjectRef> {
        let Some((plane, winner)) = answer.winner.as_ref().filter(|_| !removed.is_empty()) else { return Vec::new() };
        let own = &winner.object;
        let is_backend = |object: &ObjectRef| services(winner).any(|(_, service)| service == *object);
        let permits = |namespace: &str| {
            let mut backends = winner.outcome.backends().iter();
            namespace != own.namespace && backends.any(|backend| *backend.namespace == *namespace)
        };
        let is_class_of = |holder: &ObjectRef, class: &str| {
            self.written.value(holder).is_some_and(|gateway| gateway["spec"]["gatewayClassName"] == class)
        };
        let is_needed = |object: &&&ObjectRef| match object.kind {
            Kind::Service => is_backend(object),
            Kind::ReferenceGrant => permits(&object.namespace),
            Kind::TlsCertificateDelegation | Kind::ProxyCertificateDelegation => {
                matches!(own.kind, Kind::HttpProxy | Kind::IngressRoute)
            }
            Kind::IngressClass => winner.chain.iter().any(|link| link.object == ***object),
            Kind::GatewayClass => holders(plane, winner).any(|holder| is_class_of(holder, &object.name)),
            _ => false,
        };
        removed.iter().filter(is_needed).map(|object| (**object).clone()).collect()
    }

    /// What is written around the rule that answers and is not evaluated, by what it is: what Services select, annotations of the object
    /// with the rule, the Gateway and the Services that controllers read, and other fields of the objects that the answer leads through.
    pub(super) fn around(&self, answer: &Explanation) -> BTreeMap<String, String> {
        let Some((plane, winner)) = answer.winner.as_ref() else { return BTreeMap::new() };
        let selected = services(winner).filter_map(|(backend, service)| {
            let value = self.written.value(&service)?;
            let spec = &value["spec"];
            let is_port = |port: &&Value| match &backend.port {
                Some(Port::Number(number)) => port["port"] == *number,
                Some(Port::Name(name)) => port["name"] == *name.as_str(),
                None => true,
            };
            let ports = spec["ports"].as_array().into_iter().flatten().filter(is_port);
            let ports: Vec<[&Value; 2]> = ports.map(|port| [&port["targetPort"], &port["appProtocol"]]).collect();
            let [selector, external] = [&spec["selector"], &spec["externalName"]];
            let content = format!("{selector} {external} {ports:?} {:?}", of_controllers(&value));
            Some((format!("what {} leads to", label(backend)), content))
        });
        let annotated = holders(plane, winner).filter_map(|object| {
            let written = self.written.value(object)?;
            let annotations = of_controllers(&written);
            let content = if annotations.is_empty() { String::new() } else { format!("{annotations:?}") };
            Some((format!("{ANNOTATIONS}{object} ask for"), content))
        });
        let places = winner.chain.iter().map(|link| (&link.object, &link.field));
        let places = places.chain([(&winner.object, &winner.field)]);
        let rest = places.filter_map(|(object, at)| {
            let content = remainder(object, &*self.written.value(object)?, at)?;
            Some((format!("what is not evaluated of {object}"), content))
        });
        // The answer may lead through several fields of one object.
        let mut of_objects: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (what, content) in rest {
            of_objects.entry(what).or_default().insert(content);
        }
        let of_objects = of_objects.into_iter().map(|(what, contents)| {
            (what, contents.into_iter().filter(|content| !content.is_empty()).collect::<Vec<_>>().join(" "))
        });
        selected.chain(annotated).chain(of_objects).collect()
    }

    /// What the rule asks for that is not evaluated.
    pub(super) fn asked(&self, answer: &Explanation) -> Vec<Asked> {
        winner(answer).map(|winner| asked(winner, self.written)).unwrap_or_default()
    }
}
