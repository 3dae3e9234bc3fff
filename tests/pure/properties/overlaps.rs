//! Which names two hosts have in common, compared with a matcher that tries every name.

use portcullis_core::matching::{Host, host::Depth};

/// No host contains the label `z`, so some names contain a label that no host mentions.
const LABELS: [&str; 3] = ["a", "b", "z"];

/// Every text of one to `most` of these labels.
fn texts(labels: &[&str], most: usize) -> Vec<String> {
    let mut all: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    let mut last = all.clone();
    for _ in 1..most {
        last = last.iter().flat_map(|text| labels.iter().map(move |label| format!("{label}.{text}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Whether a request for `name` matches `host`, compared label by label from the end.
fn matches(host: &str, name: &str, depth: Depth) -> bool {
    let mut own: Vec<&str> = host.split('.').collect();
    let mut labels: Vec<&str> = name.split('.').collect();
    if host == "*" {
        return true;
    }
    while let (Some(last), Some(label)) = (own.pop(), labels.pop()) {
        if last == "*" {
            return depth == Depth::AnyLabels || labels.is_empty();
        }
        if last != label {
            return false;
        }
    }
    // One of the two is exhausted. Both must be, since a remaining `*` matches at least one label.
    host.split('.').count() == name.split('.').count()
}

#[test]
fn host_intersection_matches_every_name() {
    let names = texts(&LABELS, 4);
    let precise = texts(&LABELS[..2], 3);
    let mut hosts: Vec<String> = precise.iter().map(|text| format!("*.{text}")).collect();
    hosts.extend(precise);
    hosts.push("*".to_owned());
    for depth in [Depth::AnyLabels, Depth::OneLabel] {
        for left in &hosts {
            for right in &hosts {
                let (one, other) = (Host::parse(left), Host::parse(right));
                let common = one.intersection(&other, depth);
                let is_common = |name: &&String| matches(left, name, depth) && matches(right, name, depth);
                let expected: Vec<_> = names.iter().filter(is_common).collect();
                let found: Vec<_> = match &common {
                    Some(host) => names.iter().filter(|name| matches(&host.to_string(), name, depth)).collect(),
                    None => Vec::new(),
                };
                assert_eq!(found, expected, "{left} and {right}, {depth:?}");
                assert_eq!(common.is_some(), one.overlaps(&other, depth), "{left} and {right}, {depth:?}");
                assert_eq!(common, other.intersection(&one, depth), "{right} and {left}, {depth:?}");
            }
        }
    }
}

/// Letter case and a trailing dot do not distinguish hosts.
#[test]
fn hosts_are_the_same_in_another_spelling() {
    for host in ["a.b", "*.a.b", "*"] {
        let spelled = format!("{}.", host.to_uppercase());
        assert_eq!(Host::parse(host), Host::parse(&spelled), "{spelled}");
    }
    let (wildcard, longer) = (Host::parse("*.example.com"), Host::parse("badexample.com"));
    assert!(!wildcard.overlaps(&longer, Depth::AnyLabels), "a wildcard ends on a dot");
}
