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
    let all =
        r#"[{}, {"path": {}}, {"path": {"type": "PathPrefix", "value": "/"}}, {"headers": [], "queryParams": null}]"#;
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
fn the_path_of_a_match_is_in_its_key() {
    for (matched, expected) in [
        ("{}", ("PathPrefix", "/")),
        (r#"{"path": {"value": "/a/"}, "method": "GET"}"#, ("PathPrefix", "/a")),
        (
            r#"{"path": {"type": "Exact", "value": "/p3:a/"}, "headers": [{"name": "a", "value": "b"}]}"#,
            ("Exact", "/p3:a/"),
        ),
    ] {
        let keys = keys(Kind::HttpRoute, &format!("[{matched}]"));
        assert_eq!(written_path(&keys[0]), Some(expected), "{matched}");
    }
    let call = keys(Kind::GrpcRoute, r#"[{"method": {"service": "a"}}]"#);
    assert_eq!(written_path(&call[0]), None);
}

#[test]
fn equal_numbers_of_other_conditions_tie() {
    let header = |name: &str, value: &str| format!(r#"{{"headers": [{{"name": "{name}", "value": "{value}"}}]}}"#);
    let tie = |one: &str, other: &str| {
        let keys = keys(Kind::HttpRoute, &format!("[{one}, {other}]"));
        assert_eq!(ties(&keys[0], &keys[1]), ties(&keys[1], &keys[0]), "{one} {other}");
        ties(&keys[0], &keys[1])
    };
    assert!(tie(&header("a", "1"), &header("b", "1")));
    assert!(tie(&header("a", "1:2h"), &header("b", "h1:2")));
    let query = r#"{"queryParams": [{"name": "a", "value": "1"}]}"#;
    let others = [header("A", "1"), header("a", "2"), "{}".to_owned(), query.to_owned()];
    for other in &others {
        assert!(!tie(&header("a", "1"), other), "{other}");
    }
    assert!(!tie(&header("a", "1"), r#"{"path": {"value": "/a"}, "headers": [{"name": "b", "value": "1"}]}"#));
    assert!(!tie(&header("a", "1"), r#"{"method": "GET", "headers": [{"name": "b", "value": "1"}]}"#));
}

#[test]
fn narrower_matches_are_known_without_their_keys() {
    let headers = r#"{"headers": [{"name": "a", "value": "b"}]}"#;
    let parameters = r#"{"queryParams": [{"name": "a", "value": "b"}]}"#;
    let http = [headers, parameters, r#"{"method": "GET"}"#, r#"{"path": {"type": "Exact"}}"#, "{}"];
    let http = http.map(|matched| (Kind::HttpRoute, matched));
    let grpc = [headers, r#"{"method": {"service": "a"}}"#, "{}"].map(|matched| (Kind::GrpcRoute, matched));
    for (kind, matched) in http.into_iter().chain(grpc) {
        let json = format!(r#"{{"spec": {{"rules": [{{"matches": [{{}}, {matched}]}}]}}}}"#);
        let object = decode(kind, &json).expect("a route");
        let route = object.route().expect("a route");
        assert_eq!(has_narrower_matches(&route), !narrower_matches(&route).is_empty(), "{kind:?} {matched}");
    }
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
