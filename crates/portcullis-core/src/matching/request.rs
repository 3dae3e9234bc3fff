//! The conditions of a route's matches, each as one canonical text. Two matches with equal texts match the same
//! requests.

use std::borrow::Cow;

use super::{Path, PathType};
use crate::field::At;
use crate::kinds::Route;
use crate::kinds::grpc_route::GrpcMatch;
use crate::kinds::http_route::{HttpMatch, NameValueMatch, PathMatch};

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
        let mut key = String::with_capacity(USUAL_LENGTH);
        key.push_str("http");
        match path.map_or("PathPrefix", PathMatch::kind) {
            "PathPrefix" => {
                let path = Path::new(PathType::Prefix, path.map(PathMatch::value));
                part(&mut key, 'p', [&path.text]);
            }
            kind => part(&mut key, 't', [kind, path.map_or("/", PathMatch::value)]),
        }
        if let Some(matched) = matched {
            if let Some(method) = &matched.method {
                part(&mut key, 'm', [method]);
            }
            values(&mut key, 'h', &matched.headers, in_lower_case);
            values(&mut key, 'q', &matched.query_params, |name| Cow::Borrowed(name));
        }
        Self { at, key: key.into(), display: path.map_or("/", PathMatch::value).into() }
    }

    fn grpc(at: At, matched: Option<&'o GrpcMatch<'_>>) -> Self {
        let method = matched.and_then(|matched| matched.method.as_ref());
        let service = method.and_then(|method| method.service.as_deref()).unwrap_or_default();
        let name = method.and_then(|method| method.method.as_deref()).unwrap_or_default();
        let mut key = String::with_capacity(USUAL_LENGTH);
        key.push_str("grpc");
        // A method match without service and method matches everything, regardless of its type.
        if let Some(method) = method.filter(|_| !(service.is_empty() && name.is_empty())) {
            part(&mut key, 't', [method.kind(), service, name]);
        }
        if let Some(matched) = matched {
            values(&mut key, 'h', &matched.headers, in_lower_case);
        }
        let any = |text: &'o str| if text.is_empty() { "*" } else { text };
        Self { at, key: key.into(), display: format!("{}/{}", any(service), any(name)).into() }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Kind, decode};

    /// The keys of the matches, given as JSON, of one rule.
    fn keys(kind: Kind, matches: &str) -> Vec<Box<str>> {
        let json = format!(r#"{{"spec": {{"rules": [{{"matches": {matches}}}]}}}}"#);
        let object = decode(kind, &json).expect("a route");
        canonical_matches(&object.route().expect("a route")).into_iter().map(|matched| matched.key).collect()
    }

    #[test]
    fn spelling_does_not_tell_matches_apart() {
        let all = r#"[{}, {"path": {}}, {"path": {"type": "PathPrefix", "value": "/"}}, {"headers": [], "queryParams": null}]"#;
        let all = [keys(Kind::HttpRoute, all), keys(Kind::HttpRoute, "[]")].concat();
        assert_eq!(all.len(), 5);
        assert!(all.iter().all(|key| *key == all[0]), "{all:?}");
        let headers = r#"[
            {"headers": [{"name": "X-A", "value": "1"}, {"name": "x-b", "value": "2"}, {"name": "x-a", "value": "3"}], "path": {"value": "/a/"}},
            {"headers": [{"name": "X-B", "value": "2", "type": "Exact"}, {"name": "x-a", "value": "1"}], "path": {"value": "/a"}}]"#;
        let headers = keys(Kind::HttpRoute, headers);
        assert_eq!(headers[0], headers[1]);
        let grpc = keys(Kind::GrpcRoute, r#"[{}, {"method": {}}, {"method": {"type": "RegularExpression"}}]"#);
        assert!(grpc.iter().all(|key| *key == grpc[0]), "{grpc:?}");
    }

    #[test]
    fn every_condition_tells_matches_apart() {
        let all = r#"[{}, {"path": {"type": "Exact"}}, {"path": {"type": "RegularExpression"}}, {"path": {"value": "/A"}},
            {"path": {"value": "/a"}}, {"method": "GET"}, {"method": "POST"}, {"headers": [{"name": "a", "value": "b"}]},
            {"headers": [{"name": "a", "value": "B"}]}, {"headers": [{"name": "a", "value": "b", "type": "RegularExpression"}]},
            {"queryParams": [{"name": "a", "value": "b"}]}, {"queryParams": [{"name": "A", "value": "b"}]},
            {"path": {"value": "/m3:GET"}}, {"headers": [{"name": "a", "value": "b"}, {"name": "c", "value": "d"}]},
            {"headers": [{"name": "a", "value": "bh1:c5:Exact1:d"}]}]"#;
        let http = keys(Kind::HttpRoute, all);
        let grpc = r#"[{}, {"method": {"service": "a"}}, {"method": {"method": "a"}}, {"method": {"service": "A"}},
            {"method": {"service": "a", "type": "RegularExpression"}}, {"headers": [{"name": "a", "value": "b"}]}]"#;
        let all = [http, keys(Kind::GrpcRoute, grpc)].concat();
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len(), "{all:?}");
    }
}
