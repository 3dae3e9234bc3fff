//! `ingressroute/shape`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, KindSet, Misfit};

pub static CHECK: Check = Check {
    id: "ingressroute/shape",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("shape.md"),
    run: Run::Unreadable(KindSet::of(&[Kind::IngressRoute]), check),
};

fn check(misfit: &Misfit, _: &Context<'_>, found: &mut Findings<'_>) {
    found.invalid(misfit.at.clone(), &misfit.words, "cannot be read as IngressRoute: {}");
}
