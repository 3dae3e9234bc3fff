//! The rules of an Ingress by itself, by what they are about.

pub mod backend;
pub mod host;
pub mod metadata;
pub mod path;
pub mod status;
pub mod tls;

use crate::finding::{Action, Actions};

/// For what the API server rejects and the design document (KEP-758) does not.
const BEYOND_KEP: Actions = Actions::new(Action::Deny, Action::Deny, Action::Off);
