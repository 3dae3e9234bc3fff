//! The finalizer of a GatewayClass, which keeps it until no Gateway uses it.

use super::StatusContext;
use crate::kinds::{GatewayClass, Kind};

/// The finalizer of the Gateway API for a class in use.
pub const FINALIZER: &str = "gateway-exists-finalizer.gateway.networking.k8s.io";

/// Whether a class must have the [`FINALIZER`]; `None` if another controller serves the class, or if it is not known
/// whether a Gateway uses it.
pub fn of(class: &GatewayClass<'_>, context: &StatusContext<'_>) -> Option<bool> {
    let settings = context.settings();
    if !settings.is_own(class.spec.controller_name.as_deref().unwrap_or_default()) {
        return None;
    }
    if !settings.gateway_class_finalizer {
        return Some(false);
    }
    let is_used = context.cluster.gateways_of_class(class.metadata.name()).next().is_some();
    (is_used || context.cluster.is_complete(Kind::Gateway)).then_some(is_used)
}
