//! Checks of a GatewayClass that look beyond the object.

mod controller_name_changed;
mod controller_reserved;
mod deleted_in_use;
mod second_default;

use super::Check;

/// The checks of the family `gateway-class` that look beyond the object, ordered by id.
pub const ALL: &[&Check] =
    &[&controller_name_changed::CHECK, &controller_reserved::CHECK, &deleted_in_use::CHECK, &second_default::CHECK];
