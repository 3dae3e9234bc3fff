//! `gateway/default-routability`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::cluster::gateway_facts::GatewayClassFacts;
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::field::At;
use crate::kinds::Routability;
use crate::kinds::gateway::{Infrastructure, MAX_ANNOTATIONS, ROUTABILITY_ANNOTATION};
use crate::kinds::{Gateway, Kind, walk};
use crate::operation::Operation;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "gateway/default-routability",
    enabled: false,
    option: None,
    needs: &[Kind::GatewayClass],
    page: include_str!("gateway_default_routability.md"),
    fill: Fill::Gateway(fill),
};

fn fill(gateway: &Gateway<'_>, cx: &DefaultingContext<'_>, edits: &mut Edits) {
    let asks = walk::gateway::routabilities(gateway).next().is_some();
    if cx.operation != Operation::Create || asks || is_full(gateway.spec.infrastructure.as_ref()) {
        return;
    }
    let Some(class) = class(gateway, cx.cluster, cx.config) else { return };
    let first = class.routabilities(&cx.config.status).and_then(<[_]>::first);
    if let Some(first) = first.filter(|first| Routability::parse(first).is_some()) {
        edits.set_key(At::field("spec.infrastructure.annotations"), ROUTABILITY_ANNOTATION, first.to_string());
    }
}

/// Whether another annotation would exceed the limit in the schemas of older releases.
fn is_full(infrastructure: Option<&Infrastructure<'_>>) -> bool {
    infrastructure.is_some_and(|infrastructure| infrastructure.annotations.iter().count() >= MAX_ANNOTATIONS.before)
}

/// The class that the Gateway names, or the default class that is filled in otherwise.
fn class<'c>(gateway: &Gateway<'_>, cluster: &Overlay<'c>, config: &Config) -> Option<&'c GatewayClassFacts> {
    let found = match gateway.spec.gateway_class_name.as_deref() {
        Some(name) => cluster.gateway_class(name),
        None => match cluster.default_gateway_classes(&config.gateway_class_default_keys) {
            Lookup::Found(defaults) if defaults.len() == 1 && cluster.is_complete(Kind::GatewayClass) => {
                Lookup::Found(defaults[0])
            }
            _ => Lookup::Absent,
        },
    };
    match found {
        Lookup::Found(class) => Some(class),
        Lookup::Absent | Lookup::Unknown => None,
    }
}
