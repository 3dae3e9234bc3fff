//! `object/too-large`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::size::{MOST_ENTRIES, MOST_INCLUDES};
use crate::kinds::{Object, Size};

pub static CHECK: Check = Check {
    id: "object/too-large",
    page: include_str!("too_large.md"),
    run: Run::Object(check),
    ..Check::shape(Actions::DENY)
};

fn check(object: &Object<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(size) = Size::of(object).filter(|size| size.is_too_large()) else { return };
    if size.includes > MOST_INCLUDES {
        let shown = [size.includes, MOST_INCLUDES].map(|count| count.to_string());
        let sentence = "{} includes are too many: use at most {}, or several objects";
        found.too_long(At::field("spec.includes"), "includes", sentence).shown(shown);
    }
    if size.entries > MOST_ENTRIES {
        let shown = [size.entries, MOST_ENTRIES].map(|count| count.to_string());
        let sentence = "{} entries are too many: use at most {}, or several objects";
        found.too_long(At::field("spec"), "entries", sentence).shown(shown);
    }
}
