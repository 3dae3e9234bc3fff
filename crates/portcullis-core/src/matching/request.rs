//! The conditions of a route's matches, each as one canonical text. Two matches with equal texts match the same
//! requests.

use std::borrow::Cow;

use super::{Path, PathType, simple_expression};
use crate::field::At;
use crate::kinds::grpc_route::GrpcMatch;
use crate::kinds::http_route::{HttpMatch, NameValueMatch, PathMatch};
use crate::kinds::{Route, Text};

/// One match of a route, or the implicit match of a rule or route without matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalMatch<'o> {
    /// The match, or the rule or list of rules without matches.
    pub at: At,
    /// Path or method, headers and query parameters in canonical form.
    pub key: Box<str>,
    /// The path, or the method with its service, as written.
    pub display: Cow<'o, str>,
}

/// The matches of an HTTPRoute or GRPCRoute, in document order. Other routes accept whole connections and have none.
pub fn canonical_matches<'o>(route: &Route<'o, '_>) -> Vec<CanonicalMatch<'o>> {
    let mut all = Vec::new();
    match route {
        Route::Http(route) if route.spec.rules.is_none() => {
            all.push(CanonicalMatch::http(At::field("spec.rules"), None))
        }
        Route::Http(route) => {
            for (index, rule) in route.spec.rules().iter().enumerate() {
                each(index, &rule.matches, &mut all, CanonicalMatch::http);
            }
        }
        Route::Grpc(route) => {
            for (index, rule) in route.spec.rules.iter().enumerate() {
                each(index, &rule.matches, &mut all, CanonicalMatch::grpc);
            }
        }
        Route::L4(..) => {}
    }
    all
}

/// Adds the matches of the rule at `index`, or a match for everything if it has none.
fn each<'o, M>(
    index: usize,
    matches: &'o [M],
    all: &mut Vec<CanonicalMatch<'o>>,
    one: fn(At, Option<&'o M>) -> CanonicalMatch<'o>,
) {
    if matches.is_empty() {
        all.push(one(At::element("spec.rules[]", [index]), None));
    }
    let at = |position| At::element("spec.rules[].matches[]", [index, position]);
    all.extend(matches.iter().enumerate().map(|(position, matched)| one(at(position), Some(matched))));
}

impl<'o> CanonicalMatch<'o> {
    fn http(at: At, matched: Option<&'o HttpMatch<'_>>) -> Self {
        let path = matched.and_then(|matched| matched.path.as_ref());
        let written = (path.map_or("PathPrefix", PathMatch::kind), path.map_or("/", PathMatch::value));
        Self { at, key: http_key(written, matched), display: written.1.into() }
    }

    fn grpc(at: At, matched: Option<&'o GrpcMatch<'_>>) -> Self {
        let [service, name] = method_parts(matched);
        let any = |text: &'o str| if text.is_empty() { "*" } else { text };
        let headers = matched.map_or(&[][..], |matched| &matched.headers);
        Self { at, key: grpc_key(matched, headers), display: format!("{}/{}", any(service), any(name)).into() }
    }
}

/// A match that takes precedence over another one and matches a part of its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NarrowerMatch<'o> {
    /// The match.
    pub matched: CanonicalMatch<'o>,
    /// The keys of matches over which it takes precedence: of the same path or method with fewer conditions, and for an Exact path
    /// or such an expression of the prefix.
    pub wider: Vec<Box<str>>,
    /// Whether it has conditions beside path or method.
    pub has_conditions: bool,
}

/// Whether `narrower_matches` may have elements.
pub fn has_narrower_matches(route: &Route<'_, '_>) -> bool {
    match route {
        Route::Http(route) => {
            let mut matches = positions(route.spec.rules(), |rule| &rule.matches);
            matches.any(|(.., matched)| has_conditions(matched) || !is_prefix(matched))
        }
        Route::Grpc(route) => {
            let mut matches = positions(&route.spec.rules, |rule| &rule.matches);
            matches.any(|(.., matched)| !matched.headers.is_empty() || is_every_method(matched))
        }
        Route::L4(..) => false,
    }
}

/// The matches of a route that take precedence over others with the same path or method: those with conditions on method, headers
/// or query parameters, those with an Exact path, and those whose expression says no more than a prefix.
pub fn narrower_matches<'o>(route: &Route<'o, '_>) -> Vec<NarrowerMatch<'o>> {
    let at = |rule, position| At::element("spec.rules[].matches[]", [rule, position]);
    let mut all = Vec::new();
    match route {
        Route::Http(route) => {
            for (rule, position, matched) in positions(route.spec.rules(), |rule| &rule.matches) {
                let (wider, has_conditions) = wider_http(matched);
                let matched = || CanonicalMatch::http(at(rule, position), Some(matched));
                all.extend((!wider.is_empty()).then(|| NarrowerMatch { matched: matched(), wider, has_conditions }));
            }
        }
        Route::Grpc(route) => {
            for (rule, position, matched) in positions(&route.spec.rules, |rule| &rule.matches) {
                let wider = wider_grpc(matched);
                let has_conditions = !matched.headers.is_empty();
                let matched = || CanonicalMatch::grpc(at(rule, position), Some(matched));
                all.extend((!wider.is_empty()).then(|| NarrowerMatch { matched: matched(), wider, has_conditions }));
            }
        }
        Route::L4(..) => {}
    }
    all
}

