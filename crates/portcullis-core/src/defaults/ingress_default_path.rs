//! `ingress/default-path`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::kinds::{Ingress, walk};

pub static DEFAULTER: Defaulter = Defaulter {
    id: "ingress/default-path",
    enabled: false,
    option: None,
    needs: &[],
    page: include_str!("ingress_default_path.md"),
    fill: Fill::Ingress(fill),
};

fn fill(ingress: &Ingress<'_>, _: &DefaultingContext<'_>, edits: &mut Edits) {
    for (at, path, _) in walk::http_paths(ingress) {
        if path.path.as_deref().is_none_or(str::is_empty) {
            edits.set(at, "path", "/");
        }
    }
}
