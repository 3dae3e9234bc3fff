//! The status of a Gateway.

use serde_json::{Map, json};

use super::acceptance::{by_listeners, not_programmed, rejection_of_gateway};
use super::addresses::Assignment;
use super::listener::{self, Listening};
use super::{
    Condition, ConditionStatus, Conditions, DesiredStatus, Entries, ListenerEntry, StatusContext, resolved_refs,
    responsibility,
};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{CertificateRef, GatewayClassFacts, ListenersFacts};
use crate::kinds::walk::gateway::{self as walk, Purpose};
use crate::kinds::{Gateway, Kind};
use crate::routing::grant::Referrer;
use crate::routing::listener_tree::{ListenerTree, Member};
use crate::routing::obstacle::Obstacle;
use crate::routing::references;

/// The reason of a Gateway that cannot have the routability that it requests.
const UNSUPPORTED_ROUTABILITY: &str = "UnsupportedRoutability";

/// The message of an object whose listeners cannot be served, although the Gateway is accepted.
pub(super) const NO_LISTENER_PROGRAMMED: &str = "no listener is programmed: see their conditions";

/// What a Gateway and its ListenerSets need to know of the Gateway.
pub(super) struct GatewayState<'c> {
    /// `Accepted` of each of its own listeners.
    pub listeners: Vec<Condition>,
    /// `Accepted`.
    pub accepted: Condition,
    /// `Programmed`.
    pub programmed: Condition,
    /// Its addresses.
    pub assignment: Assignment<'c>,
}

impl<'c> GatewayState<'c> {
    /// Returns the state of the Gateway of `tree`; `class` is that of [`responsibility::class_of`].
    pub fn of(tree: &ListenerTree<'_>, class: Option<&'c GatewayClassFacts>, context: &StatusContext<'c>) -> Self {
        let gateway = tree.gateway();
        let listeners = listener::accepted(tree, &tree.members[0], context);
        let names = gateway.listeners.iter().map(|listener| &*listener.name);
        let accepted = rejection_of_gateway(gateway, class, context)
            .unwrap_or_else(|| by_listeners(names.zip(listeners.iter().map(|condition| condition.status))));
        let assignment = match &*accepted.reason {
            // No address has the routability, whatever the published Services have.
            UNSUPPORTED_ROUTABILITY if class.is_some() => Assignment::default(),
            _ => Assignment::of(gateway, class, context),
        };
        let is_unserved = tree
            .members
            .iter()
            .all(|member| listener::are_unserved(tree, member, &listener::accepted(tree, member, context), context));
        let programmed = programmed(&accepted, is_unserved, &assignment, context);
        Self { listeners, accepted, programmed, assignment }
    }
}

/// The status of a Gateway; `None` if another controller, or none, is responsible for it.
pub fn of(gateway: &Gateway<'_>, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let facts = ListenersFacts::of_gateway(gateway);
    let Lookup::Found(class) = responsibility::class_of(&facts, context) else { return None };
    let tree = ListenerTree::of(&facts, None, context.tls_modes(), &context.cluster);
    let state = GatewayState::of(&tree, class, context);
    let (member, accepted, programmed) = (&tree.members[0], &*state.listeners, &state.programmed);
    let entries = Listening { tree: &tree, member, accepted, programmed, context }.entries();
    let mut conditions = Conditions::default();
    conditions.add(state.accepted.clone());
    conditions.add(resolved(gateway, &entries, context));
    conditions.add(state.programmed.clone());
    conditions.add_or_clear("InsecureFrontendValidationMode", insecure_validation(gateway));
    conditions.add_or_clear("DefaultGateway", default_gateway(&facts));
    let mut fields = Map::new();
    fields.extend(state.assignment.field().map(|addresses| ("addresses".to_owned(), addresses)));
    fields.extend(attached_sets(&tree, &state, context).map(|count| ("attachedListenerSets".to_owned(), json!(count))));
    let entries = Some(Entries::Listeners(entries));
    Some(DesiredStatus { generation: gateway.metadata.generation.0, conditions, fields, entries })
}

