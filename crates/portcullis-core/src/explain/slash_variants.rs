//! The routes that Contour makes of one that replaces a prefix: one for the prefix with a slash at its end, and one without. Envoy replaces
//! the text, so that `/foo` replaced by `/` would make `//v1` of `/foo/v1` (`expandPrefixMatches` of Contour 1.33).

use std::collections::HashMap;

use super::candidate::Candidate;
use super::conditions::ConditionsKey;
use super::route_chain::ResolvedRoute;
use crate::matching::PathTest;
use crate::matching::conditions::MatchKey;

/// Routes of an object and of those that it includes, each with the key of its conditions.
pub(super) type Expanded<'w> = Vec<(ConditionsKey<'w>, ResolvedRoute<'w>)>;

/// The routes, with two for each that replaces a prefix which no other route has, with a slash or without.
pub(super) fn with_slash_variants<'w>(expanded: Expanded<'w>) -> Expanded<'w> {
    let mut routes_by_prefix: HashMap<String, usize> = HashMap::new();
    for prefix in expanded.iter().filter_map(|(_, route)| prefix(route)) {
        *routes_by_prefix.entry(prefix.to_owned()).or_default() += 1;
    }
    let variants = |(key, route): (ConditionsKey<'w>, ResolvedRoute<'w>)| -> Expanded<'w> {
        let alone = prefix(&route).filter(|prefix| routes_by_prefix.get(*prefix) == Some(&1)).map(str::to_owned);
        let actions = route.action.with_and_without_slash();
        let (Some(prefix), Some([plain, slashed])) = (alone, actions) else { return vec![(key, route)] };
        let variant = |path: String, action| {
            let (kind, is_pattern, mut conditions) = key.clone();
            conditions.retain(|condition| !matches!(condition, MatchKey::Path(_)));
            conditions.push(MatchKey::Path(path.clone()));
            conditions.sort_unstable();
            let candidate = Candidate { path: PathTest::Begins(path.into()), ..route.candidate.clone() };
            let (chain, not_evaluated) = (route.chain.clone(), route.not_evaluated.clone());
            let permits_insecure = route.permits_insecure;
            (
                (kind, is_pattern, conditions),
                ResolvedRoute { candidate, chain, action, not_evaluated, permits_insecure },
            )
        };
        vec![variant(prefix.clone(), plain), variant(format!("{prefix}/"), slashed)]
    };
    expanded.into_iter().flat_map(variants).collect()
}

/// The prefix of a route without a slash at its end; `None` for `/`.
fn prefix<'r>(route: &'r ResolvedRoute<'_>) -> Option<&'r str> {
    match &route.candidate.path {
        PathTest::Begins(prefix) => Some(prefix.trim_end_matches('/')).filter(|prefix| !prefix.is_empty()),
        _ => None,
    }
}
