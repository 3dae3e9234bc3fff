//! The status of each listener of a Gateway or a ListenerSet.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::acceptance::not_programmed;
use super::{Condition, ConditionStatus, Conditions, ListenerEntry, StatusContext, resolved_refs};
use crate::cluster::gateway_facts::ListenerFacts;
use crate::kinds::protocol::is_supported;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::walk::listener::certificates_of;
use crate::kinds::{Kind, KindSet, Listener, Listeners};
use crate::matching::Host;
use crate::routing::attachment::{taken_kinds, takes_kind};
use crate::routing::grant::Referrer;
use crate::routing::listener_conflict::Loss;
use crate::routing::listener_tree::{ListenerTree, Member, conflict_reason};
use crate::routing::obstacle::Obstacle;
use crate::routing::references;

/// What the listeners of an object have in common.
pub(super) struct Listening<'l, 'a, 't, 'c> {
    /// The object.
    pub listeners: Listeners<'l, 'a>,
    /// The Gateway and its ListenerSets.
    pub tree: &'l ListenerTree<'t>,
    /// The object in the tree.
    pub member: &'l Member<'t>,
    /// `Accepted` of each listener.
    pub accepted: &'l [Condition],
    /// `Programmed` of the object.
    pub programmed: &'l Condition,
    /// The rest of the cluster.
    pub context: &'l StatusContext<'c>,
}

/// A listener as it is written, with its facts, its condition `Accepted`, and the listener that it conflicts with.
#[derive(Clone, Copy)]
struct Subject<'l, 'a, 't> {
    index: usize,
    written: &'l Listener<'a>,
    facts: &'l ListenerFacts,
    accepted: &'l Condition,
    loss: Loss<'t>,
}

/// The condition `Accepted` of each listener of a member of `tree`, in document order.
pub(super) fn accepted(tree: &ListenerTree<'_>, member: &Member<'_>, context: &StatusContext<'_>) -> Vec<Condition> {
    let obstacle = |index| tree.unserved(member, index, &context.cluster);
    let condition = |index| match obstacle(index).map(|obstacle| resolved_refs::seen(obstacle, context)) {
        None => Condition::new("Accepted", true, "Accepted", "the listener is accepted"),
        Some(Obstacle { reason: Some(reason), message, .. }) => Condition::new("Accepted", false, reason, message),
        Some(Obstacle { reason: None, message, .. }) => {
            Condition::new("Accepted", ConditionStatus::Unknown, "Pending", message)
        }
    };
    (0..member.facts.listeners.len()).map(condition).collect()
}

