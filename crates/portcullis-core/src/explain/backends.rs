//! The backends of a rule: their shares by weight, and what is known of each Service.

use super::answer::ChainLink;
use super::attached::AttachedRoute;
use super::outcome::{BackendShare, Failure, Port};
use super::service;
use crate::cluster::{Lookup, Overlay, ServiceFacts};
use crate::field::{At, FieldPath};
use crate::kinds::filter::BackendRef;
use crate::kinds::{Kind, ObjectRef, Route, ingress};
use crate::routing::Resolution;
use crate::routing::backend::{is_wrong_transport, resolve};
use crate::routing::grant::Referrer;

/// What the controller answers itself instead of a backend, if the backend names an action that its annotations define.
pub(super) fn action(backend: &ingress::Backend<'_>) -> Option<String> {
    let service = backend.service.as_ref().filter(|service| service.is_action())?;
    Some(format!("action {} of the controller answers", &*service.name))
}

/// The backend of the Ingress at `object_ref`, with the last steps of the chain.
pub(super) fn of_ingress(
    backend: &ingress::Backend<'_>,
    object_ref: &ObjectRef,
    cluster: &Overlay<'_>,
) -> (Vec<BackendShare>, Vec<ChainLink>) {
    if let Some(resource) = backend.only_resource() {
        let backend = BackendShare::of_service(&resource.name, &object_ref.namespace, None);
        return (vec![BackendShare { kind: resource.kind.to_string(), ..backend }], Vec::new());
    }
    let link = |message| ChainLink { object: object_ref.clone(), field: FieldPath::default(), message };
    let Some(service) = &backend.service else { return (Vec::new(), vec![link("no backend is set".to_owned())]) };
    if service.is_action() {
        return (Vec::new(), action(backend).map(link).into_iter().collect());
    }
    let found = cluster.service(&object_ref.namespace, &service.name);
    let (port, message, may_answer) = port_of(service, found);
    let object = ObjectRef::new(Kind::Service, &object_ref.namespace, &service.name);
    let backend = BackendShare { may_answer, ..BackendShare::of_service(&service.name, &object_ref.namespace, port) };
    (vec![backend], vec![ChainLink { object, field: FieldPath::default(), message }])
}

/// Whether a Service in `namespace` may answer for the port of a backend.
pub(super) fn may_answer(service: &ingress::ServiceBackend<'_>, namespace: &str, cluster: &Overlay<'_>) -> bool {
    port_of(service, cluster.service(namespace, &service.name)).2
}

/// The port of a backend of an Ingress, as far as it is known, what is to be said about its Service, and whether it may answer.
fn port_of(service: &ingress::ServiceBackend<'_>, found: Lookup<&ServiceFacts>) -> (Option<Port>, String, bool) {
    let becomes = Failure::Unspecified.of_share();
    match (service.port.number(), service.port.name(), found) {
        (Some(number), _, Lookup::Found(facts)) if facts.may_have_port(number) => {
            (Some(Port::Number(number)), service::with_port(facts, number), true)
        }
        (Some(number), _, Lookup::Found(facts)) => {
            (Some(Port::Number(number)), service::no_port(facts, &number.to_string(), &becomes), false)
        }
        (None, Some(name), Lookup::Found(facts)) => match facts.port_named(name) {
            Some(number) => (Some(Port::Number(number)), service::with_port(facts, number), true),
            None => {
                let message = service::no_port(facts, name, &becomes);
                (Some(Port::Name(name.to_owned())), message, facts.ports.is_empty())
            }
        },
        (None, None, Lookup::Found(facts)) => match &*facts.ports {
            // KEP-758 allows omitting the port if the Service has only one.
            [(_, number)] => (Some(Port::Number(*number)), service::with_port(facts, *number), true),
            ports => (None, "no port is set".to_owned(), ports.is_empty()),
        },
        (number, name, unfound) => {
            let port = number.map(Port::Number).or(name.map(|name| Port::Name(name.to_owned())));
            (port, service::missing(unfound, &becomes), unfound != Lookup::Absent)
        }
    }
}

