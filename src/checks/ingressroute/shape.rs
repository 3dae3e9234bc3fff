//! `ingressroute/shape`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, Misfit};

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
    run: Run::Unreadable(check),
};

fn check(misfit: &Misfit, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.this.kind == Kind::IngressRoute {
        let words = &misfit.words;
        found.invalid(misfit.at.clone(), words, "cannot be read as IngressRoute: {}");
    }
}
