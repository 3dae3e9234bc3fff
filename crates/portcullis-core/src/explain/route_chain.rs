//! How a delegation leads from a root to what serves a request.

use std::rc::Rc;

use super::answer::{BackendShare, ChainLink, Port};
use super::candidate::Candidate;
use super::service;
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::{Kind, ObjectRef};

/// One step of a way, and those before it.
pub(super) struct RouteChain<'w> {
    pub(super) object: &'w ObjectRef,
    pub(super) field: At,
    pub(super) message: String,
    pub(super) above: Option<Rc<Self>>,
}

impl<'w> RouteChain<'w> {
    /// The first step.
    pub(super) fn begin(object: &'w ObjectRef, field: At, message: String) -> Rc<Self> {
        Rc::new(Self { object, field, message, above: None })
    }

    /// One step more.
    pub(super) fn on(self: &Rc<Self>, object: &'w ObjectRef, field: At, message: String) -> Rc<Self> {
        Rc::new(Self { object, field, message, above: Some(Rc::clone(self)) })
    }

    /// The steps from the root on.
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

/// What becomes of a Service that cannot answer: the others have its share.
const LEFT_OUT: &str = "left out";

/// A route under a root, with what it comes to.
pub(super) struct ResolvedRoute<'w> {
    pub(super) candidate: Candidate<'w>,
    pub(super) way: Rc<RouteChain<'w>>,
    pub(super) end: End<'w>,
    /// Whether plain HTTP is answered although the host has TLS.
    pub(super) permits_insecure: bool,
}

/// What a route comes to.
pub(super) enum End<'w> {
    /// These Services of the object's namespace.
    Services(Vec<Service<'w>>),
    /// No Service; the words say what is answered.
    Explanation(String),
}

/// A Service with its port and its weight.
pub(super) type Service<'w> = (&'w str, Option<i64>, Option<i64>);

impl ResolvedRoute<'_> {
    /// Where the requests go, with the steps of the chain that are left. What is missing has no share, and the others have it.
    pub(super) fn backends(&self, cluster: &Overlay<'_>) -> (Vec<BackendShare>, Vec<ChainLink>) {
        let object = self.candidate.object;
        let link = |object: ObjectRef, message: String| ChainLink { object, field: FieldPath::default(), message };
        let services = match &self.end {
            End::Explanation(message) => {
                let field = self.candidate.field.into();
                return (Vec::new(), vec![ChainLink { object: object.clone(), field, message: message.clone() }]);
            }
            End::Services(services) => services,
        };
        let is_there = |(name, port, _): &Service<'_>| !is_missing(name, *port, &object.namespace, cluster);
        let weight = |(.., weight): &Service<'_>| weight.unwrap_or_default().max(0) as f64;
        let there: Vec<_> = services.iter().filter(|service| is_there(service)).collect();
        let sum: f64 = there.iter().map(|service| weight(service)).sum();
        // Without any weight all have an even share.
        let share = |service: &Service<'_>| match (is_there(service), sum > 0.0) {
            (false, _) => 0.0,
            (true, true) => weight(service) / sum,
            (true, false) => 1.0 / there.len() as f64,
        };
        let backend = |service: &Service<'_>| BackendShare {
            service: service.0.to_owned(),
            port: service.1.map(Port::Number),
            share: share(service),
        };
        let mut links: Vec<ChainLink> = services
            .iter()
            .map(|(name, port, _)| {
                let service = ObjectRef::new(Kind::Service, &object.namespace, name);
                link(service, found(name, *port, &object.namespace, cluster))
            })
            .collect();
        if there.is_empty() {
            let message = "no Service is left: answers 503".to_owned();
            links.push(ChainLink { object: object.clone(), field: self.candidate.field.into(), message });
        }
        (services.iter().map(backend).collect(), links)
    }
}

/// Whether a Service is known not to be there, or not to have the port.
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
