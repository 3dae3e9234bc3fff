//! `object/unknown-field`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::schema::{ManifestFaults, UnknownField};

pub static CHECK: Check = Check {
    id: "object/unknown-field",
    page: include_str!("unknown_field.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::WARN)
};

fn check(manifest: &ManifestFaults, _: &Context<'_>, found: &mut Findings<'_>) {
    for UnknownField { at, name, like } in &manifest.unknown {
        match like {
            _ if name == "namespace" => {
                let sentence = "there is no field `{}` here: what is named here is in the namespace of this object";
                found.invalid(at.clone(), name, sentence);
            }
            Some(like) => {
                found.invalid(at.clone(), name, "there is no field `{}`; did you mean `{}`?").shown([name, like]);
            }
            None => {
                found.invalid(at.clone(), name, "there is no field `{}`: the API server drops or refuses it");
            }
        }
    }
}
