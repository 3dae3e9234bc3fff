//! `http-route/rule-shadowed`

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::http_route::{HttpMatch, PathMatch, ValueMatch};
use crate::kinds::{HttpRoute, walk};

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 16;

pub static CHECK: Check = Check {
    id: "http-route/rule-shadowed",
    page: include_str!("rule_shadowed.md"),
    run: Run::HttpRoute(check),
    ..Check::conflict(Actions::WARN)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // A rule without matches takes everything.
    let everything = [HttpMatch::default()];
    let (hasher, mut seen) = (DefaultHashBuilder::default(), HashMap::new());
    // The headers and parameters are looked at only where path and method stand elsewhere too.
    let matches = route.spec.rules().iter().map(|rule| rule.matches.len().max(1)).sum();
    let mut asked: HashMap<_, Asked> = HashMap::with_capacity(matches);
    // What was told of the rule at hand, so that matches which are the same are told once.
    let mut told = HashSet::new();
    for (at, rule, index) in walk::rule::http_rules(route) {
        told.clear();
        let matches = if rule.matches.is_empty() { &everything } else { &rule.matches[..] };
        for (position, matched) in matches.iter().enumerate() {
            let asked = match asked.entry((path(matched), matched.method.as_deref())) {
                Entry::Vacant(entry) => {
                    entry.insert(Asked { first: (index, position), is_printed: false });
                    continue;
                }
                Entry::Occupied(entry) => entry.into_mut(),
            };
            if !asked.is_printed {
                let print = print(at_position(route, asked.first).unwrap_or(&everything[0]), &hasher);
                seen.entry(print).or_insert(asked.first);
                asked.is_printed = true;
            }
            let print = print(matched, &hasher);
            let first = *seen.entry(print).or_insert((index, position));
            if first.0 == index || !told.insert(print) {
                continue;
            }
            if same(at_position(route, first).unwrap_or(&everything[0]), matched) {
                let (path, rule) = (matched.path.as_ref().map_or("/", |path| path.value()), first.0.to_string());
                let message = "a match of `{}` that rule {} takes already: this one never serves it";
                found.duplicate(at.then("matches"), path, message).args([path, &rule]);
            }
        }
    }
}

/// The first match for a path and a method.
struct Asked {
    first: (usize, usize),
    /// Whether its print is among those seen.
    is_printed: bool,
}

/// The match at the positions of its rule and itself, if it is written.
fn at_position<'o, 'a>(route: &'o HttpRoute<'a>, (rule, position): (usize, usize)) -> Option<&'o HttpMatch<'a>> {
    route.spec.rules().get(rule)?.matches.get(position)
}

/// A number that equal matches share.
fn print(matched: &HttpMatch<'_>, hasher: &DefaultHashBuilder) -> u64 {
    let value = |value: &ValueMatch<'_>, fold: fn(&u8) -> u8| {
        let mut state = hasher.build_hasher();
        value.name.bytes().for_each(|byte| state.write_u8(fold(&byte)));
        (value.kind(), &*value.value).hash(&mut state);
        state.finish()
    };
    let headers = matched.headers.iter().map(|header| value(header, u8::to_ascii_lowercase));
    let parameters = matched.query_params.iter().map(|parameter| !value(parameter, |byte| *byte));
    // Neither list has an order.
    let values = headers.chain(parameters).fold(0, u64::wrapping_add);
    hasher.hash_one((path(matched), matched.method.as_deref(), values))
}

/// Whether two matches take the same requests.
fn same(one: &HttpMatch<'_>, other: &HttpMatch<'_>) -> bool {
    let alike = |one: &[ValueMatch<'_>], other: &[ValueMatch<'_>], named: fn(&str, &str) -> bool| {
        let is_in = |value: &ValueMatch<'_>| {
            let equal = |is: &ValueMatch<'_>| {
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

/// The path as it counts: at the end of a prefix a slash does not.
fn path<'o>(matched: &'o HttpMatch<'_>) -> (&'o str, &'o str) {
    let (kind, value) =
        matched.path.as_ref().map_or(("PathPrefix", "/"), |path: &PathMatch<'_>| (path.kind(), path.value()));
    (kind, if kind == "PathPrefix" { value.trim_end_matches('/') } else { value })
}
