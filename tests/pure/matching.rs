//! Compares the algebra of hosts and paths with oracles that share no code with it. They treat labels and elements as
//! lists, and try requests.

use portcullis_core::kinds::ingress::{Http, HttpPath, IngressRule, IngressSpec};
use portcullis_core::kinds::{Ingress, Text};
use portcullis_core::matching::route::{self, DuplicateRoutes};
use portcullis_core::matching::{Depth, Host, Path, PathType};
use proptest::prelude::*;
use proptest::sample::subsequence;
use std::collections::BTreeSet;

/// Few enough labels that all hosts can be tried. One label is the suffix of another, so that label boundaries matter.
const LABELS: [&str; 3] = ["a", "b", "ab"];
const DEPTHS: [Depth; 2] = [Depth::OneLabel, Depth::AnyLabels];

/// Every sequence of `words` whose length is in `lengths`.
fn sequences<'w>(words: &[&'w str], lengths: std::ops::RangeInclusive<usize>) -> Vec<Vec<&'w str>> {
    let longer = |shorter: &Vec<Vec<&'w str>>| -> Vec<Vec<&'w str>> {
        shorter.iter().flat_map(|first| words.iter().map(move |word| [first.as_slice(), &[word]].concat())).collect()
    };
    let of_length = |length| (0..length).fold(vec![Vec::new()], |shorter, _| longer(&shorter));
    lengths.flat_map(of_length).collect()
}

/// Every name of up to four labels, for the hosts of requests.
fn requested_hosts() -> Vec<Vec<&'static str>> {
    sequences(&LABELS, 1..=4)
}

/// Every host of a rule with up to three labels besides a `*`, which is one less than in requests.
fn named_hosts() -> Vec<String> {
    let names: Vec<_> = sequences(&LABELS, 1..=3).iter().map(|labels| labels.join(".")).collect();
    let wildcards = names.iter().map(|name| format!("*.{name}"));
    std::iter::once(String::new()).chain(wildcards).chain(names.iter().cloned()).collect()
}

/// Whether the host `named` matches a request for the name with these labels, label by label.
fn host_takes(named: &str, request: &[&str], depth: Depth) -> bool {
    let labels: Vec<&str> = named.split('.').collect();
    match labels.as_slice() {
        [""] => true,
        ["*", suffix @ ..] => {
            let wild = request.len().saturating_sub(suffix.len());
            request.ends_with(suffix) && if depth == Depth::OneLabel { wild == 1 } else { wild >= 1 }
        }
        precise => precise == request,
    }
}

#[test]
fn host_matches_requests_by_labels() {
    for named in named_hosts() {
        let host = Host::parse(&named);
        for (request, depth) in requested_hosts().iter().flat_map(|request| DEPTHS.map(|depth| (request, depth))) {
            let name = request.join(".");
            assert_eq!(host.matches(&name, depth), host_takes(&named, request, depth), "{named} {name} {depth:?}");
        }
    }
}

#[test]
fn covers_and_overlaps_agree_with_requests() {
    let requests = requested_hosts();
    for depth in DEPTHS {
        let matches = |named: &String| -> Vec<bool> {
            requests.iter().map(|request| host_takes(named, request, depth)).collect()
        };
        let hosts: Vec<_> = named_hosts().into_iter().map(|named| (matches(&named), named)).collect();
        for ((first, one), (second, other)) in
            hosts.iter().flat_map(|host| hosts.iter().map(move |other| (host, other)))
        {
            let both = || first.iter().zip(second);
            let (host, against) = (Host::parse(one), Host::parse(other));
            let covers = both().all(|(first, second)| *first || !*second);
            assert_eq!(host.covers(&against, depth), covers, "{host} covers {against} {depth:?}");
            let overlaps = both().any(|(first, second)| *first && *second);
            assert_eq!(host.overlaps(&against, depth), overlaps, "{host} overlaps {against} {depth:?}");
        }
    }
}

