//! The chain of delegations or includes from a root to the route that serves a request.

use std::rc::Rc;

use super::answer::ChainLink;
use super::candidate::Candidate;
use super::not_evaluated::NotEvaluated;
use super::outcome::{BackendShare, Port};
use super::route_action::{NO_SERVICE, RouteAction, RouteService};
use super::service;
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::{Kind, ObjectRef};

/// One step of a chain, linked to the steps above it.
pub(super) struct RouteChain<'w> {
    pub(super) object: &'w ObjectRef,
    pub(super) field: At,
    pub(super) message: String,
    pub(super) above: Option<Rc<Self>>,
}

impl<'w> RouteChain<'w> {
    /// Starts a chain with its first step.
    pub(super) fn begin(object: &'w ObjectRef, field: At, message: String) -> Rc<Self> {
        Rc::new(Self { object, field, message, above: None })
    }

    /// The next step below `self`.
    pub(super) fn followed_by(self: &Rc<Self>, object: &'w ObjectRef, field: At, message: String) -> Rc<Self> {
        Rc::new(Self { object, field, message, above: Some(Rc::clone(self)) })
    }

    /// The steps, from the root down.
    pub(super) fn links(&self) -> Vec<ChainLink> {
        let steps = std::iter::successors(Some(self), |step| step.above.as_deref());
        let link = |step: &Self| ChainLink {
            object: step.object.clone(),
            field: step.field.into(),
            message: step.message.clone(),
        };
        let mut links: Vec<ChainLink> = steps.map(link).collect();
        links.reverse();
        links
    }
}

/// The consequence if a Service cannot answer: the others get its share.
const LEFT_OUT: &str = "left out";

/// A route under a root, with the chain that leads to it.
pub(super) struct ResolvedRoute<'w> {
    pub(super) candidate: Candidate<'w>,
    pub(super) chain: Rc<RouteChain<'w>>,
    pub(super) action: RouteAction<'w>,
    /// What explain does not evaluate of it, each as text.
    pub(super) not_evaluated: Vec<NotEvaluated>,
    /// Whether the route answers plain HTTP although the host has TLS.
    pub(super) permits_insecure: bool,
}

impl ResolvedRoute<'_> {
    /// The backends of the route, with the last steps of the chain. A missing Service has no share, and the others get
    /// it.
    pub(super) fn backends(&self, cluster: &Overlay<'_>) -> (Vec<BackendShare>, Vec<ChainLink>) {
        let object = self.candidate.object;
        let link = |object: ObjectRef, message: String| ChainLink { object, field: FieldPath::default(), message };
        let services = match &self.action {
            RouteAction::Services(services) => &services.all,
            RouteAction::Response(_, message) => {
                let field = self.candidate.field.into();
                return (Vec::new(), vec![ChainLink { object: object.clone(), field, message: message.clone() }]);
            }
            RouteAction::Redirect(_) => {
                let (field, message) = (self.candidate.field.into(), "a redirect".to_owned());
                return (Vec::new(), vec![ChainLink { object: object.clone(), field, message }]);
            }
        };
        let is_there = |(name, port, _): &RouteService<'_>| !is_missing(name, *port, &object.namespace, cluster);
        let weight = |(.., weight): &RouteService<'_>| weight.unwrap_or_default().max(0) as f64;
        let there: Vec<_> = services.iter().filter(|service| is_there(service)).collect();
        let sum: f64 = there.iter().map(|service| weight(service)).sum();
        // If no Service has a weight, all have the same share.
        let share = |service: &RouteService<'_>| match (is_there(service), sum > 0.0) {
            (false, _) => 0.0,
            (true, true) => weight(service) / sum,
            (true, false) => 1.0 / there.len() as f64,
        };
        let backend = |service: &RouteService<'_>| BackendShare {
            share: share(service),
            may_answer: is_there(service),
            ..BackendShare::of_service(service.0, &object.namespace, service.1.map(Port::Number))
        };
        let mut links: Vec<ChainLink> = services
            .iter()
            .map(|(name, port, _)| {
                let service = ObjectRef::new(Kind::Service, &object.namespace, name);
                link(service, found(name, *port, &object.namespace, cluster))
            })
            .collect();
        if there.is_empty() {
            let message = format!("no Service is left: answers {NO_SERVICE}");
            links.push(ChainLink { object: object.clone(), field: self.candidate.field.into(), message });
        }
        (services.iter().map(backend).collect(), links)
    }
}

/// Whether it is known that a Service does not exist, or does not have the port.
pub(super) fn is_missing(name: &str, port: Option<i64>, namespace: &str, cluster: &Overlay<'_>) -> bool {
    match cluster.service(namespace, name) {
        Lookup::Found(service) => !service.may_have_port(port.unwrap_or_default()),
        Lookup::Absent => true,
        Lookup::Unknown => false,
    }
}

fn found(name: &str, port: Option<i64>, namespace: &str, cluster: &Overlay<'_>) -> String {
    let port = port.unwrap_or_default();
    match cluster.service(namespace, name) {
        Lookup::Found(facts) if is_missing(name, Some(port), namespace, cluster) => {
            service::no_port(facts, &port.to_string(), LEFT_OUT)
        }
        Lookup::Found(facts) => service::with_port(facts, port),
        unfound => service::missing(unfound, LEFT_OUT),
    }
}
