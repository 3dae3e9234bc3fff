//! The status of each listener of a Gateway or a ListenerSet.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::acceptance::not_programmed;
use super::{Condition, ConditionStatus, Conditions, ListenerEntry, StatusContext, resolved_refs};
use crate::cluster::gateway_facts::ListenerFacts;
use crate::kinds::protocol::is_supported;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{Kind, KindSet};
use crate::matching::Host;
use crate::routing::attachment::{taken_kinds, takes_kind};
use crate::routing::listener_conflict::Loss;
use crate::routing::listener_tree::{ListenerTree, Member, conflict_reason, supports};
use crate::routing::obstacle::Obstacle;

/// What the listeners of an object have in common.
pub(super) struct Listening<'l, 't, 'c> {
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

/// The facts of a listener, its condition `Accepted`, and the listener that it conflicts with.
#[derive(Clone, Copy)]
struct Subject<'l, 't> {
    index: usize,
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

/// Why a listener of a member of `tree` cannot terminate TLS: the reason and the message.
fn without_certificate(
    tree: &ListenerTree<'_>,
    member: &Member<'_>,
    index: usize,
    context: &StatusContext<'_>,
) -> Option<(&'static str, String)> {
    let obstacle = tree.without_certificate(member, index, &context.cluster)?;
    let Obstacle { reason, message, .. } = resolved_refs::seen(obstacle, context);
    Some((reason?, message))
}

/// Whether each listener of a member of `tree`, given their conditions `Accepted`, is rejected or cannot terminate TLS.
pub(super) fn are_unserved(
    tree: &ListenerTree<'_>,
    member: &Member<'_>,
    accepted: &[Condition],
    context: &StatusContext<'_>,
) -> bool {
    let is_rejected = |condition: &Condition| condition.status == ConditionStatus::False;
    (0..)
        .zip(accepted)
        .all(|(index, condition)| is_rejected(condition) || without_certificate(tree, member, index, context).is_some())
}

impl<'l, 't> Listening<'l, 't, '_> {
    /// The entry of each listener, in document order. A name that occurs twice, which no API server admits, gets one.
    pub fn entries(&self) -> Vec<ListenerEntry> {
        let mut names = BTreeSet::new();
        self.subjects().filter(|subject| names.insert(&*subject.facts.name)).map(|own| self.entry(own)).collect()
    }

    /// `ResolvedRefs` of each listener, with its name.
    pub fn resolved(entries: &[ListenerEntry]) -> impl Iterator<Item = (&str, &Condition)> {
        entries.iter().filter_map(|entry| Some((&*entry.name, entry.conditions.get("ResolvedRefs")?)))
    }

    fn subjects(&self) -> impl Iterator<Item = Subject<'l, 't>> {
        let facts = self.member.facts.listeners.iter().zip(&self.member.losses).zip(self.accepted);
        facts.enumerate().map(|(index, ((facts, loss), accepted))| Subject { index, facts, accepted, loss: *loss })
    }

    fn entry(&self, own: Subject<'l, 't>) -> ListenerEntry {
        let certificates = self.tree.certificates(self.member, own.facts, &self.context.cluster);
        let (_, authorities) = self.tree.authorities(own.facts, &self.context.cluster);
        let all = certificates.into_iter().chain(unsupported_kinds(own)).chain(authorities);
        let resolved = resolved_refs::of(&all.map(|each| resolved_refs::seen(each, self.context)).collect::<Vec<_>>());
        let mut conditions = Conditions::default();
        conditions.add(own.accepted.clone());
        conditions.add(resolved);
        conditions.add(self.programmed(own));
        conditions.add_or_clear("Conflicted", conflicted(own));
        conditions.add_or_clear("OverlappingTLSConfig", self.overlapping(own));
        ListenerEntry { name: (*own.facts.name).to_owned(), fields: self.fields(own), conditions }
    }

    fn fields(&self, own: Subject<'l, 't>) -> Map<String, Value> {
        let kind = |kind: Kind| json!({"group": GATEWAY_GROUP, "kind": kind.api().kind});
        let attached = self.context.attached_routes(&self.member.facts.object_ref, &own.facts.name);
        let mut fields = Map::new();
        if is_supported(&own.facts.protocol) || !self.context.is_specification() {
            let modes = self.context.tls_modes();
            let supported = supported_kinds(own.facts).filter(|_| modes.is_none_or(|modes| supports(modes, own.facts)));
            fields.insert("supportedKinds".to_owned(), supported.map(kind).collect());
        }
        // Routes of a kind that cannot be read may be attached, too.
        let mut unreadable = self.context.cluster.unreadable(KindSet::ROUTES).iter();
        if unreadable.all(|kind| takes_kind(own.facts, kind) == Some(false)) {
            fields.insert("attachedRoutes".to_owned(), json!(attached));
        }
        fields
    }

    /// `Programmed`: never true without a data plane that serves the object.
    fn programmed(&self, own: Subject<'l, 't>) -> Condition {
        let whole = self.programmed;
        let is_set = self.member.facts.object_ref.kind == Kind::ListenerSet;
        let is_rejected = whole.status == ConditionStatus::False && !is_unaddressed(whole);
        let own_reason = match own.loss {
            Some((why, ..)) => conflict_reason(why).into(),
            None if is_set && is_rejected => whole.reason.clone(),
            None => "Invalid".into(),
        };
        if let Some(condition) = not_programmed(own.accepted, own_reason) {
            return condition;
        }
        let programmed = |reason, message| Condition::new("Programmed", false, reason, message);
        match without_certificate(self.tree, self.member, own.index, self.context) {
            Some((reason, message)) => programmed(reason, message),
            None if is_rejected => {
                let reason = if is_set { whole.reason.clone() } else { "Invalid".into() };
                Condition::new("Programmed", false, reason, whole.message.clone())
            }
            None if is_unaddressed(whole) => programmed("Pending", whole.message.clone()),
            None => whole.clone(),
        }
    }

    /// The condition of a listener that shares a port with another one so that clients may reuse a TLS connection.
    fn overlapping(&self, own: Subject<'l, 't>) -> Option<Condition> {
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
            "{} overlaps {} of listener `{}` of {whose} on port {}, so clients may reuse one connection: use disjoint \
             hostnames, or answer 421",
            host(&own.facts.host),
            host(&theirs.host),
            theirs.name,
            own.facts.port.unwrap_or_default()
        );
        Some(Condition::new("OverlappingTLSConfig", true, "OverlappingHostnames", message))
    }
}

/// Whether an object, although accepted, is not programmed because its Gateway lacks an address.
fn is_unaddressed(programmed: &Condition) -> bool {
    matches!(&*programmed.reason, "AddressNotAssigned" | "AddressNotUsable" | "ParentNotProgrammed")
}

fn conflicted(own: Subject<'_, '_>) -> Option<Condition> {
    let (why, ..) = own.loss?;
    let is_certain = own.accepted.status == ConditionStatus::False && own.accepted.reason == conflict_reason(why);
    is_certain.then(|| Condition::new("Conflicted", true, conflict_reason(why), own.accepted.message.clone()))
}

/// The kinds of routes that the listener supports; none with a protocol that Portcullis does not know.
fn supported_kinds(listener: &ListenerFacts) -> impl Iterator<Item = Kind> {
    taken_kinds(listener).filter(|_| is_supported(&listener.protocol))
}

/// The kinds in `allowedRoutes.kinds` that the listener does not support.
fn unsupported_kinds(own: Subject<'_, '_>) -> impl Iterator<Item = Obstacle> {
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
