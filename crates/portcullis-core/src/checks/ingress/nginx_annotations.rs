//! Whether ingress-nginx may read the annotations of an Ingress.

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::matching::controller::Controller;
use crate::routing::controllers::may_be_served_by;

/// Whether ingress-nginx serves the Ingress, as far as its classes are known: no class is of another controller.
pub(super) fn are_read(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    may_be_served_by(Controller::IngressNginx, ingress, cx.cluster)
}
