//! `object/owner-incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Cause, Findings};
use crate::kinds::schema::ManifestFaults;
use serde_json::Value;

pub static CHECK: Check = Check {
    id: "object/owner-incomplete",
    page: include_str!("owner_incomplete.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

fn check(manifest: &ManifestFaults, _: &Context<'_>, found: &mut Findings<'_>) {
    let owners = manifest.metadata.get("ownerReferences").and_then(Value::as_array).into_iter().flatten();
    let mut controller = None;
    for (index, owner) in owners.enumerate() {
        let at = At::element("metadata.ownerReferences[]", [index]);
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        for field in ["apiVersion", "kind", "name", "uid"].into_iter().filter(|field| text(field).is_empty()) {
            let sentence = "owner `{}` has no `{}`; the API server refuses such an object";
            found.add(Cause::Required, at.then(field), field, sentence).shown([text("name"), field]);
        }
        if text("apiVersion").matches('/').count() > 1 {
            found.invalid(at.then("apiVersion"), text("apiVersion"), "`{}` is not a valid apiVersion");
        }
        if owner.get("controller").and_then(Value::as_bool).unwrap_or_default()
            && let Some(first) = controller.replace(text("name"))
        {
            let sentence = "owner `{}` is the controller, and so is `{}`; only one may be";
            found.duplicate(at.then("controller"), text("name"), sentence).shown([text("name"), first]);
        }
    }
}
