//! Whether the controller of a vocabulary reads an annotation of an Ingress.

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::matching::annotation_names::{Prefix, Vocabulary, Written, vocabularies};
use crate::routing::controllers::{is_served_by, may_be_served_by};

/// The annotations of an Ingress that have the prefix of a controller, each with its vocabulary.
pub(super) fn written<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = (&'static Vocabulary, Written<'i>)> {
    vocabularies().iter().flat_map(|vocabulary| vocabulary.written(ingress).map(move |written| (vocabulary, written)))
}

/// Whether the controller reads the annotation: no class of the Ingress is of another controller, as far as its classes are known, and if
/// others read the prefix, too, its classes or its annotations say that it is for this one.
pub(super) fn is_read(
    vocabulary: &'static Vocabulary,
    prefix: Prefix,
    ingress: &Ingress<'_>,
    cx: &Context<'_>,
) -> bool {
    may_be_served_by(vocabulary.controller, ingress, cx.cluster)
        && match prefix {
            Prefix::Own => true,
            Prefix::SharedButNames => {
                is_served_by(vocabulary.controller, ingress, cx.cluster) || vocabulary.is_meant(ingress)
            }
            Prefix::Shared => is_served_by(vocabulary.controller, ingress, cx.cluster),
        }
}
