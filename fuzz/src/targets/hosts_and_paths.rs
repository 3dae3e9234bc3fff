//! The algebra of hosts and paths.

use portcullis_core::matching::{Depth, Host, Path, PathType, Pattern};

use super::text;
use crate::Target;

/// The lines are two hosts or paths, and a host or path of a request. `covers`, `overlaps`, `intersection`
/// and `matches` must be consistent.
pub const TARGET: Target = Target { name: "hosts_and_paths", run, seeds };

const KINDS: [PathType; 3] = [PathType::Exact, PathType::Prefix, PathType::ImplementationSpecific];

fn run(data: &[u8]) {
    let data = text(data);
    let mut lines = data.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let (one, other, request) = (line(), line(), line());
    for depth in [Depth::OneLabel, Depth::AnyLabels] {
        hosts(&Host::parse(one), &Host::parse(other), request, depth);
    }
    for kinds in KINDS.into_iter().flat_map(|kind| KINDS.map(|other| (kind, other))) {
        paths(&Path::new(kinds.0, Some(one)), &Path::new(kinds.1, Some(other)), request);
    }
    let pattern = Pattern::new(one);
    let _ = (pattern.matches(request), pattern.unusable().is_none(), pattern.language().is_ok());
}

fn hosts(one: &Host<'_>, other: &Host<'_>, name: &str, depth: Depth) {
    assert!(one.covers(one, depth), "{one:?} covers itself");
    assert_eq!(one.overlaps(other, depth), other.overlaps(one, depth), "{one:?} {other:?}");
    let common = one.intersection(other, depth);
    assert_eq!(common.is_some(), one.overlaps(other, depth), "{one:?} {other:?}");
    if let Some(common) = common {
        assert!(one.covers(&common, depth) && other.covers(&common, depth), "{one:?} {other:?} {common:?}");
    }
    if one.covers(other, depth) && other.matches(name, depth) {
        assert!(one.matches(name, depth), "{one:?} covers {other:?}, which serves {name}");
    }
}

fn paths(one: &Path<'_>, other: &Path<'_>, request: &str) {
    assert_eq!(one.overlaps(other), other.overlaps(one), "{one:?} {other:?}");
    if one.matches(request) == Some(true) && other.matches(request) == Some(true) {
        assert!(one.overlaps(other), "{one:?} and {other:?} both serve {request}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let rows = [
        "*.example.com\nshop.example.com\na.shop.example.com",
        "Example.COM.\n*\nexample.com",
        "/a/b\n/a/b/\n/a/b/c",
        "/a//b/../c\n/a/%2e%2E/%2fb\n/a/b?c=d",
        "/(foo|ba[rz]+)/.*\n^/a$\n/bar/x",
        "\n/\n/",
    ];
    rows.map(|row| row.as_bytes().to_vec()).to_vec()
}
