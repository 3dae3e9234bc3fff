//! Walkers, which yield the elements of an object with their addresses, in document order.

pub mod backend_tls_policy;
pub mod certificates;
pub mod filter;
pub mod gateway;
pub mod header_modifier;
pub mod host;
pub mod host_claim;
pub mod http_proxy;
mod ingress;
pub mod ingress_route;
pub mod label_selector;
pub mod listener;
pub mod located_filter;
mod parts;
pub mod reference;
pub mod reference_grant;
pub mod role;
pub mod route;
pub mod rule;
mod secret_use;

pub use ingress::*;
pub use ingress_route::IngressRouteParts;
pub use parts::RouteParts;
pub use secret_use::{NamedSecret, SecretUses};
