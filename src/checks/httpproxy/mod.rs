//! Checks of an HTTPProxy. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod fqdn_unique;
mod root_namespace;

use super::Check;

/// The checks of the family `httpproxy`, ordered by id.
pub const ALL: &[&Check] = &[&fqdn_unique::CHECK, &root_namespace::CHECK];
