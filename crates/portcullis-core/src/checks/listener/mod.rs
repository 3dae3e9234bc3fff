//! Checks of the listeners of a Gateway or a ListenerSet that look beyond the object.

mod certificate_not_granted;
mod host_not_allowed;
mod port_not_allowed;
mod removed_in_use;
mod selector_open;
mod tls_mode_missing;
mod tls_secret_not_found;

use super::Check;

/// The checks of the family `listener` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &certificate_not_granted::CHECK,
    &host_not_allowed::CHECK,
    &port_not_allowed::CHECK,
    &removed_in_use::CHECK,
    &selector_open::CHECK,
    &tls_mode_missing::CHECK,
    &tls_secret_not_found::CHECK,
];
