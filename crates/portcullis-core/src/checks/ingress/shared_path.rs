//! Several backends with the same path: whether annotations define which of them answers a request.

use crate::checks::Context;
use crate::matching::Claims;
use crate::matching::annotation_effect::Effect;
use crate::matching::route::DuplicateRoutes;
use crate::routing::controllers::{effect_of, effects_of};

/// Whether the controller defines which of two backends with the same path answers a request.
pub(super) fn is_shared(claims: &Claims<'_>, duplicates: &DuplicateRoutes<'_, '_>, cx: &Context<'_>) -> bool {
    let services =
        || [duplicates.first, duplicates.second].into_iter().filter_map(|route| route.backend.service.as_ref());
    let is_of_service = |name: &str| services().any(|service| &*service.name == name);
    let of_service = effects_of(Effect::SharedPathOfService, claims.ingress, cx.cluster);
    let mut named = of_service.filter_map(|(row, key, _)| key.strip_prefix(row.key.trim_end_matches('*')));
    effect_of(Effect::SharedPath, claims.ingress, cx.cluster).is_some() || named.any(is_of_service)
}
