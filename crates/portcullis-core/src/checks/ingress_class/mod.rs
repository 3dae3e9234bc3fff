//! Checks of an IngressClass that look at other objects or at the old version. The rules about the object by itself are
//! in [`validation::ingress_class`](crate::validation::ingress_class).

mod controller_changed;
mod deleted_in_use;
mod second_default;

use super::Check;

/// The checks of the family `ingress-class` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&controller_changed::CHECK, &deleted_in_use::CHECK, &second_default::CHECK];
