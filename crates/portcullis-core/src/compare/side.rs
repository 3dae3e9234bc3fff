//! One of two sets of objects that are compared, and what is written around its answers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::winner;
use super::asked::{Asked, asked};
use super::remainder::remainder;
use super::written::{UnevaluatedObject, Written, content};
use crate::explain::{AnsweringPlane, Api, BackendShare, Explanation, Port, Reply, Scope, Snapshot, Winner};
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

/// The domains, or their parents, of annotations that no controller of Ingresses or Gateways reads, and those of ingress-nginx, which are
/// compared one by one.
const OF_NO_CONTROLLER: [&str; 23] = [
    "acme.cert-manager.io",
    "app.kubernetes.io",
    "argocd.argoproj.io",
    "cert-manager.io",
    "config.kubernetes.io",
    "external-dns.alpha.kubernetes.io",
    "fluxcd.io",
    "forecastle.stakater.com",
    "gateway.networking.k8s.io",
    "gethomepage.dev",
    "hajimari.io",
    "helm.sh",
    "internal.config.kubernetes.io",
    "k14s.io",
    "kapp.k14s.io",
    "kompose.io",
    "kubectl.kubernetes.io",
    "link.argocd.argoproj.io",
    "meta.helm.sh",
    "nginx.ingress.kubernetes.io",
    "prometheus.io",
    "reloader.stakater.com",
    "rancher.io",
];

/// Whether a controller may read an annotation. Those without a domain are for people.
fn may_be_read(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    let is_in = |parent: &&str| domain.strip_suffix(*parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !OF_NO_CONTROLLER.iter().any(is_in)
}

/// The beginning of what says that annotations of an object ask for something.
pub(super) const ANNOTATIONS: &str = "what annotations of ";

/// The annotations of an object that controllers may read.
fn of_controllers(object: &Value) -> BTreeMap<&String, &Value> {
    let all = object["metadata"]["annotations"].as_object().into_iter().flatten();
    all.filter(|(key, _)| may_be_read(key)).collect()
}

/// The backends that answer or get copies.
fn backends(winner: &Winner) -> impl Iterator<Item = &BackendShare> {
    let mirrors = match &winner.outcome.reply {
        Reply::Forward(forward) => forward.mirrors.as_slice(),
        Reply::Redirect { .. } | Reply::Response { .. } | Reply::Unknown(_) => &[],
    };
    winner.outcome.backends().iter().chain(mirrors)
}

/// The Services among them, each with the backend that names it.
fn services(winner: &Winner) -> impl Iterator<Item = (&BackendShare, ObjectRef)> {
    let services = backends(winner).filter(|backend| backend.kind == "Service");
    services.map(|backend| (backend, ObjectRef::new(Kind::Service, &backend.namespace, &backend.name)))
}

/// The object with the rule, the Gateway whose data plane answers, and the ListenerSet with the listener.
fn holders<'a>(plane: &AnsweringPlane, winner: &'a Winner) -> impl Iterator<Item = &'a ObjectRef> {
    let is_plane = |object: &&ObjectRef| object.kind == Kind::Gateway && object.to_string() == plane.name;
    let links = || winner.chain.iter().map(|link| &link.object);
    let set = links().find(|object| object.kind == Kind::ListenerSet);
    std::iter::once(&winner.object).chain(links().find(is_plane)).chain(set)
}

/// Whether a field `namespace` somewhere in `value` has this value.
fn names(value: &Value, namespace: &str) -> bool {
    match value {
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| (name == "namespace" && value == namespace) || names(value, namespace))
        }
        Value::Array(elements) => elements.iter().any(|element| names(element, namespace)),
        _ => false,
    }
}

impl<'w> Side<'_, 'w> {
    /// The policies that may change this answer. Whether one that is attached to a part of an object, or by labels, still is depends on
    /// that object, so it belongs to its content.
    pub(super) fn policies_of(&self, answer: &Explanation) -> Vec<UnevaluatedObject> {
        let Some((plane, winner)) = answer.winner.as_ref().filter(|_| !self.written.others.is_empty()) else {
            return Vec::new();
        };
        let backends =
            backends(winner).map(|backend| format!("{} {}/{}", backend.kind, backend.namespace, backend.name));
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
            let services = policy.services();
            let services = services.iter().filter_map(|service| Some(content(&*self.written.value(service)?)));
            std::iter::once(policy.content.clone()).chain(targets).chain(services).collect()
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
        let refers = |holder: &ObjectRef, namespace: &str| {
            holder.namespace != namespace && self.written.value(holder).is_some_and(|value| names(&value, namespace))
        };
        let is_class_of = |holder: &ObjectRef, class: &str| {
            self.written.value(holder).is_some_and(|gateway| gateway["spec"]["gatewayClassName"] == class)
        };
        let is_needed = |object: &&&ObjectRef| match object.kind {
            Kind::Service => is_backend(object),
            Kind::ReferenceGrant => holders(plane, winner).any(|holder| refers(holder, &object.namespace)),
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
            Some((format!("what {} leads to", backend.full_label()), content))
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

    /// What is not known and decides whether routes answer requests for `host`, each as text.
    pub(super) fn undecided(&self, host: &str) -> impl Iterator<Item = String> + use<> {
        let undecided = self.snapshot.undecided(host, self.scope, self.written.is_complete);
        undecided.into_iter().map(|what| format!("{what}, is not known"))
    }

    /// What the rule asks for that is not evaluated.
    pub(super) fn asked(&self, answer: &Explanation) -> Vec<Asked> {
        winner(answer).map(|winner| asked(winner, self.written)).unwrap_or_default()
    }
}
