//! Which controller's answers a data plane of Ingresses gives, where the API leaves them open.

use super::super::ingress_source::Class;
use crate::cluster::{Lookup, Overlay};
use crate::matching::Normalization;
use crate::matching::controller::{Controller, ControllerTraits};
use crate::matching::host::Depth;

/// The controllers whose answers are known, but for ingress-nginx, of which there is a whole model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::explain) enum Dialect {
    /// That of the API.
    #[default]
    Specified,
    /// Contour 1.33 with Envoy.
    Contour,
    /// NGINX Ingress Controller 5 by F5, whose paths are the beginnings of locations of nginx.
    F5Nginx,
    /// The load balancers of GKE.
    Gke,
    /// Kong Ingress Controller 3.
    Kong,
    /// Traefik 3.7, which orders the rules of all hosts by their length, and compares paths as texts.
    Traefik,
}

impl Dialect {
    /// The dialect of the controller of a class. If no IngressClass specifies it, the name of the class does, where only one controller
    /// has it; GKE knows its classes by their names alone.
    pub(in crate::explain) fn of_class(class: Class<'_>, cluster: &Overlay<'_>) -> Self {
        let Some(class) = class else { return Self::Specified };
        let controller = match cluster.ingress_class(class) {
            Lookup::Found(facts) if !facts.controller.is_empty() => Controller::of(&facts.controller),
            Lookup::Found(_) | Lookup::Absent | Lookup::Unknown => {
                let usual = ControllerTraits::of_class(class).map(|known| known.controller);
                usual.filter(|usual| matches!(usual, Controller::Gke | Controller::Kong))
            }
        };
        match controller {
            Some(Controller::Contour) => Self::Contour,
            Some(Controller::F5Nginx) => Self::F5Nginx,
            Some(Controller::Gke) => Self::Gke,
            Some(Controller::Kong) => Self::Kong,
            Some(Controller::Traefik) => Self::Traefik,
            _ => Self::Specified,
        }
    }

    /// How paths are normalized.
    pub(super) fn normalization(self) -> Option<Normalization> {
        match self {
            Self::Specified | Self::F5Nginx | Self::Gke | Self::Kong => None,
            Self::Contour => Some(Normalization::Envoy),
            Self::Traefik => Some(Normalization::Traefik),
        }
    }

    /// Whether a path is dropped if its Service or the port does not exist.
    pub(super) fn drops_missing(self) -> bool {
        matches!(self, Self::Contour | Self::Traefik)
    }

    /// How many labels the wildcard of a host stands for.
    pub(super) fn wildcard_depth(self) -> Depth {
        match self {
            Self::Specified | Self::Contour | Self::Traefik => Depth::OneLabel,
            Self::F5Nginx | Self::Gke | Self::Kong => Depth::AnyLabels,
        }
    }

    /// Whether a rule for a wider host answers if no path of a more specific one matches.
    pub(super) fn falls_back(self) -> bool {
        self == Self::Kong
    }

    /// Whether the longest wildcard is selected before any path is looked at.
    pub(super) fn selects_host_first(self) -> bool {
        matches!(self, Self::F5Nginx | Self::Gke)
    }

    /// Whether `spec.tls` may redirect plain HTTP, which is not evaluated.
    pub(in crate::explain) fn may_redirect(self) -> bool {
        matches!(self, Self::Specified | Self::Contour)
    }
}
