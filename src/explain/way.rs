//! How a delegation leads from a root to what serves a request.

use std::rc::Rc;

use super::answer::{Backend, Link, Port};
use super::candidate::Candidate;
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::{Kind, ObjectRef};

/// One step of a way, and those before it.
pub(super) struct Way<'w> {
    pub(super) object: &'w ObjectRef,
    pub(super) field: At,
    pub(super) says: String,
    pub(super) above: Option<Rc<Self>>,
}

impl<'w> Way<'w> {
    /// The first step.
    pub(super) fn begin(object: &'w ObjectRef, field: At, says: String) -> Rc<Self> {
        Rc::new(Self { object, field, says, above: None })
    }

    /// One step more.
    pub(super) fn on(self: &Rc<Self>, object: &'w ObjectRef, field: At, says: String) -> Rc<Self> {
        Rc::new(Self { object, field, says, above: Some(Rc::clone(self)) })
    }

    /// The steps from the root on.
    pub(super) fn links(&self) -> Vec<Link> {
        let steps = std::iter::successors(Some(self), |step| step.above.as_deref());
        let link =
            |step: &Self| Link { object: step.object.clone(), field: step.field.into(), says: step.says.clone() };
        let mut links: Vec<Link> = steps.map(link).collect();
        links.reverse();
        links
    }
}

/// A route under a root, with what it comes to.
pub(super) struct Leaf<'w> {
    pub(super) candidate: Candidate<'w>,
    pub(super) way: Rc<Way<'w>>,
    pub(super) end: End<'w>,
    /// Whether plain HTTP is answered although the host has TLS.
    pub(super) permits_insecure: bool,
}

/// What a route comes to.
pub(super) enum End<'w> {
    /// These Services of the object's namespace, each with its port and its weight.
    Services(Vec<(&'w str, Option<i64>, Option<i64>)>),
    /// No Service; the words say what is answered.
    Answer(String),
}

impl Leaf<'_> {
    /// Where the requests go, with the steps of the chain that are left.
    pub(super) fn backends(&self, cluster: &Overlay<'_>) -> (Vec<Backend>, Vec<Link>) {
        let object = self.candidate.object;
        let link = |object: ObjectRef, says: String| Link { object, field: FieldPath::default(), says };
        let services = match &self.end {
            End::Answer(says) => return (Vec::new(), vec![link(object.clone(), says.clone())]),
            End::Services(services) => services,
        };
        let weight = |weight: Option<i64>| weight.unwrap_or_default().max(0) as f64;
        let sum: f64 = services.iter().map(|(.., own)| weight(*own)).sum();
        // Without any weight all have an even share.
        let share = |own| if sum > 0.0 { weight(own) / sum } else { 1.0 / services.len() as f64 };
        let backend = |(name, port, weight): &(&str, Option<i64>, Option<i64>)| Backend {
            service: (*name).to_owned(),
            port: port.map(Port::Number),
            share: share(*weight),
        };
        let links = services.iter().map(|(name, port, _)| {
            let service = ObjectRef::new(Kind::Service, &object.namespace, name);
            link(service, found(name, *port, &object.namespace, cluster))
        });
        (services.iter().map(backend).collect(), links.collect())
    }
}

fn found(name: &str, port: Option<i64>, namespace: &str, cluster: &Overlay<'_>) -> String {
    let port = port.unwrap_or_default();
    match cluster.service(namespace, name) {
        Lookup::Found(service) if service.ports.is_empty() || service.has_port(port) => format!("port {port}"),
        Lookup::Found(service) => format!("has no port {port}, only {}: no answer for its share", service.port_names()),
        Lookup::Absent => "there is no such Service: no answer for its share".to_owned(),
        Lookup::Unknown => "it is not known whether there is such a Service".to_owned(),
    }
}