/// Each match with the indexes of its rule and of itself.
fn positions<'o, R, M: 'o>(
    rules: &'o [R],
    matches: impl Fn(&'o R) -> &'o [M],
) -> impl Iterator<Item = (usize, usize, &'o M)> {
    let rules = rules.iter().enumerate();
    rules.flat_map(move |(rule, written)| (0..).zip(matches(written)).map(move |(position, one)| (rule, position, one)))
}

/// The keys of the matches over which `matched` takes precedence: with fewer headers, and for an expression that matches every method
/// those without a method.
fn wider_grpc(matched: &GrpcMatch<'_>) -> Vec<Box<str>> {
    let headers = &matched.headers;
    let mut wider: Vec<_> = fewer(headers).map(|headers| grpc_key(Some(matched), &headers)).collect();
    if !headers.is_empty() {
        wider.push(grpc_key(Some(matched), &[]));
    }
    if is_every_method(matched) {
        wider.push(grpc_key(None, headers));
    }
    wider
}

/// Whether it tests the method with expressions that match every method.
fn is_every_method(matched: &GrpcMatch<'_>) -> bool {
    let is_expression = matched.method.as_ref().is_some_and(|method| method.kind() == "RegularExpression");
    let is_every = |part: &str| ["", ".*", ".+", "(.*)", "(.+)"].contains(&part);
    is_expression && method_parts(Some(matched)).into_iter().all(is_every) && method_parts(Some(matched)) != ["", ""]
}

/// The conditions without one of them, and each alone; none if there are fewer than two.
fn fewer<'m>(all: &[NameValueMatch<'m>]) -> impl Iterator<Item = Vec<NameValueMatch<'m>>> {
    let number = if all.len() < 2 { 0 } else { all.len() };
    let without = (0..number).map(|left| {
        let kept = all.iter().enumerate().filter(|(position, _)| *position != left);
        kept.map(|(_, one)| one.clone()).collect()
    });
    let alone = (0..number).filter(move |_| number > 2).map(|kept| vec![all[kept].clone()]);
    without.chain(alone)
}

/// The keys of the matches over which `matched` takes precedence, and whether it has conditions.
fn wider_http(matched: &HttpMatch<'_>) -> (Vec<Box<str>>, bool) {
    let path = matched.path.as_ref();
    let written = (path.map_or("PathPrefix", PathMatch::kind), path.map_or("/", PathMatch::value));
    let has_conditions = has_conditions(matched);
    let mut wider = Vec::new();
    if has_conditions {
        wider.push(http_key(written, None));
    }
    let (method, headers, query) = (&matched.method, &matched.headers, &matched.query_params);
    let of = |method: &Option<Text<'_>>, headers: &[NameValueMatch<'_>], query: &[NameValueMatch<'_>]| {
        let (method, headers, query_params) = (method.clone(), headers.to_vec(), query.to_vec());
        http_key(written, Some(&HttpMatch { path: None, method, headers, query_params }))
    };
    if has_values(matched) && method.is_some() {
        wider.extend([of(method, &[], &[]), of(&None, headers, query)]);
    }
    if !headers.is_empty() && !query.is_empty() {
        wider.extend([of(method, headers, &[]), of(method, &[], query)]);
    }
    wider.extend(fewer(headers).map(|fewer| of(method, &fewer, query)));
    wider.extend(fewer(query).map(|fewer| of(method, headers, &fewer)));
    match written.0 {
        "Exact" => wider.push(http_key(("PathPrefix", written.1), None)),
        "RegularExpression" => {
            // Proxies evaluate an expression before prefixes, or the longer of both.
            let prefix = simple_expression::every_path_after(written.1).filter(|prefix| prefix.len() < written.1.len());
            wider.extend(prefix.map(|prefix| http_key(("PathPrefix", prefix), None)));
        }
        _ => {}
    }
    (wider, has_conditions)
}

fn has_conditions(matched: &HttpMatch<'_>) -> bool {
    has_values(matched) || matched.method.is_some()
}

/// Whether it has conditions on headers or query parameters.
fn has_values(matched: &HttpMatch<'_>) -> bool {
    !matched.headers.is_empty() || !matched.query_params.is_empty()
}

fn is_prefix(matched: &HttpMatch<'_>) -> bool {
    matched.path.as_ref().is_none_or(|path| path.kind() == "PathPrefix")
}

/// The key of a match with this type and text of a path; the path of `matched` is not looked at.
fn http_key((kind, value): (&str, &str), matched: Option<&HttpMatch<'_>>) -> Box<str> {
    let mut key = String::with_capacity(USUAL_LENGTH);
    key.push_str("http");
    match kind {
        "PathPrefix" => part(&mut key, 'p', [&Path::new(PathType::Prefix, Some(value)).text]),
        kind => part(&mut key, 't', [kind, value]),
    }
    if let Some(matched) = matched {
        if let Some(method) = &matched.method {
            part(&mut key, 'm', [method]);
        }
        values(&mut key, 'h', &matched.headers, in_lower_case);
        values(&mut key, 'q', &matched.query_params, |name| Cow::Borrowed(name));
    }
    key.into()
}