/// The backends of rule number `rule` of a route, with a step of the chain for each. `is_own` says whether the class is this
/// controller's, which supports no other backends than Services.
pub(super) fn of_rule(
    attached: &AttachedRoute<'_>,
    rule: usize,
    is_own: bool,
    cluster: &Overlay<'_>,
) -> (Vec<BackendShare>, Vec<ChainLink>) {
    let object_ref = &attached.facts.object_ref;
    let (_, references) = attached.route.filtered(rule).unwrap_or_default();
    let becomes = failure(&attached.route).of_share();
    let from = Referrer { kind: object_ref.kind, namespace: &object_ref.namespace };
    let weight = |reference: &BackendRef<'_>| reference.weight.unwrap_or(1).max(0) as f64;
    let sum: f64 = references.iter().map(weight).sum();
    let backend = |(index, reference): (usize, &BackendRef<'_>)| {
        let backend = target_of(reference, &object_ref.namespace);
        let share = if sum > 0.0 { weight(reference) / sum } else { 0.0 };
        let resolution = resolve(reference, from, cluster);
        let may_answer = match resolution {
            Resolution::NotFound | Resolution::NoPort(_) | Resolution::NotPermitted | Resolution::InvalidKind => false,
            Resolution::Unknown if reference.is_service() => reference.port.is_some(),
            Resolution::Unknown | Resolution::OtherKind => !is_own,
            Resolution::Resolved(service) => {
                !reference.port.is_some_and(|port| is_wrong_transport(object_ref.kind, service, port))
            }
        };
        let message = described(resolution, reference, may_answer, &becomes);
        let (object, field) = match reference.is_service() {
            true => (ObjectRef::new(Kind::Service, &backend.namespace, &backend.name), FieldPath::default()),
            false => (object_ref.clone(), At::element("spec.rules[].backendRefs[]", [rule, index]).into()),
        };
        (BackendShare { share, may_answer, ..backend }, ChainLink { object, field, message })
    };
    references.iter().enumerate().map(backend).unzip()
}

/// What a client gets if no backend of a route can answer.
pub(super) fn failure(route: &Route<'_, '_>) -> Failure {
    match route {
        Route::Http(_) => Failure::Code(500),
        Route::Grpc(_) => Failure::GrpcUnavailable,
        Route::L4(..) => Failure::Closed,
    }
}

/// The object that a backend reference of an object in namespace `own` names.
pub(super) fn target_of(reference: &BackendRef<'_>, own: &str) -> BackendShare {
    BackendShare {
        kind: reference.kind().to_owned(),
        ..BackendShare::of_service(&reference.name, reference.namespace_from(own), reference.port.map(Port::Number))
    }
}

/// Describes what a backend reference resolves to, with the consequence `becomes` if the backend cannot answer.
fn described(resolution: Resolution<'_>, reference: &BackendRef<'_>, may_answer: bool, becomes: &str) -> String {
    let port = reference.port.unwrap_or_default();
    let kind = || match reference.group() {
        "" => reference.kind().to_owned(),
        group => format!("{} of group {group}", reference.kind()),
    };
    match resolution {
        Resolution::Resolved(facts) if may_answer => service::with_port(facts, port),
        Resolution::Resolved(_) => format!("the protocol of port {port} cannot serve the route: {becomes}"),
        Resolution::NotFound => service::missing(Lookup::<()>::Absent, becomes),
        Resolution::NoPort(facts) => service::no_port(facts, &port.to_string(), becomes),
        Resolution::NotPermitted => format!("no ReferenceGrant lets the route refer to it: {becomes}"),
        Resolution::Unknown if reference.is_service() => match may_answer {
            true => service::missing(Lookup::<()>::Unknown, becomes),
            false => format!("the reference has no port: {becomes}"),
        },
        Resolution::Unknown | Resolution::OtherKind if may_answer => {
            format!("only the implementation knows kind {}", kind())
        }
        Resolution::Unknown | Resolution::OtherKind | Resolution::InvalidKind => {
            format!("kind {} is not supported as a backend: {becomes}", kind())
        }
    }
}
