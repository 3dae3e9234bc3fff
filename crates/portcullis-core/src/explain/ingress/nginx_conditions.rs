//! What an ingress-nginx distinguishes among the requests for one host.

use std::borrow::Cow;

use super::super::route_resolver::Condition;
use crate::matching::pattern::Pattern;
use crate::matching::predicate::TextTest;
use crate::matching::{Path, PathTest, PathType, ValueTest};
use crate::nginx::canary::Canary;
use crate::nginx::locations::{Match, ROOT};
use crate::nginx::{Location, Proxy};

/// The paths of the locations and those that nginx answers itself, what selects canaries, preflight requests, and the protocol that a proxy
/// in front says.
pub(super) fn of<'s>(proxy: &'s Proxy<'_>, host: &str) -> Vec<Condition<'s>> {
    let Some(server) = proxy.server(host) else { return Vec::new() };
    // A redirect of the root takes precedence over its location.
    let mut all = vec![Condition::of_path(exact(ROOT))];
    let is_regex = server.locations.are_expressions();
    let locations = server.locations.all();
    all.extend(locations.iter().flat_map(|location| paths(location, is_regex)).map(Condition::of_path));
    let canaries = locations.iter().filter_map(|location| proxy.canary_of(location.backend?));
    all.extend(canaries.flat_map(|(.., canary)| headers(canary)));
    if server.host == "_" {
        all.push(Condition::of_path(PathTest::Begins("/healthz".into())));
    }
    all.extend(preflight(proxy, locations));
    if proxy.controller.trusts_forwarded {
        let of_protocol = |protocol: &'static str| with_header("x-forwarded-proto", TextTest::Is(protocol.into()));
        all.extend(["http", "https"].map(of_protocol));
    }
    all
}

/// Preflight requests, without an origin and with each one that is allowed.
fn preflight<'s>(proxy: &'s Proxy<'_>, locations: &'s [Location<'_>]) -> Vec<Condition<'s>> {
    let allowed = locations.iter().filter_map(|location| proxy.settings_of(location)?.cors);
    let mut all = Vec::new();
    for origins in allowed {
        all.push(Condition { method: Some("OPTIONS"), ..Condition::of_path(PathTest::All) });
        for origin in origins.split(',').map(str::trim).filter(|origin| *origin != "*") {
            let test = TextTest::Is(origin.replace('*', "x").into());
            all.push(Condition { method: Some("OPTIONS"), ..with_header("origin", test) });
        }
    }
    all
}

fn with_header<'s>(name: &'static str, test: TextTest<'s>) -> Condition<'s> {
    Condition { headers: Cow::Owned(vec![ValueTest::new(name.into(), test)]), ..Condition::of_path(PathTest::All) }
}

/// The paths that reach a location, and the one that is redirected to it.
fn paths<'s>(location: &'s Location<'_>, is_regex: bool) -> Vec<PathTest<'s>> {
    let path = &*location.path;
    if is_regex {
        return vec![PathTest::Pattern(Pattern::of_beginning(path, true))];
    }
    let own = match location.kind {
        Match::Exact => exact(path),
        Match::Prefix => PathTest::Begins(path.into()),
    };
    let without_slash = path.strip_suffix('/').filter(|rest| !rest.is_empty());
    without_slash.map(exact).into_iter().chain([own]).collect()
}

fn exact(path: &str) -> PathTest<'_> {
    PathTest::Path(Path::new(PathType::Exact, Some(path)))
}

/// What selects a canary or its primary.
fn headers<'s>(canary: &Canary<'s>) -> Vec<Condition<'s>> {
    let mut tests: Vec<ValueTest<'s>> = Vec::new();
    if let Some(name) = canary.header {
        let name = name.to_ascii_lowercase().replace('_', "-");
        let mut test = |test| tests.push(ValueTest::new(Cow::Owned(name.clone()), test));
        match (canary.value, canary.pattern) {
            (Some(value), _) => test(TextTest::Is(value.into())),
            (None, Some(pattern)) => test(TextTest::Matches(Pattern::new(format!(".*(?:{pattern}).*")))),
            (None, None) => WORDS.into_iter().for_each(|word| test(TextTest::Is(word.into()))),
        }
    }
    // Clients send other cookies beside it.
    let of_cookie = |name: &str| {
        let beside = |word| [format!("{name}={word}"), format!("other=1; {name}={word}")];
        WORDS.into_iter().flat_map(beside).map(|text| TextTest::Is(text.into())).collect::<Vec<_>>()
    };
    let cookies = canary.cookie.into_iter().flat_map(of_cookie);
    tests.extend(cookies.map(|test| ValueTest::new("cookie".into(), test)));
    let of_test = |test| Condition { headers: Cow::Owned(vec![test]), ..Condition::of_path(PathTest::All) };
    tests.into_iter().map(of_test).collect()
}

/// The values of a header or cookie without a configured one.
const WORDS: [&str; 2] = ["always", "never"];
