//! The rule for matches of an HTTPRoute that repeat a match of an earlier rule of the same route.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::config::Theme;
use crate::finding::{Actions, Findings};
use crate::kinds::http_route::{HttpMatch, NameValueMatch, PathMatch};
use crate::kinds::{HttpRoute, walk};
use crate::validation::{Rule, RuleFn};

/// The rule for repeated matches.
pub const RULES: &[Rule] = &[Rule {
    theme: Theme::Conflict,
    ..Rule::reported(
        "http-route/rule-shadowed",
        include_str!("../../checks/http_route/rule_shadowed.md"),
        Actions::WARN,
        RuleFn::HttpRoute(rule_shadowed),
    )
}];

/// The maximum number of entries that are compared. A longer list is rejected because of its length.
const COMPARED: usize = 16;

fn rule_shadowed(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    // A rule without matches matches every request.
    let everything = [HttpMatch::default()];
    let (hasher, mut seen) = (DefaultHashBuilder::default(), HashMap::new());
    // Headers and query parameters are compared only if another match has the same path and method.
    let matches = route.spec.rules().iter().map(|rule| rule.matches.len().max(1)).sum();
    let mut groups: HashMap<_, Group> = HashMap::with_capacity(matches);
    // The fingerprints already reported for the current rule, so that equal matches of one rule are reported once.
    let mut reported = HashSet::new();
    for (at, rule, index) in walk::rule::http_rules(route) {
        reported.clear();
        let matches = if rule.matches.is_empty() { &everything } else { &rule.matches[..] };
        for (position, matched) in matches.iter().enumerate() {
            let group = match groups.entry((path(matched), matched.method.as_deref())) {
                Entry::Vacant(entry) => {
                    entry.insert(Group { first: (index, position), is_seen: false });
                    continue;
                }
                Entry::Occupied(entry) => entry.into_mut(),
            };
            if !group.is_seen {
                let first = fingerprint(at_position(route, group.first).unwrap_or(&everything[0]), &hasher);
                seen.entry(first).or_insert(group.first);
                group.is_seen = true;
            }
            let own = fingerprint(matched, &hasher);
            let first = *seen.entry(own).or_insert((index, position));
            if first.0 == index || !reported.insert(own) {
                continue;
            }
            if same(at_position(route, first).unwrap_or(&everything[0]), matched) {
                let (path, rule) = (matched.path.as_ref().map_or("/", |path| path.value()), first.0.to_string());
                let template = "the match of `{}` is already in rule {}, which gets its requests: remove it here";
                found.duplicate(at.child("matches"), path, template).args([path, &rule]);
            }
        }
    }
}

/// The matches with one path and one method.
struct Group {
    /// The indexes of the rule and the match that come first.
    first: (usize, usize),
    /// Whether the fingerprint of the first match is already in `seen`.
    is_seen: bool,
}

/// The match at the indexes of a rule and a match; `None` if it is not written in the manifest.
fn at_position<'o, 'a>(route: &'o HttpRoute<'a>, (rule, position): (usize, usize)) -> Option<&'o HttpMatch<'a>> {
    route.spec.rules().get(rule)?.matches.get(position)
}

/// A number that is the same for equal matches.
fn fingerprint(matched: &HttpMatch<'_>, hasher: &DefaultHashBuilder) -> u64 {
    let value = |value: &NameValueMatch<'_>, fold: fn(&u8) -> u8| {
        let mut state = hasher.build_hasher();
        value.name.bytes().for_each(|byte| state.write_u8(fold(&byte)));
        (value.kind(), &*value.value).hash(&mut state);
        state.finish()
    };
    let headers = matched.headers.iter().map(|header| value(header, u8::to_ascii_lowercase));
    let parameters = matched.query_params.iter().map(|parameter| !value(parameter, |byte| *byte));
    // The order within both lists is irrelevant, so the hashes are added.
    let values = headers.chain(parameters).fold(0, u64::wrapping_add);
    hasher.hash_one((path(matched), matched.method.as_deref(), values))
}

/// Whether two matches match the same requests.
fn same(one: &HttpMatch<'_>, other: &HttpMatch<'_>) -> bool {
    let alike = |one: &[NameValueMatch<'_>], other: &[NameValueMatch<'_>], named: fn(&str, &str) -> bool| {
        let is_in = |value: &NameValueMatch<'_>| {
            let equal = |is: &NameValueMatch<'_>| {
                named(&is.name, &value.name) && is.kind() == value.kind() && is.value == value.value
            };
            other.iter().any(equal)
        };
        one.len() <= COMPARED && one.len() == other.len() && one.iter().all(is_in)
    };
    path(one) == path(other)
        && one.method == other.method
        && alike(&one.headers, &other.headers, str::eq_ignore_ascii_case)
        && alike(&one.query_params, &other.query_params, |one, other| one == other)
}

/// The type and the path. A trailing `/` of a prefix has no effect and is removed.
fn path<'o>(matched: &'o HttpMatch<'_>) -> (&'o str, &'o str) {
    let (kind, value) =
        matched.path.as_ref().map_or(("PathPrefix", "/"), |path: &PathMatch<'_>| (path.kind(), path.value()));
    (kind, if kind == "PathPrefix" { value.trim_end_matches('/') } else { value })
}
