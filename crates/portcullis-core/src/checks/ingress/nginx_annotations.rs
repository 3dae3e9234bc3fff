//! Whether ingress-nginx may read the annotations of an Ingress.

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::matching::annotation_names::{Prefix, vocabularies};
use crate::matching::controller::Controller;
use crate::routing::controllers::may_be_served_by;

/// Whether ingress-nginx serves the Ingress, as far as its classes are known: no class is of another controller. One without a class whose
/// annotations are those of another controller is not meant for it.
pub(super) fn are_read(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    let is_meant = |is_nginx: bool| {
        let mut of = vocabularies().iter().filter(|own| (own.controller == Controller::IngressNginx) == is_nginx);
        of.any(|own| own.written(ingress).any(|written| written.prefix == Prefix::Own))
    };
    may_be_served_by(Controller::IngressNginx, ingress, cx.cluster)
        && (ingress.class().is_some() || is_meant(true) || !is_meant(false))
}
