//! The addresses of a Gateway: those of the published Services that it may have, by routability (GEP-1651) and by its
//! own request.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::published::{self, PublishedAddress};
use super::{Condition, ConditionStatus, StatusContext};
use crate::cluster::gateway_facts::{GatewayClassFacts, GatewaySettings, ListenersFacts, RequestedAddress};
use crate::config::StatusConfig;
use crate::kinds::Routability;

/// The maximum number of addresses in a status.
const MAX_ADDRESSES: usize = 16;

/// The addresses of a Gateway, or what keeps it from having them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Assignment<'c> {
    /// The addresses, those of the requested routability first.
    pub assigned: Vec<PublishedAddress<'c>>,
    /// What is missing: a condition `Programmed`.
    pub missing: Option<Condition>,
}

impl<'c> Assignment<'c> {
    /// Returns the addresses of the Gateway with these facts.
    pub fn of(gateway: &ListenersFacts, class: Option<&'c GatewayClassFacts>, context: &StatusContext<'c>) -> Self {
        let Some(class) = class else { return Self::unknown() };
        let settings = gateway.settings.as_deref();
        let requested = settings.map(|settings| &*settings.addresses).unwrap_or_default();
        let scope = scope(settings, class, context.settings());
        let (all, mut missing) = (published::addresses(context), None);
        let mut assigned: Vec<PublishedAddress<'c>> = match requested {
            [] => all.iter().filter(|address| reaches(address, scope)).cloned().collect(),
            requested => {
                let own = settings.and_then(|settings| settings.routability.as_deref());
                let (found, lacking) = bound(requested, &all, scope, own.and_then(Routability::parse));
                missing = lacking;
                found
            }
        };
        let is_exact = |address: &PublishedAddress<'_>| scope.is_none_or(|scope| address.routability == Some(scope));
        if !assigned.iter().any(is_exact) {
            assigned.clear();
            missing = missing.or_else(|| Some(not_assigned(scope, !all.is_empty(), context)));
        }
        if let (Some(_), Some(service)) = (&missing, published::unknown(context)) {
            let message =
                format!("Service {}/{} of the published Services is not known", *service.namespace, *service.name);
            missing = Some(Condition::new("Programmed", ConditionStatus::Unknown, "Pending", message));
        }
        assigned.sort_by_key(|address| !is_exact(address));
        assigned.truncate(MAX_ADDRESSES);
        Self { assigned, missing }
    }

    /// What is known of the addresses of another controller.
    fn unknown() -> Self {
        let message = "only its controller knows whether a data plane serves it";
        let missing = Some(Condition::new("Programmed", ConditionStatus::Unknown, "Pending", message));
        Self { assigned: Vec::new(), missing }
    }

    /// The field `addresses` of the status; `None` if the stored one must be left as it is because a published Service
    /// is not known.
    pub fn field(&self) -> Option<Value> {
        let is_unknown = self.missing.as_ref().is_some_and(|condition| condition.status == ConditionStatus::Unknown);
        match self.assigned.is_empty() {
            true if is_unknown => None,
            true => Some(Value::Null),
            false => Some(self.assigned.iter().map(address_json).collect()),
        }
    }
}

fn address_json(address: &PublishedAddress<'_>) -> Value {
    let mut entry = json!({"type": address.type_name(), "value": address.value});
    if let Some(routability) = address.routability {
        entry["routability"] = json!(routability.to_string());
    }
    entry
}

/// The routability that the addresses must have: that of the Gateway, or else the first that its class offers. There is
/// none if each requested address has its own.
fn scope<'t>(
    settings: Option<&'t GatewaySettings>,
    class: &'t GatewayClassFacts,
    status: &StatusConfig,
) -> Option<Routability<'t>> {
    let is_by_address = settings.is_some_and(|settings| {
        !settings.addresses.is_empty() && settings.addresses.iter().all(|address| address.routability.is_some())
    });
    match settings.and_then(|settings| settings.routability.as_ref()) {
        Some(own) => Routability::parse(own),
        None if is_by_address => None,
        None => class.default_routability(status).and_then(Routability::parse),
    }
}

/// Whether an address may be among those of a Gateway with this routability: it must not be reachable from farther away.
fn reaches(address: &PublishedAddress<'_>, scope: Option<Routability<'_>>) -> bool {
    scope.is_none_or(|scope| address.routability.is_some_and(|own| own <= scope))
}

/// The published addresses that meet a request, and the condition for the first request that none meets. A request must not
/// be wider than `limit`, the routability of the Gateway itself.
fn bound<'c>(
    requested: &[RequestedAddress],
    all: &[PublishedAddress<'c>],
    scope: Option<Routability<'_>>,
    limit: Option<Routability<'_>>,
) -> (Vec<PublishedAddress<'c>>, Option<Condition>) {
    let (mut found, mut lacking): (Vec<PublishedAddress<'c>>, Option<Condition>) = (Vec::new(), None);
    for (index, request) in requested.iter().enumerate() {
        let own = request.routability.as_deref().and_then(Routability::parse);
        let is_wider = own.zip(limit).is_some_and(|(own, limit)| own > limit);
        let fits = |address: &&PublishedAddress<'_>| match own {
            Some(own) => !is_wider && address.routability == Some(own),
            None => reaches(address, scope),
        };
        let mut named = all.iter().filter(|address| is_requested(request, address));
        match named.clone().find(fits) {
            Some(address) if found.contains(address) => {}
            Some(address) => found.push(address.clone()),
            None if request.value.is_empty() || all.is_empty() => {}
            None => {
                lacking.get_or_insert_with(|| {
                    not_usable(index, request, named.next(), own.filter(|_| !is_wider).or(scope))
                });
            }
        }
    }
    (found, lacking)
}

/// Whether a request names the address, or any address of its type.
fn is_requested(request: &RequestedAddress, address: &PublishedAddress<'_>) -> bool {
    let is_same = || match (request.value.parse::<IpAddr>(), address.value.parse::<IpAddr>()) {
        (Ok(own), Ok(other)) => own == other,
        _ => request.value.eq_ignore_ascii_case(address.value),
    };
    *request.kind == *address.type_name() && (request.value.is_empty() || is_same())
}

fn not_usable(
    index: usize,
    request: &RequestedAddress,
    published: Option<&PublishedAddress<'_>>,
    wanted: Option<Routability<'_>>,
) -> Condition {
    let at = format!("spec.addresses[{index}].value");
    let routabilities = published.and_then(|address| address.routability).zip(wanted);
    let message = match routabilities {
        Some((own, wanted)) => format!(
            "{at}: address `{}` is {own}, but {wanted} is requested: request an address or a routability that fit",
            request.value
        ),
        None => format!(
            "{at}: address `{}` is not an address of a published Service: use one of theirs, or remove the entry",
            request.value
        ),
    };
    Condition::new("Programmed", false, "AddressNotUsable", message)
}

fn not_assigned(scope: Option<Routability<'_>>, has_addresses: bool, context: &StatusContext<'_>) -> Condition {
    let message = match scope.filter(|_| has_addresses) {
        Some(scope) => format!("no address yet: no published Service has an address with routability {scope}"),
        None if context.settings().publish_service.is_empty() => {
            "no address: the configuration publishes no Service; list one in status.publishService".to_owned()
        }
        None => "no address yet: no published Service has an address that the Gateway can use".to_owned(),
    };
    Condition::new("Programmed", false, "AddressNotAssigned", message)
}
