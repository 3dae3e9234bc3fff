//! `ingress/class-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::routing::default_class;

pub static CHECK: Check = Check {
    id: "ingress/class-missing",
    needs: &[Kind::IngressClass],
    page: include_str!("class_missing.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if ingress.class().is_none()
        && let Lookup::Absent = cx.cluster.default_classes()
    {
        default_class::of_ingress_is_missing(found);
    }
}
