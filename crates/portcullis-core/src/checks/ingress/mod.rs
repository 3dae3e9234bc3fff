//! Checks of an Ingress that look at other objects or at the configuration. The rules about the object by itself are in
//! [`validation::ingress`](crate::validation::ingress).

mod annotation_crosses_namespaces;
mod annotation_forbidden;
mod annotation_misspelled;
mod annotation_not_allowed;
mod annotation_readers;
mod annotation_risky;
mod annotation_value_malformed;
mod canary_incomplete;
mod canary_primaries;
mod canary_primary_missing;
mod canary_switched_off;
mod canary_takes_more;
mod class_annotation_deprecated;
mod class_annotation_differs;
mod class_changed;
mod class_field_and_annotation;
mod class_missing;
mod class_named_twice;
mod class_not_allowed;
mod class_not_found;
mod default_class_ambiguous;
mod hosts_too_many;
mod https_missing;
mod ignored;
mod nginx_annotations;
mod nothing_served;
mod path_duplicate;
mod path_forbidden_text;
mod path_looks_like_regex;
mod path_shadowed;
mod path_unsafe_character;
mod port_not_allowed;
mod redirect_beyond_paths;
mod redirect_loop;
mod rewrite_constant;
mod service_external_name;
mod service_not_found;
mod service_port_ambiguous;
mod service_port_not_found;
mod service_port_protocol_mismatch;
mod shared_path;
mod snippet;
mod sole_host;
mod ssl_redirect_without_tls;
mod stops_data_plane;
mod tls_annotations;
mod tls_missing;
mod tls_secret_not_found;

use super::Check;

/// The checks of the family `ingress` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &annotation_crosses_namespaces::CHECK,
    &annotation_forbidden::CHECK,
    &annotation_misspelled::CHECK,
    &annotation_not_allowed::CHECK,
    &annotation_risky::CHECK,
    &annotation_value_malformed::CHECK,
    &canary_incomplete::CHECK,
    &canary_primary_missing::CHECK,
    &canary_switched_off::CHECK,
    &canary_takes_more::CHECK,
    &class_annotation_deprecated::CHECK,
    &class_annotation_differs::CHECK,
    &class_changed::CHECK,
    &class_field_and_annotation::CHECK,
    &class_missing::CHECK,
    &class_named_twice::CHECK,
    &class_not_allowed::CHECK,
    &class_not_found::CHECK,
    &default_class_ambiguous::CHECK,
    &hosts_too_many::CHECK,
    &https_missing::CHECK,
    &ignored::CHECK,
    &nothing_served::CHECK,
    &path_duplicate::CHECK,
    &path_forbidden_text::CHECK,
    &path_looks_like_regex::CHECK,
    &path_shadowed::CHECK,
    &path_unsafe_character::CHECK,
    &port_not_allowed::CHECK,
    &redirect_beyond_paths::CHECK,
    &redirect_loop::CHECK,
    &rewrite_constant::CHECK,
    &service_external_name::CHECK,
    &service_not_found::CHECK,
    &service_port_ambiguous::CHECK,
    &service_port_not_found::CHECK,
    &service_port_protocol_mismatch::CHECK,
    &snippet::CHECK,
    &ssl_redirect_without_tls::CHECK,
    &stops_data_plane::CHECK,
    &tls_missing::CHECK,
    &tls_secret_not_found::CHECK,
];