/// The service and the name of the method of a match, empty where there is none.
fn method_parts<'o>(matched: Option<&'o GrpcMatch<'_>>) -> [&'o str; 2] {
    let method = matched.and_then(|matched| matched.method.as_ref());
    [
        method.and_then(|method| method.service.as_deref()).unwrap_or_default(),
        method.and_then(|method| method.method.as_deref()).unwrap_or_default(),
    ]
}

/// The key of a match with the method of `matched` and these headers.
fn grpc_key(matched: Option<&GrpcMatch<'_>>, headers: &[NameValueMatch<'_>]) -> Box<str> {
    let method = matched.and_then(|matched| matched.method.as_ref());
    let [service, name] = method_parts(matched);
    let mut key = String::with_capacity(USUAL_LENGTH);
    key.push_str("grpc");
    // A method match without service and method matches everything, regardless of its type.
    if let Some(method) = method.filter(|_| !(service.is_empty() && name.is_empty())) {
        part(&mut key, 't', [method.kind(), service, name]);
    }
    values(&mut key, 'h', headers, in_lower_case);
    key.into()
}

/// The length below which the keys of most matches are, in bytes.
const USUAL_LENGTH: usize = 256;

fn in_lower_case(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    }
}

/// Adds names with their values, ordered by name. Of two entries with the same name, the first counts, as the API
/// specifies.
fn values(key: &mut String, sign: char, all: &[NameValueMatch<'_>], name: fn(&str) -> Cow<'_, str>) {
    let mut sorted: Vec<_> = all.iter().map(|entry| (name(&entry.name), entry)).collect();
    sorted.sort_by(|(left, _), (right, _)| left.cmp(right));
    sorted.dedup_by(|(later, _), (earlier, _)| later == earlier);
    for (name, entry) in sorted {
        part(key, sign, [&*name, entry.kind(), &entry.value]);
    }
}

/// Adds each text after its length, so that different lists of texts never result in the same key.
fn part<const N: usize>(key: &mut String, sign: char, texts: [&str; N]) {
    key.push(sign);
    for text in texts {
        key.push_str(itoa::Buffer::new().format(text.len()));
        key.push(':');
        key.push_str(text);
    }
}

/// Whether some requests match both of two different matches, given by their keys, and nothing but the age of their routes decides
/// between them: they have the same path or method and as many conditions, of which none excludes one of the other. Expressions for one
/// name are taken to exclude each other.
pub fn ties(one: &str, other: &str) -> bool {
    let (one, other) = (parts(one), parts(other));
    let of = |all: &[Part<'_>], sign: &str| all.iter().filter(|part| part.sign == sign).count();
    let is_value = |part: &&Part<'_>| matches!(part.sign, "h" | "q");
    let excludes = |part: &Part<'_>| {
        let mut same = other.iter().filter(|theirs| (theirs.sign, theirs.name) == (part.sign, part.name));
        same.any(|theirs| theirs.text != part.text)
    };
    one != other
        && one.iter().filter(|part| !is_value(part)).eq(other.iter().filter(|part| !is_value(part)))
        && ["h", "q"].into_iter().all(|sign| of(&one, sign) == of(&other, sign))
        && !one.iter().filter(is_value).any(excludes)
}

/// The type and the value of the path in the key of a match of an HTTPRoute, as written but for slashes at the end of a prefix.
pub fn written_path(key: &str) -> Option<(&str, &str)> {
    let part = parts(key).into_iter().next().filter(|_| key.starts_with("http"))?;
    match part.sign {
        "p" => Some(("PathPrefix", part.name)),
        "t" => Some((part.name, part.last)),
        _ => None,
    }
}

/// A condition in a key.
#[derive(Debug, PartialEq, Eq)]
struct Part<'k> {
    sign: &'k str,
    /// The first text: the name of a header or query parameter.
    name: &'k str,
    /// The last text.
    last: &'k str,
    /// All texts with their lengths.
    text: &'k str,
}

/// The conditions in a key, after the word for its kind.
fn parts(key: &str) -> Vec<Part<'_>> {
    let mut rest = key.get(KIND..).unwrap_or_default();
    let mut parts = Vec::new();
    while let Some((sign, whole)) = rest.split_at_checked(1) {
        let (mut after, mut name, mut last) = (whole, None, "");
        while let Some((length, text)) = after.split_once(':')
            && let Ok(length) = length.parse::<usize>()
            && let Some((text, next)) = text.split_at_checked(length)
        {
            name = name.or(Some(text));
            (last, after) = (text, next);
        }
        let text = &whole[..whole.len() - after.len()];
        parts.push(Part { sign, name: name.unwrap_or_default(), last, text });
        rest = after;
    }
    parts
}

/// The length of the word with which a key begins, `http` or `grpc`.
const KIND: usize = 4;

#[cfg(test)]
mod tests;
