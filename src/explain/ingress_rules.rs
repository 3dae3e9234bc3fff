//! The rules of an Ingress, one for each path.

use super::candidate::Candidate;
use crate::field::At;
use crate::kinds::ingress::{Backend, HttpPath};
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::route::path_of;
use crate::matching::{Host, Mark, Path, PathTest, PathType};

/// One path of a rule; of a rule without paths the host alone.
pub(super) struct Rule<'w> {
    pub(super) source: usize,
    pub(super) host: Host<'w>,
    pub(super) candidate: Candidate<'w>,
    /// What answers; none where that is the default backend.
    pub(super) backend: Option<&'w Backend<'w>>,
}

/// The rules of an Ingress, path by path. A host that is no DNS name has none: no client can ask for it.
pub(super) fn rules<'w>(place: &'w ObjectRef, ingress: &'w Ingress<'w>, source: usize) -> Vec<Rule<'w>> {
    let (created, is_canary) = (ingress.metadata.created(), Mark::of_ingress(ingress) == Mark::Canary);
    let mut rules = Vec::new();
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let host = Host::parse(rule.host.as_deref().unwrap_or_default());
        if !host.is_well_formed() {
            continue;
        }
        if rule.paths().is_empty() {
            let at = At::element("spec.rules[]", [index]);
            let candidate = Candidate::of_everything(place, created, at, [index, 0]);
            rules.push(Rule { source, host: host.clone(), candidate, backend: None });
        }
        for (position, path) in rule.paths().iter().enumerate() {
            let at = At::element("spec.rules[].http.paths[]", [index, position]);
            let everything = Candidate::of_everything(place, created, at, [index, position]);
            let candidate = Candidate {
                spelling: path.path.as_deref().filter(|written| !written.is_empty()).unwrap_or("/"),
                is_defined: path.path_type.as_deref().is_some_and(|kind| kind != "ImplementationSpecific"),
                path: path_test(path),
                is_canary,
                ..everything
            };
            rules.push(Rule { source, host: host.clone(), candidate, backend: Some(&path.backend) });
        }
    }
    rules
}

/// What a path asks for, `ImplementationSpecific` read as `Prefix`.
fn path_test<'w>(path: &'w HttpPath<'_>) -> PathTest<'w> {
    match path_of(path) {
        Some(Path { kind: PathType::ImplementationSpecific, .. }) => {
            PathTest::Path(Path::new(PathType::Prefix, path.path.as_deref()))
        }
        Some(path) => PathTest::Path(path),
        None => PathTest::Unknown(path.path_type.as_deref().unwrap_or_default()),
    }
}
