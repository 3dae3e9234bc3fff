//! The rules for the parts of a reference to another object. They apply to every field and every target.

use std::iter;

use super::validators as must;
use crate::finding::{Finding, Findings};
use crate::kinds::walk::reference::Reference;

/// Each part that is present must be well-formed, and the name is required.
pub fn well_formed(reference: &Reference<'_>, found: &mut Findings<'_>) {
    let Reference { at, group, kind, namespace, name, .. } = *reference;
    found.each(group.map(|group| (at.child("group"), group)), must::api_group);
    found.each(kind.map(|kind| (at.child("kind"), kind)), must::kind);
    found.each(namespace.map(|namespace| (at.child("namespace"), namespace)), must::namespace);
    found.each(iter::once((at.child("name"), name)), must::reference_name);
}

/// The group and the kind are required for references without defaults. An empty group is the core group.
pub fn group_and_kind(reference: &Reference<'_>, found: &mut Findings<'_>) {
    let Reference { at, group, kind, .. } = *reference;
    found.each(iter::once((at.child("group"), group)), must::be_given("the group is required; \"\" is the core group"));
    found.each(iter::once((at.child("kind"), kind)), must::be_given("the kind is required"));
}

/// The first malformed part of a reference, as the rule `id` reports it.
pub fn first_error(reference: &Reference<'_>, id: &'static str) -> Option<Finding> {
    let mut all = Vec::new();
    well_formed(reference, &mut Findings::of(id, &mut all));
    all.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::At;

    #[test]
    fn each_part_is_validated_by_itself() {
        let fields = |reference: Reference<'_>| {
            let mut all = Vec::new();
            well_formed(&reference, &mut Findings::of("route/name-malformed", &mut all));
            group_and_kind(&reference, &mut Findings::of("route/name-malformed", &mut all));
            all.iter().map(|finding| finding.at.to_string()).collect::<Vec<_>>()
        };
        let at = At::field("spec.ref");
        let good = Reference { at, group: Some(""), kind: Some("Secret"), namespace: None, name: "tls", port: None };
        assert!(fields(good).is_empty());
        let bad = Reference { group: Some("Example"), kind: Some("8"), namespace: Some(""), name: "", ..good };
        assert_eq!(fields(bad), ["spec.ref.group", "spec.ref.kind", "spec.ref.namespace", "spec.ref.name"]);
        let long = "é".repeat(254);
        assert_eq!(fields(Reference { name: &long, group: None, ..good }), ["spec.ref.name", "spec.ref.group"]);
        assert!(fields(Reference { name: &long[2..], ..good }).is_empty());
    }
}