/// `Programmed`: true only if the configuration states that a data plane serves what is accepted, and if a listener can be served.
fn programmed(
    accepted: &Condition,
    is_unserved: bool,
    assignment: &Assignment<'_>,
    context: &StatusContext<'_>,
) -> Condition {
    let reason = if accepted.reason == UNSUPPORTED_ROUTABILITY { UNSUPPORTED_ROUTABILITY } else { "Invalid" };
    let unserved = || Condition::new("Programmed", false, "Invalid", NO_LISTENER_PROGRAMMED);
    let unserved = is_unserved.then(unserved);
    not_programmed(accepted, reason).or(unserved).or_else(|| assignment.missing.clone()).unwrap_or_else(
        || match context.settings().is_attested() {
            true => {
                let message = "the configuration states that a data plane serves it (dataPlane: attested)";
                Condition::new("Programmed", true, "Programmed", message)
            }
            false => {
                let message = "no data plane reports to Portcullis";
                Condition::new("Programmed", ConditionStatus::Unknown, "Pending", message)
            }
        },
    )
}

/// The references of the Gateway itself, then those of its listeners.
fn resolved(gateway: &Gateway<'_>, entries: &[ListenerEntry], context: &StatusContext<'_>) -> Condition {
    let from = Referrer { kind: Kind::Gateway, namespace: gateway.metadata.namespace() };
    let certificates = walk::references(gateway).filter(|(_, _, purpose)| *purpose == Purpose::ClientCertificate);
    let mut unresolved: Vec<Obstacle> = certificates
        .filter_map(|(at, target, _)| {
            let certificate =
                CertificateRef::of((at, target), "listener/certificate-ref-malformed", "Secret", from.namespace);
            references::certificate(&certificate, from, "InvalidClientCertificateRef", &context.cluster)
        })
        .map(|each| resolved_refs::seen(each, context))
        .collect();
    for (name, condition) in Listening::resolved(entries) {
        let reason = match condition.status {
            ConditionStatus::True => continue,
            ConditionStatus::False => Some("ListenersNotResolved"),
            ConditionStatus::Unknown => None,
        };
        unresolved.push(Obstacle::new(reason, format!("listener `{name}`: {}", condition.message)));
    }
    resolved_refs::of(&unresolved)
}

/// The condition of a Gateway that accepts clients without a valid certificate.
fn insecure_validation(gateway: &Gateway<'_>) -> Option<Condition> {
    let mut validations = walk::client_validations(gateway);
    let (site, _) = validations.find(|(_, own)| own.mode.as_deref() == Some("AllowInsecureFallback"))?;
    let message = format!(
        "{}: AllowInsecureFallback accepts clients without a valid certificate: use AllowValidOnly",
        site.at().then("mode")
    );
    Some(Condition::new("InsecureFrontendValidationMode", true, "ConfigurationChanged", message))
}

/// The condition of a Gateway to which routes with `useDefaultGateways` attach (GEP-3793).
fn default_gateway(gateway: &ListenersFacts) -> Option<Condition> {
    gateway.is_default.then(|| {
        let message = "routes with `useDefaultGateways: All` attach to the Gateway (spec.defaultScope: All)";
        Condition::new("DefaultGateway", true, "DefaultGateway", message)
    })
}

/// The number of ListenerSets that are accepted; `None` if some are not known.
fn attached_sets(tree: &ListenerTree<'_>, state: &GatewayState<'_>, context: &StatusContext<'_>) -> Option<usize> {
    if state.accepted.status == ConditionStatus::False {
        return Some(0);
    }
    let sets = &tree.members[1..];
    let is_known = tree.is_complete && sets.iter().all(|set| set.is_certain);
    let is_accepted = |condition: &Condition| condition.status == ConditionStatus::True;
    let counts = |set: &&Member<'_>| {
        let listeners = listener::accepted(tree, set, context);
        listeners.iter().any(is_accepted) && !listener::are_unserved(tree, set, &listeners, context)
    };
    is_known.then(|| sets.iter().filter(counts).count())
}