#[test]
fn letter_case_and_trailing_dot_do_not_distinguish_hosts() {
    proptest!(config(), |(name in r"(\*\.)?[a-z0-9-]{1,5}(\.[a-z0-9-]{1,5}){0,3}", capitals in any::<u32>(), dot in any::<bool>())| {
        let capital = |(index, letter): (usize, char)| match capitals >> index & 1 {
            0 => letter,
            _ => letter.to_ascii_uppercase(),
        };
        let spelled: String = name.chars().enumerate().map(capital).chain(dot.then_some('.')).collect();
        prop_assert_eq!(Host::parse(&spelled), Host::parse(&name));
        prop_assert_eq!(Host::parse(&spelled).to_string(), name);
    });
}

#[test]
fn host_examples_of_kep_758_hold() {
    let wildcard = Host::parse("*.foo.com");
    for (request, is_matched) in [("bar.foo.com", true), ("aaa.bbb.foo.com", false), ("foo.com", false)] {
        assert_eq!(wildcard.matches(request, Depth::OneLabel), is_matched, "{request}");
    }
}

/// The elements of a path: the texts after each `/`.
fn elements(path: &str) -> Vec<&str> {
    path.split('/').skip(1).collect()
}

/// Whether the path `written` matches `request`, element by element. A trailing `/` of a prefix is ignored.
fn path_takes(kind: PathType, written: &str, request: &str) -> bool {
    let (mut rule, request) = (elements(written), elements(request));
    if kind == PathType::Exact {
        return rule == request;
    }
    if rule.last() == Some(&"") {
        rule.pop();
    }
    request.starts_with(&rule)
}

/// Every path of up to four elements, including empty ones, for the paths of requests.
fn requested_paths() -> Vec<String> {
    sequences(&["", "a", "b", "ab"], 1..=4).iter().map(|elements| format!("/{}", elements.join("/"))).collect()
}

/// Every path of a rule with up to three elements, with and without a trailing `/`.
fn named_paths() -> Vec<(PathType, String)> {
    let paths: Vec<_> = sequences(&LABELS, 1..=3).iter().map(|elements| format!("/{}", elements.join("/"))).collect();
    let slashed = paths.iter().map(|path| format!("{path}/"));
    let written: Vec<_> = std::iter::once("/".to_owned()).chain(slashed).chain(paths.iter().cloned()).collect();
    let of = |kind| written.iter().map(move |path| (kind, path.clone()));
    of(PathType::Exact).chain(of(PathType::Prefix)).collect()
}

#[test]
fn path_matches_requests_by_elements() {
    for (kind, written) in named_paths() {
        let path = Path::new(kind, Some(&written));
        for request in requested_paths() {
            assert_eq!(
                path.matches(&request),
                Some(path_takes(kind, &written, &request)),
                "{kind} {written} {request}"
            );
        }
    }
}

#[test]
fn paths_are_equal_where_they_match_the_same_requests() {
    let requests = requested_paths();
    let with_matches = |(kind, written): (PathType, String)| {
        let matches: Vec<bool> = requests.iter().map(|request| path_takes(kind, &written, request)).collect();
        (kind, written, matches)
    };
    let paths: Vec<_> = named_paths().into_iter().map(with_matches).collect();
    for (one, other) in paths.iter().flat_map(|one| paths.iter().map(move |other| (one, other))) {
        let equal = Path::new(one.0, Some(&one.1)) == Path::new(other.0, Some(&other.1));
        assert_eq!(equal, one.2 == other.2, "{} {} and {} {}", one.0, one.1, other.0, other.1);
    }
}

#[test]
fn any_path_is_compared_element_by_element() {
    let kind = prop_oneof![Just(PathType::Exact), Just(PathType::Prefix)];
    // A request that begins with the rule, and one that may be unrelated.
    let rule = r"(/[a-bé%.;]{1,3}){0,4}/?";
    let tail = r"[a-b]{0,2}(/[a-bé%.;]{0,3}){0,3}";
    let strange = r"(/[a-bé%.;]{0,3}){1,5}";
    proptest!(config(), |(kind in kind, rule in rule, tail in tail, strange in strange)| {
        let rule = if rule.is_empty() { "/" } else { &rule };
        let path = Path::new(kind, Some(rule));
        for request in [format!("{rule}{tail}"), strange] {
            prop_assert_eq!(path.matches(&request), Some(path_takes(kind, rule, &request)), "{}", request);
        }
    });
}

