//! `ingressroute/shape`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Kind, KindSet, Misfit};

pub static CHECK: Check = Check {
    id: "ingressroute/shape",
    page: include_str!("shape.md"),
    run: Run::Unreadable(KindSet::of(&[Kind::IngressRoute]), check),
    ..Check::shape(Actions::DENY)
};

fn check(misfit: &Misfit, _: &Context<'_>, found: &mut Findings<'_>) {
    found.invalid(misfit.at.clone(), &misfit.words, "cannot be read as IngressRoute: {}");
}
