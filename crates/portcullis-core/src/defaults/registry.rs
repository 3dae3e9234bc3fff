//! Every defaulter there is, as data.

use super::{
    Defaulter, default_class, default_path, default_path_type, gateway_class, gateway_routability, proxy_class,
};

/// All defaulters, ordered by id.
pub const ALL: &[&Defaulter] = &[
    &gateway_class::DEFAULTER,
    &gateway_routability::DEFAULTER,
    &proxy_class::DEFAULTER,
    &default_class::DEFAULTER,
    &default_path::DEFAULTER,
    &default_path_type::DEFAULTER,
];

/// The defaulter of this id.
pub fn find(id: &str) -> Option<&'static Defaulter> {
    ALL.iter().copied().find(|defaulter| defaulter.id == id)
}