#[test]
fn path_table_of_kep_758_holds() {
    for (written, requests, answer) in portcullis_testing::kep_table::ROWS {
        let paths: Vec<_> = written.iter().map(|(kind, path)| Path::new(*kind, Some(path))).collect();
        for request in requests {
            let matching = paths.iter().enumerate().filter(|(_, path)| path.matches(request) == Some(true));
            let greatest = matching.max_by_key(|(_, path)| *path).map(|(index, _)| index);
            assert_eq!(greatest, answer, "{written:?} {request}");
        }
    }
}

#[test]
fn implementation_specific_path_is_not_compared() {
    let pattern = Path::new(PathType::ImplementationSpecific, Some("/cart"));
    assert_eq!(pattern.matches("/cart"), None);
    assert_eq!(pattern.matches("/pay"), None);
}

/// The host, path type and path of a route, as in an Ingress.
type Written = (&'static str, &'static str, &'static str);

/// An Ingress with a rule for each route.
fn ingress(routes: &[Written]) -> Ingress<'static> {
    let rule = |(host, kind, path): &Written| {
        let path =
            HttpPath { path: Some(Text::from(*path)), path_type: Some(Text::from(*kind)), ..HttpPath::default() };
        IngressRule { host: Some(Text::from(*host)), http: Some(Http { paths: vec![path] }) }
    };
    let rules = routes.iter().map(rule).collect();
    Ingress { spec: IngressSpec { rules, ..IngressSpec::default() }, ..Ingress::default() }
}

/// Each pair of twins as text, sorted.
fn pairs(routes: &[Written]) -> Vec<String> {
    let ingress = ingress(routes);
    let routes = route::of_ingress(&ingress);
    let pair = |DuplicateRoutes { first, second, path }| {
        format!("{} {} {path}: {} {}", first.host, path.kind, first.written, second.written)
    };
    let mut pairs: Vec<_> = route::duplicates(&routes).into_iter().map(pair).collect();
    pairs.sort();
    pairs
}

/// The values that differ between routes that match different requests.
fn meaning((host, kind, path): &Written) -> (String, &'static str, Vec<&'static str>) {
    let mut elements = elements(path);
    if *kind == "Prefix" && elements.last() == Some(&"") {
        elements.pop();
    }
    (host.to_lowercase(), kind, elements)
}

#[test]
fn duplicate_paths_are_found_in_any_order() {
    let hosts = prop_oneof![Just("a.b"), Just("A.b"), Just("*.b"), Just("")];
    let kinds = prop_oneof![Just("Exact"), Just("Prefix"), Just("ImplementationSpecific")];
    let paths = prop_oneof![Just("/"), Just("/a"), Just("/a/"), Just("/a/b")];
    let routes = proptest::collection::vec((hosts, kinds, paths), 0..24);
    proptest!(config(), |((routes, shuffled) in routes.prop_flat_map(|routes| (Just(routes.clone()), Just(routes).prop_shuffle())))| {
        let found = pairs(&routes);
        let meanings: BTreeSet<_> = routes.iter().map(meaning).collect();
        prop_assert_eq!(found.len(), routes.len() - meanings.len(), "one for each route too many");
        prop_assert_eq!(found, pairs(&shuffled));
    });
    // Removing routes creates no twins.
    let all = vec![("a.b", "Exact", "/a"), ("a.b", "Exact", "/a/"), ("a.b", "Prefix", "/a"), ("*.b", "Prefix", "/a/")];
    proptest!(config(), |(some in subsequence(all, 0..=4))| {
        prop_assert_eq!(pairs(&some), Vec::<String>::new());
    });
}

#[test]
fn duplicates_among_ten_thousand_paths() {
    let many = vec![("a.b", "Prefix", "/a"); 10_000];
    assert_eq!(pairs(&many).len(), 9_999);
}

/// No files are written beside the sources. A failure prints the input that caused it.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() }
}
