//! `object/value-not-allowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::schema::{Fault, ManifestFaults, Violation};

pub static CHECK: Check = Check {
    id: "object/value-not-allowed",
    page: include_str!("value_not_allowed.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

fn check(manifest: &ManifestFaults, _: &Context<'_>, found: &mut Findings<'_>) {
    for Violation { at, fault } in &manifest.violations {
        match fault {
            Fault::Empty => {
                found.invalid(at.clone(), "", "must not be empty");
            }
            Fault::NotAllowed { value, allowed } => {
                let sentence = "`{}` is not supported; use {}";
                found.not_supported(at.clone(), value, sentence).shown([value, allowed]);
            }
            Fault::Missing(_) | Fault::Mistyped { .. } => {}
        }
    }
}