impl<'l, 'a, 't> Listening<'l, 'a, 't, '_> {
    /// The entry of each listener, in document order. A name that occurs twice, which no API server admits, gets one.
    pub fn entries(&self) -> Vec<ListenerEntry> {
        let mut names = BTreeSet::new();
        self.subjects().filter(|subject| names.insert(&*subject.facts.name)).map(|own| self.entry(own)).collect()
    }

    /// `ResolvedRefs` of each listener, with its name.
    pub fn resolved(entries: &[ListenerEntry]) -> impl Iterator<Item = (&str, &Condition)> {
        entries.iter().filter_map(|entry| Some((&*entry.name, entry.conditions.get("ResolvedRefs")?)))
    }

    fn subjects(&self) -> impl Iterator<Item = Subject<'l, 'a, 't>> {
        let facts = self.member.facts.listeners.iter().zip(&self.member.losses).zip(self.accepted);
        let written = self.listeners.all.iter().enumerate();
        written.zip(facts).map(|((index, written), ((facts, loss), accepted))| Subject {
            index,
            written,
            facts,
            accepted,
            loss: *loss,
        })
    }

    fn entry(&self, own: Subject<'l, 'a, 't>) -> ListenerEntry {
        let certificates = self.certificates(own);
        let (_, authorities) = self.tree.authorities(own.facts, &self.context.cluster);
        let others = unsupported_kinds(own).chain(authorities).map(|each| resolved_refs::seen(each, self.context));
        let resolved = resolved_refs::of(&certificates.iter().cloned().chain(others).collect::<Vec<_>>());
        let mut conditions = Conditions::default();
        conditions.add(own.accepted.clone());
        conditions.add(resolved);
        conditions.add(self.programmed(own, &certificates));
        conditions.add_or_clear("Conflicted", conflicted(own));
        conditions.add_or_clear("OverlappingTLSConfig", self.overlapping(own));
        ListenerEntry { name: (*own.facts.name).to_owned(), fields: self.fields(own), conditions }
    }

    fn fields(&self, own: Subject<'l, 'a, 't>) -> Map<String, Value> {
        let kind = |kind: Kind| json!({"group": GATEWAY_GROUP, "kind": kind.api().kind});
        let attached = self.context.attached_routes(&self.member.facts.object_ref, &own.facts.name);
        let mut fields = Map::new();
        if is_supported(&own.facts.protocol) || !self.context.is_specification() {
            fields.insert("supportedKinds".to_owned(), supported_kinds(own.facts).map(kind).collect());
        }
        // Routes of a kind that cannot be read may be attached, too.
        let mut unreadable = self.context.cluster.unreadable(KindSet::ROUTES).iter();
        if unreadable.all(|kind| takes_kind(own.facts, kind) == Some(false)) {
            fields.insert("attachedRoutes".to_owned(), json!(attached));
        }
        fields
    }

    /// What is wrong with the certificates with which the listener terminates TLS.
    fn certificates(&self, own: Subject<'l, 'a, 't>) -> Vec<Obstacle> {
        if !is_terminating(own) {
            return Vec::new();
        }
        let from = Referrer { kind: self.listeners.kind, namespace: self.listeners.metadata.namespace() };
        let all = certificates_of(own.index, own.written);
        let unresolved =
            all.filter_map(|each| references::certificate(each, from, "InvalidCertificateRef", &self.context.cluster));
        unresolved.map(|each| resolved_refs::seen(each, self.context)).collect()
    }

    /// `Programmed`: never true without a data plane that serves the object.
    fn programmed(&self, own: Subject<'l, 'a, 't>, certificates: &[Obstacle]) -> Condition {
        let whole = self.programmed;
        let is_set = self.listeners.kind == Kind::ListenerSet;
        let is_rejected = whole.status == ConditionStatus::False && !is_unaddressed(whole);
        let own_reason = match own.loss {
            Some((why, ..)) => conflict_reason(why).into(),
            None if is_set && is_rejected => whole.reason.clone(),
            None => "Invalid".into(),
        };
        let written = own.written.tls.as_ref().map_or(0, |tls| tls.certificate_refs.len());
        let failed = certificates.iter().filter(|unresolved| unresolved.reason.is_some()).count();
        if let Some(condition) = not_programmed(own.accepted, own_reason) {
            return condition;
        }
        let programmed = |reason, message| Condition::new("Programmed", false, reason, message);
        match (own.written.is_tls() && own.written.tls.is_none(), written > 0 && failed == written) {
            (true, _) => {
                let message = format!("protocol {} requires `tls` with a certificate", own.facts.protocol);
                programmed("InvalidTLSConfig", message)
            }
            (_, true) => programmed("Invalid", resolved_refs::of(certificates).message),
            _ if is_rejected => {
                let reason = if is_set { whole.reason.clone() } else { "Invalid".into() };
                Condition::new("Programmed", false, reason, whole.message.clone())
            }
            _ if is_unaddressed(whole) => programmed("Pending", whole.message.clone()),
            _ => whole.clone(),
        }
    }

    /// The condition of a listener that shares a port with another one so that clients may reuse a TLS connection.
    fn overlapping(&self, own: Subject<'l, 'a, 't>) -> Option<Condition> {
        if own.accepted.status != ConditionStatus::True {
            return None;
        }
        let (theirs, object) = self.tree.overlapping(self.member, own.facts)?;
        let host = |host: &Host<'_>| match host {
            Host::Any => "every hostname".to_owned(),
            host => format!("hostname `{host}`"),
        };
        let is_inside = object.object_ref == self.member.facts.object_ref;
        let whose = if is_inside { "the same object".to_owned() } else { object.object_ref.to_string() };
        let message = format!(
            "{} overlaps {} of listener `{}` of {whose} on port {}, so clients may reuse one TLS connection for both: \
             use hostnames that do not overlap, or answer such requests with 421",
            host(&own.facts.host),
            host(&theirs.host),
            theirs.name,
            own.facts.port.unwrap_or_default()
        );
        Some(Condition::new("OverlappingTLSConfig", true, "OverlappingHostnames", message))
    }
}

/// Whether the listener terminates TLS. Certificates are ignored in mode Passthrough.
fn is_terminating(own: Subject<'_, '_, '_>) -> bool {
    own.written.is_tls() && !own.facts.passthrough
}

/// Whether an object, although accepted, is not programmed because its Gateway lacks an address.
fn is_unaddressed(programmed: &Condition) -> bool {
    matches!(&*programmed.reason, "AddressNotAssigned" | "AddressNotUsable" | "ParentNotProgrammed")
}

fn conflicted(own: Subject<'_, '_, '_>) -> Option<Condition> {
    let (why, ..) = own.loss?;
    let is_certain = own.accepted.status == ConditionStatus::False && own.accepted.reason == conflict_reason(why);
    is_certain.then(|| Condition::new("Conflicted", true, conflict_reason(why), own.accepted.message.clone()))
}

/// The kinds of routes that the listener supports; none with a protocol that Portcullis does not know.
fn supported_kinds(listener: &ListenerFacts) -> impl Iterator<Item = Kind> {
    taken_kinds(listener).filter(|_| is_supported(&listener.protocol))
}

/// The kinds in `allowedRoutes.kinds` that the listener does not support.
fn unsupported_kinds(own: Subject<'_, '_, '_>) -> impl Iterator<Item = Obstacle> {
    let Subject { index, facts, .. } = own;
    let supports = |group: &str, kind: &str| {
        group == GATEWAY_GROUP && supported_kinds(facts).any(|supported| supported.api().kind == kind)
    };
    let others = facts.kinds.iter().enumerate().filter(move |(_, (group, kind))| !supports(group, kind));
    others.map(move |(position, (group, kind))| {
        let name = if **group == *GATEWAY_GROUP { kind.to_string() } else { format!("{group}/{kind}") };
        let message = format!(
            "spec.listeners[{index}].allowedRoutes.kinds[{position}]: {name} is not supported with protocol {}{}: \
             remove the kind",
            facts.protocol,
            if facts.passthrough { " in mode Passthrough" } else { "" },
        );
        let may_be_supported = **group != *GATEWAY_GROUP || !is_supported(&facts.protocol);
        Obstacle { reason: Some("InvalidRouteKinds"), message, may_be_supported }
    })
}
