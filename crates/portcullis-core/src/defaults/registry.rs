//! The list of all defaulters.

use super::{
    Defaulter, gateway_default_class, gateway_default_routability, http_proxy_ingress_class_default,
    ingress_default_class, ingress_default_path, ingress_default_path_type,
};

/// All defaulters, ordered by id.
pub const ALL: &[&Defaulter] = &[
    &gateway_default_class::DEFAULTER,
    &gateway_default_routability::DEFAULTER,
    &http_proxy_ingress_class_default::DEFAULTER,
    &ingress_default_class::DEFAULTER,
    &ingress_default_path::DEFAULTER,
    &ingress_default_path_type::DEFAULTER,
];

/// The defaulter with this id.
pub fn find(id: &str) -> Option<&'static Defaulter> {
    ALL.iter().copied().find(|defaulter| defaulter.id == id)
}
