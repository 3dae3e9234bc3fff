//! The annotations by which controllers encrypt traffic or redirect requests in plain text.

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::matching::annotation_effect::Effect;
use crate::routing::controllers::effect_of;

/// Whether the Ingress is a canary, which uses the settings of the Ingress that it belongs to.
pub(super) fn is_canary(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    effect_of(Effect::Canary, ingress, cx.cluster).is_some()
}

/// Whether an annotation that the controller reads enables TLS.
pub(super) fn enables_tls(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    effect_of(Effect::Tls, ingress, cx.cluster).is_some()
}

/// Whether an annotation that the controller reads keeps it from serving requests in plain text.
pub(super) fn is_https_only(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    effect_of(Effect::HttpsOnly, ingress, cx.cluster).is_some()
}

/// The key and the value of an annotation that the controller reads and by which it serves requests in plain text, too, or only.
pub(super) fn serves_plain_text<'i>(ingress: &'i Ingress<'_>, cx: &Context<'_>) -> Option<(&'i str, &'i str)> {
    let only = || effect_of(Effect::PlainTextOnly, ingress, cx.cluster).filter(|_| !enables_tls(ingress, cx));
    effect_of(Effect::PlainTextToo, ingress, cx.cluster).or_else(only)
}
