//! The Go modules whose programs `.ci/run` builds agree on the versions of what several of them use: Go's cache then has each package once,
//! and a package whose dependencies differ would be compiled again.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_testing::repository::read;

/// The folders of these modules in `tests/`.
const MODULES: [&str; 6] = ["conformance", "control-plane", "helm", "kind", "node", "registry"];

/// What containerd needs in an older version than Kubernetes.
const OF_CONTAINERD: [&str; 2] = ["k8s.io/cri-api", "k8s.io/cri-streaming"];

#[test]
fn modules_that_ci_builds_agree_on_versions() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in MODULES {
        let file = read(&format!("tests/{module}/go.mod"));
        let required = file.lines().filter_map(required).collect::<Vec<_>>();
        assert!(required.len() > 5, "tests/{module}/go.mod is read");
        for (path, version) in required {
            versions.entry(path.to_owned()).or_default().insert(version.to_owned());
        }
    }
    let differing: Vec<_> = versions
        .iter()
        .filter(|(path, versions)| versions.len() > 1 && !OF_CONTAINERD.contains(&path.as_str()))
        .collect();
    assert!(
        differing.is_empty(),
        "require the newest of these in each of {MODULES:?}, then `go mod tidy`: {differing:#?}"
    );
}

/// The path and the version that a line of a block names. `v0.0.0` stands for a replaced version, which a line with an arrow names.
fn required(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.strip_prefix('\t')?.split(' ').collect();
    match words[..] {
        [path, "=>", _, version] => Some((path, version)),
        [path, version, ..] if version.starts_with('v') && version != "v0.0.0" => Some((path, version)),
        _ => None,
    }
}
