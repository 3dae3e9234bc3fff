//! `ingress/annotation-control-character`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, annotation};

pub static CHECK: Check = Check {
    id: "ingress/annotation-control-character",
    page: include_str!("annotation_control_character.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (key, value) in ingress.metadata.annotations.iter() {
        let Some(control) = annotation::entries(key, value).find_map(control) else { continue };
        let ends_no_text = control != NUL && annotation::is_multi_line(key);
        if annotation::is_routing(key) && !ends_no_text {
            let at = At::field("metadata.annotations").key(key);
            let finding = found.invalid(at, value, "{} must not hold {}");
            finding.shown([key, control]);
            if !annotation::is_configuration(key) {
                finding.only_warns();
            }
        }
    }
}

const NUL: &str = "a NUL";

/// The first control character that could end a line or a text of a configuration; a NUL, which belongs into none, before any other.
fn control(value: &str) -> Option<&'static str> {
    let first = || {
        value.bytes().find_map(|byte| match byte {
            b'\n' => Some("a line feed"),
            b'\r' => Some("a carriage return"),
            _ => None,
        })
    };
    if value.contains('\0') { Some(NUL) } else { first() }
}
