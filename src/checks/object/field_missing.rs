//! `object/field-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::schema::{Fault, ManifestFaults, Violation};

pub static CHECK: Check = Check {
    id: "object/field-missing",
    page: include_str!("field_missing.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

fn check(manifest: &ManifestFaults, cx: &Context<'_>, found: &mut Findings<'_>) {
    let kind = cx.this.kind.api().kind;
    for Violation { at, fault } in &manifest.violations {
        if let Fault::Missing(name) = fault {
            let sentence = "`{}` is required; without it the API server refuses this {}";
            found.add(Cause::Required, at.clone(), name, sentence).shown([name, kind]);
        }
    }
}
