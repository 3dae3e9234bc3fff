//! `ingress/annotation-misspelled`

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::nginx::annotations;

pub static CHECK: Check = Check {
    id: "ingress/annotation-misspelled",
    needs: &[Kind::IngressClass],
    page: include_str!("annotation_misspelled.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// The similarity above which an unknown name is a misspelling.
const SIMILAR: f64 = 0.85;
/// The maximum number of unknown names that are compared with those that ingress-nginx reads, and the maximum length of each.
const MAX_NAMES: usize = 16;
const MAX_LENGTH: usize = 63;

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let unknown = annotations::all(ingress).filter(|(_, name, _)| annotations::named(name).is_none());
    for (key, name, value) in unknown.filter(|(_, name, _)| name.len() <= MAX_LENGTH).take(MAX_NAMES) {
        let Some(similar) = annotations::similar(name, SIMILAR) else { continue };
        if !nginx_annotations::are_read(ingress, cx) {
            return;
        }
        let at = At::field("metadata.annotations").key(key);
        found
            .not_supported(at, value, "ingress-nginx has no annotation `{}`; did you mean `{}`?")
            .args([name, similar]);
    }
}
