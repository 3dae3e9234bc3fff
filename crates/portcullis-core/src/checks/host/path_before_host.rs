//! Part of `host/route-takes-requests`: Traefik tries the longest path of all hosts first.

use std::collections::BTreeMap;

use super::{Rival, rival};
use crate::checks::Context;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::finding::Findings;
use crate::kinds::Route;
use crate::matching::Host;
use crate::matching::request::canonical_matches;
use crate::routing::precedence;
use crate::routing::presence::Presence;
use crate::routing::traefik_routes::{MoreSpecificRoute, more_specific};

/// Warns of a path of an HTTPRoute for a wildcard or without hostnames that takes requests for more specific hosts.
pub(super) fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_wide = |written: &&str| !matches!(Host::parse(written), Host::Precise(_));
    let hostnames = route.hostnames();
    let may_be_wide = hostnames.is_empty() || hostnames.iter().any(|written| is_wide(&&**written));
    if !matches!(route, Route::Http(_)) || !may_be_wide || !cx.cluster.has_routes(route.kind()) {
        return;
    }
    let Some(matched) = canonical_matches(route).into_iter().find(|matched| matched.display.len() > 1) else { return };
    let facts = GatewayRouteFacts::without_matches(route);
    let presence = Presence::of(&facts, cx.cluster);
    let mut first: BTreeMap<String, MoreSpecificRoute<'_>> = BTreeMap::new();
    let age = |taken: &MoreSpecificRoute<'_>| (taken.other.created, taken.other.object_ref.clone());
    for taken in more_specific(&presence, cx.cluster) {
        if rival(&taken.host, &taken.other.object_ref, taken.other.created, cx) != Some(Rival::Holder) {
            continue;
        }
        let (created, object_ref) = age(&taken);
        let is_first = |known: &MoreSpecificRoute<'_>| {
            let (known_created, known_ref) = age(known);
            let order = precedence::compare((created, &object_ref), (known_created, &known_ref));
            order.then_with(|| taken.host.from_the_right().cmp(&known.host.from_the_right())).is_lt()
        };
        let own = taken.own.to_string();
        if first.get(&own).is_none_or(is_first) {
            first.insert(own, taken);
        }
    }
    for (own, taken) in first {
        let template =
            "path {} takes requests for {} from {other}, since Traefik tries the longest path first: list your hosts";
        let finding = found.duplicate(matched.at, &format!("{own} {}", matched.key), template);
        let finding = finding.args([&*matched.display]).redactable(&taken.host.described(), "a host");
        finding.other(&taken.other.object_ref).claim(&own, Some(&matched.key)).only_warns();
    }
}
