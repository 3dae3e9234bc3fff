//! What the load balancers of GKE do with requests for Ingresses that the API does not specify (pkg/controller/translator of their
//! controller).

use super::super::answer::Winner;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::Ingresses;
use crate::kinds::Ingress;
use crate::kinds::annotation_value::parse_bool;

const ALLOW_HTTP: &str = "kubernetes.io/ingress.allow-http";

/// Whether an answer evaluates the annotation `key`.
pub(in crate::explain) fn evaluates(key: &str) -> bool {
    key == ALLOW_HTTP
}

/// Whether the load balancer of an Ingress has no port for the request. Its controller takes every value but a boolean as true.
pub(super) fn is_closed(ingress: &Ingress<'_>, request: &Request) -> bool {
    let allows = ingress.metadata.annotations.get(ALLOW_HTTP).and_then(|value| parse_bool(value));
    !request.is_secure && allows == Some(false)
}

impl Ingresses<'_> {
    /// Makes the answer of the `chosen` rule unknown if another one among `own` has the same path, of which the later one counts.
    pub(super) fn apply_gke(&self, winner: &mut Winner, chosen: usize, own: &[usize], request: &Request) {
        let is_open = |other| self.has_other_backend(chosen, other) && self.has_same_path(chosen, other);
        if let Some(why) = self.unordered(chosen, own, request, is_open) {
            winner.outcome.reply = Reply::Unknown(why);
        }
    }
}
