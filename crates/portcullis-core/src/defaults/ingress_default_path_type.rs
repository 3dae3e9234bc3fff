//! `ingress/default-path-type`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::kinds::{Ingress, walk};

pub static DEFAULTER: Defaulter = Defaulter {
    id: "ingress/default-path-type",
    enabled: false,
    option: None,
    needs: &[],
    page: include_str!("ingress_default_path_type.md"),
    fill: Fill::Ingress(fill),
};

fn fill(ingress: &Ingress<'_>, _: &DefaultingContext<'_>, edits: &mut Edits) {
    for (at, path, _) in walk::http_paths(ingress) {
        if path.path_type.is_none() {
            edits.set(at, "pathType", "ImplementationSpecific");
        }
    }
}
