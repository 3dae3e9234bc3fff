//! `object/label-required`

use crate::checks::required::{self, Templates};
use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::finding::Findings;
use crate::kinds::Object;

pub static CHECK: Check = Check {
    id: "object/label-required",
    options: &[CheckOption::RequireOneOf("required")],
    page: include_str!("label_required.md"),
    run: Run::Object(check),
    is_exported: true,
    ..Check::policy(Actions::DENY)
};

const TEMPLATES: Templates = Templates {
    missing: "label {} is required here",
    mismatch: "the value `{}` of a required label must match `{}` as a whole",
};

fn check(object: &Object<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    required::check(object, ("metadata.labels", &object.metadata().labels), &TEMPLATES, cx, found);
}
