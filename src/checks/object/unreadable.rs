//! `object/unreadable`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::decisive::decides;
use crate::kinds::{Kind, KindSet, Misfit};

pub static CHECK: Check = Check {
    id: "object/unreadable",
    page: include_str!("unreadable.md"),
    run: Run::Unreadable(KINDS, check),
    ..Check::shape(Actions::DENY)
};

/// All but those that have a check of their own for this, which refuses, because no API server does it before us.
const KINDS: KindSet = KindSet::of(&Kind::ALL).without(KindSet::of(&[Kind::IngressRoute]));

fn check(misfit: &Misfit, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (kind, words) = (cx.this.kind.api().kind, &misfit.words);
    let finding = found.invalid(misfit.at.clone(), words, "cannot be read as {}: {}").shown([kind, words]);
    if !decides(cx.this.kind, &misfit.at) {
        finding.only_warns();
    }
}
