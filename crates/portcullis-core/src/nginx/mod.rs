//! A model of ingress-nginx 1.15: which server and which location a request reaches, and what these do with it.
//!
//! The controller turns its Ingresses into one server for each host, with an ordered list of locations, and into
//! upstreams, to which canaries are attached ([`servers`], in a [`proxy`]). nginx selects a location by the normalized path
//! ([`locations`]), and processes the request in phases ([`explain`](crate::explain)). The model follows the source of the controller
//! (internal/ingress/controller) and of nginx, and recorded answers in `tests/recorded` hold it.

pub mod address_list;
pub mod annotations;
mod build;
pub mod canary;
pub mod controller_settings;
pub mod locations;
pub mod origin;
pub mod proxy;
pub mod servers;
pub mod settings;
pub mod snippet;
mod status_codes;
pub mod uri;

pub use controller_settings::ControllerSettings;
pub use locations::Location;
pub use origin::Origin;
pub use proxy::Proxy;
pub use servers::{Server, Source};
pub use settings::Settings;
