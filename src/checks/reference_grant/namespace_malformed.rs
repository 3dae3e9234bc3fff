//! `reference-grant/namespace-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "reference-grant/namespace-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("namespace_malformed.md"),
    run: Run::ReferenceGrant(check),
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, from) in walk::reference_grant::from(grant) {
        let namespace = &*from.namespace;
        if namespace.is_empty() || names::is_label(namespace) {
            continue;
        }
        let at = at.then("namespace");
        match namespace.contains('*') {
            true => found.invalid(at, namespace, "`{}` is no namespace: a grant has no wildcards, it names each one"),
            false => found.malformed(at, namespace, "`{}` is no name of a namespace"),
        };
    }
}
