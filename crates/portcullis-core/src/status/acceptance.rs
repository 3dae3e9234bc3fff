//! Whether a Gateway or a ListenerSet is accepted: by its own content, its class, and its listeners.

use std::borrow::Cow;

use super::{Condition, ConditionStatus, StatusContext};
use crate::cluster::gateway_facts::{GatewayClassFacts, GatewaySettings, ListenersFacts};
use crate::config::PublishedService;
use crate::kinds::Routability;
use crate::validation::ObjectError;

/// The types of addresses that Portcullis knows.
const ADDRESS_TYPES: [&str; 2] = ["IPAddress", "Hostname"];

/// The condition `Accepted` of a Gateway that is rejected as a whole.
pub(super) fn rejection_of_gateway(
    gateway: &ListenersFacts,
    class: Option<&GatewayClassFacts>,
    context: &StatusContext<'_>,
) -> Option<Condition> {
    // Only the controller of another class knows which parameters, addresses and routabilities it supports.
    let Some(class) = class else { return gateway.error.as_deref().map(invalid) };
    let settings = gateway.settings.as_deref();
    settings
        .and_then(unsupported_parameters)
        .or_else(|| gateway.error.as_deref().map(invalid))
        .or_else(|| settings.and_then(unsupported_address))
        .or_else(|| unsupported_routability(settings, class, context))
}

/// The condition `Accepted` of an object that is invalid by itself.
pub(super) fn invalid(error: &ObjectError) -> Condition {
    let reason = match error.rule {
        Some("gateway/address-type-unknown") => "UnsupportedAddress",
        Some("gateway/routability-malformed") => "UnsupportedRoutability",
        _ => "Invalid",
    };
    Condition::new("Accepted", false, reason, &*error.message)
}

fn unsupported_parameters(settings: &GatewaySettings) -> Option<Condition> {
    let parameters = settings.parameters.as_deref()?;
    let message = format!(
        "spec.infrastructure.parametersRef: {parameters} is not supported: this controller has no parameters; remove \
         parametersRef"
    );
    Some(Condition::new("Accepted", false, "InvalidParameters", message))
}

fn unsupported_address(settings: &GatewaySettings) -> Option<Condition> {
    let mut addresses = settings.addresses.iter().enumerate();
    let (index, address) = addresses.find(|(_, address)| !ADDRESS_TYPES.contains(&&*address.kind))?;
    let message = format!(
        "spec.addresses[{index}].type: `{}` is not supported: use {}",
        address.kind,
        ADDRESS_TYPES.join(" or ")
    );
    Some(Condition::new("Accepted", false, "UnsupportedAddress", message))
}

/// Rejects a Gateway with a routability that its class does not offer, or that no published Service has.
fn unsupported_routability(
    settings: Option<&GatewaySettings>,
    class: &GatewayClassFacts,
    context: &StatusContext<'_>,
) -> Option<Condition> {
    let own = settings.into_iter().flat_map(|settings| {
        let of_addresses = settings.addresses.iter().filter_map(|address| address.routability.as_deref());
        settings.routability.as_deref().into_iter().chain(of_addresses)
    });
    let offered = class.routabilities(context.settings());
    let default = class.default_routability(context.settings());
    let requested: Vec<&str> = own.collect();
    let not_offered =
        requested.iter().find(|value| offered.is_some_and(|list| !list.iter().any(|offer| **offer == ***value)));
    let message = match not_offered {
        Some(value) => {
            let list = offered.unwrap_or_default().join(", ");
            let list = if list.is_empty() { "nothing" } else { &list };
            format!("routability `{value}` is not offered by {}, which offers {list}", class.object_ref())
        }
        None => {
            let publishes = !context.settings().publish_service.is_empty();
            let default = default.filter(|_| requested.is_empty() && publishes);
            let value = requested.iter().copied().chain(default).find(|value| is_unobtainable(value, context))?;
            match publishes {
                true => format!(
                    "no published Service offers routability `{value}`: request another one, or publish such a Service"
                ),
                false => format!(
                    "no address has routability `{value}`, since no Service is published: list one in status.publishService of the configuration"
                ),
            }
        }
    };
    Some(Condition::new("Accepted", false, "UnsupportedRoutability", message))
}

/// Whether no published Service has this routability. Cluster IPs are reachable from inside the cluster.
fn is_unobtainable(value: &str, context: &StatusContext<'_>) -> bool {
    let services = &context.settings().publish_service;
    let is_of = |service: &PublishedService| *service.routability.value == *value;
    match Routability::parse(value) {
        Some(Routability::Cluster) => services.is_empty(),
        Some(_) => !services.iter().any(is_of),
        None => false,
    }
}

/// The condition `Accepted` of an object by those of its listeners, each with its name.
pub(super) fn by_listeners<'l>(listeners: impl Iterator<Item = (&'l str, ConditionStatus)> + Clone) -> Condition {
    let names = |wanted: ConditionStatus| {
        let of_status = listeners.clone().filter(move |(_, status)| *status == wanted);
        of_status.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>()
    };
    let (accepted, rejected, pending) =
        (names(ConditionStatus::True), names(ConditionStatus::False), names(ConditionStatus::Unknown));
    if accepted.is_empty() && pending.is_empty() {
        return Condition::new("Accepted", false, "ListenersNotValid", "no listener is accepted: see their conditions");
    }
    let message = |which: &[String], state: &str| {
        let is_one = which.len() == 1;
        let (noun, verb, whose) = if is_one { ("listener", "is", "its") } else { ("listeners", "are", "their") };
        format!("{noun} {} {verb} {state}: see {whose} conditions", which.join(", "))
    };
    if !accepted.is_empty() && !rejected.is_empty() {
        return Condition::new("Accepted", true, "ListenersNotValid", message(&rejected, "not accepted"));
    }
    match pending.is_empty() {
        true => Condition::new("Accepted", true, "Accepted", "all listeners are accepted"),
        false => Condition::new("Accepted", ConditionStatus::Unknown, "Pending", message(&pending, "pending")),
    }
}

/// The condition `Programmed` of an object that is not accepted, or of which it is not known.
pub(super) fn not_programmed(accepted: &Condition, reason: impl Into<Cow<'static, str>>) -> Option<Condition> {
    match accepted.status {
        ConditionStatus::True => None,
        ConditionStatus::False => Some(Condition::new("Programmed", false, reason, accepted.message.clone())),
        ConditionStatus::Unknown => {
            Some(Condition::new("Programmed", ConditionStatus::Unknown, "Pending", accepted.message.clone()))
        }
    }
}
