//! `ingress/annotation-misspelled`

use super::annotation_readers::{is_read, written};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/annotation-misspelled",
    needs: &[Kind::IngressClass],
    page: include_str!("annotation_misspelled.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// The similarity above which an unknown name is a misspelling.
const SIMILAR: f64 = 0.85;
/// The maximum number of unknown names that are compared with those that controllers read, and the maximum length of each.
const MAX_NAMES: usize = 16;
const MAX_LENGTH: usize = 63;

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let unknown = written(ingress).filter(|(vocabulary, written)| vocabulary.named(written.name).is_none());
    let compared = unknown.filter(|(_, written)| written.name.len() <= MAX_LENGTH).take(MAX_NAMES);
    for (vocabulary, written) in compared {
        let Some(similar) = vocabulary.similar(written.name, SIMILAR) else { continue };
        if is_read(vocabulary, written.prefix, ingress, cx) {
            let at = At::field("metadata.annotations").key(written.key);
            found.not_supported(at, written.value, vocabulary.unknown).args([written.name, similar]);
        }
    }
}
