//! Which controller's answers a data plane of Ingresses gives, where the API leaves them open.

use crate::matching::controller::Controller;
use crate::matching::{Normalization, Readers};

/// The controllers whose answers are recorded, but for ingress-nginx, of which there is a whole model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::explain) enum Dialect {
    /// That of the API.
    #[default]
    Specified,
    /// Contour 1.33 with Envoy.
    Contour,
    /// Traefik 3.7, which orders the rules of all hosts by their length, and compares paths as texts.
    Traefik,
}

impl Dialect {
    /// The dialect of these controllers.
    pub(super) fn of(readers: &[Readers]) -> Self {
        match readers {
            [Readers::Only(Controller::Contour)] => Self::Contour,
            [Readers::Only(Controller::Traefik)] => Self::Traefik,
            _ => Self::Specified,
        }
    }

    /// How paths are normalized.
    pub(super) fn normalization(self) -> Option<Normalization> {
        match self {
            Self::Specified => None,
            Self::Contour => Some(Normalization::Envoy),
            Self::Traefik => Some(Normalization::Traefik),
        }
    }

    /// Whether a path is dropped if its Service or the port does not exist.
    pub(super) fn drops_missing(self) -> bool {
        self != Self::Specified
    }
}
