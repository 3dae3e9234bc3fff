//! `object/unreadable`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::{Action, Findings};
use crate::kinds::{Kind, Misfit};

pub static CHECK: Check = Check {
    id: "object/unreadable",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::new(Action::Warn, Action::Deny, Action::Warn),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("unreadable.md"),
    run: Run::Unreadable(check),
};

fn check(misfit: &Misfit, cx: &Context<'_>, found: &mut Findings<'_>) {
    // That has a check of its own, which refuses: no API server does it before us.
    if cx.this.kind == Kind::IngressRoute {
        return;
    }
    let (kind, words) = (cx.this.kind.api().kind, &misfit.words);
    found.invalid(misfit.at.clone(), words, "cannot be read as {}: {}").shown([kind, words]);
}
