//! `object/type-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::schema::{Fault, ManifestFaults, Violation};

pub static CHECK: Check = Check {
    id: "object/type-mismatch",
    page: include_str!("type_mismatch.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

fn check(manifest: &ManifestFaults, _: &Context<'_>, found: &mut Findings<'_>) {
    for Violation { at, fault } in &manifest.violations {
        if let Fault::Mistyped { expected, written } = fault {
            found.invalid(at.clone(), written, "must be {}, not {}").shown([expected, written]);
        }
    }
}
