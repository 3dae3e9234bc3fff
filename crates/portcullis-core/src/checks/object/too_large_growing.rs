//! `object/too-large-growing`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Size;

pub static CHECK: Check = Check {
    id: "object/too-large-growing",
    page: include_str!("too_large_growing.md"),
    when: When::Update,
    run: Run::Size(check),
    ..Check::shape(Actions::DENY)
};

fn check(new: Size, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(old) = cx.old.and_then(Size::of) else { return };
    if !old.is_too_large() || !new.is_too_large() || !new.has_grown(old) {
        return;
    }
    let args = [old.entries, new.entries].map(|count| count.to_string());
    let message = "an object over the size limit must not grow: it has {} entries and would have {}";
    found.too_long(At::field("spec"), &args[1], message).args(&args);
}
