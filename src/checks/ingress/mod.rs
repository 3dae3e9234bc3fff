//! Checks of an Ingress by itself and of what it refers to.

mod annotation_control_character;
mod annotation_forbidden;
mod annotation_risky;
mod class_not_allowed;
mod path_forbidden_text;
mod path_not_absolute;
mod port_not_allowed;
mod service_not_found;
mod service_port_ambiguous;
mod service_port_not_found;
mod snippet;
mod tls_host_uncovered;
mod tls_host_unused;
mod tls_missing;

use super::Check;

/// The checks of the family `ingress`, ordered by id.
pub const ALL: &[&Check] = &[
    &annotation_control_character::CHECK,
    &annotation_forbidden::CHECK,
    &annotation_risky::CHECK,
    &class_not_allowed::CHECK,
    &path_forbidden_text::CHECK,
    &path_not_absolute::CHECK,
    &port_not_allowed::CHECK,
    &service_not_found::CHECK,
    &service_port_ambiguous::CHECK,
    &service_port_not_found::CHECK,
    &snippet::CHECK,
    &tls_host_uncovered::CHECK,
    &tls_host_unused::CHECK,
    &tls_missing::CHECK,
];
