//! `ingress/annotation-value-malformed`

use super::annotation_readers::{is_read, written};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/annotation-value-malformed",
    needs: &[Kind::IngressClass],
    page: include_str!("annotation_value_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (vocabulary, written) in written(ingress) {
        let known = vocabulary.named(written.name);
        let Some((template, args)) = known.and_then(|known| known.value_type.fault(written.value)) else { continue };
        if is_read(vocabulary, written.prefix, ingress, cx) {
            found.invalid(At::field("metadata.annotations").key(written.key), written.value, template).args(args);
        }
    }
}
