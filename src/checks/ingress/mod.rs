//! Checks of an Ingress by itself and of what it refers to.

mod annotation_control_character;
mod annotation_forbidden;
mod annotation_risky;
mod backend_ambiguous;
mod backend_missing;
mod class_annotation_deprecated;
mod class_annotation_differs;
mod class_changed;
mod class_field_and_annotation;
mod class_missing;
mod class_name_malformed;
mod class_named_twice;
mod class_not_allowed;
mod class_not_found;
mod default_backend_set;
mod default_class_ambiguous;
mod host_catch_all;
mod host_is_ip;
mod host_label_too_long;
mod host_malformed;
mod host_wildcard;
mod name_malformed;
mod no_paths;
mod no_rules;
mod path_dot_segment;
mod path_duplicate;
mod path_empty_segment;
mod path_encoded_dot;
mod path_encoded_slash;
mod path_forbidden_text;
mod path_implementation_specific;
mod path_looks_like_regex;
mod path_missing;
mod path_not_absolute;
mod path_shadowed;
mod path_type_missing;
mod path_type_unknown;
mod path_unsafe_character;
mod port_missing;
mod port_name_malformed;
mod port_named_twice;
mod port_not_allowed;
mod port_number_out_of_range;
mod resource_group_malformed;
mod resource_incomplete;
mod secret_name_malformed;
mod service_name_malformed;
mod service_name_missing;
mod service_not_found;
mod service_port_ambiguous;
mod service_port_not_found;
mod snippet;
mod specific_path_not_absolute;
mod status_hostname_malformed;
mod status_ip_malformed;
mod tls_host_malformed;
mod tls_host_uncovered;
mod tls_host_unused;
mod tls_missing;
mod wildcard_malformed;

use super::Check;

/// The checks of the family `ingress`, ordered by id.
pub const ALL: &[&Check] = &[
    &annotation_control_character::CHECK,
    &annotation_forbidden::CHECK,
    &annotation_risky::CHECK,
    &backend_ambiguous::CHECK,
    &backend_missing::CHECK,
    &class_annotation_deprecated::CHECK,
    &class_annotation_differs::CHECK,
    &class_changed::CHECK,
    &class_field_and_annotation::CHECK,
    &class_missing::CHECK,
    &class_name_malformed::CHECK,
    &class_named_twice::CHECK,
    &class_not_allowed::CHECK,
    &class_not_found::CHECK,
    &default_backend_set::CHECK,
    &default_class_ambiguous::CHECK,
    &host_catch_all::CHECK,
    &host_is_ip::CHECK,
    &host_label_too_long::CHECK,
    &host_malformed::CHECK,
    &host_wildcard::CHECK,
    &name_malformed::CHECK,
    &no_paths::CHECK,
    &no_rules::CHECK,
    &path_dot_segment::CHECK,
    &path_duplicate::CHECK,
    &path_empty_segment::CHECK,
    &path_encoded_dot::CHECK,
    &path_encoded_slash::CHECK,
    &path_forbidden_text::CHECK,
    &path_implementation_specific::CHECK,
    &path_looks_like_regex::CHECK,
    &path_missing::CHECK,
    &path_not_absolute::CHECK,
    &path_shadowed::CHECK,
    &path_type_missing::CHECK,
    &path_type_unknown::CHECK,
    &path_unsafe_character::CHECK,
    &port_missing::CHECK,
    &port_name_malformed::CHECK,
    &port_named_twice::CHECK,
    &port_not_allowed::CHECK,
    &port_number_out_of_range::CHECK,
    &resource_group_malformed::CHECK,
    &resource_incomplete::CHECK,
    &secret_name_malformed::CHECK,
    &service_name_malformed::CHECK,
    &service_name_missing::CHECK,
    &service_not_found::CHECK,
    &service_port_ambiguous::CHECK,
    &service_port_not_found::CHECK,
    &snippet::CHECK,
    &specific_path_not_absolute::CHECK,
    &status_hostname_malformed::CHECK,
    &status_ip_malformed::CHECK,
    &tls_host_malformed::CHECK,
    &tls_host_uncovered::CHECK,
    &tls_host_unused::CHECK,
    &tls_missing::CHECK,
    &wildcard_malformed::CHECK,
];
