//! `object/ignored-check-unknown`

use crate::checks::ignore::{IGNORE_ANNOTATION, ignored, names};
use crate::checks::{Actions, Check, Context, Run, registry};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Metadata;
use crate::names::closest;

pub static CHECK: Check = Check {
    id: "object/ignored-check-unknown",
    page: include_str!("ignored_check_unknown.md"),
    run: Run::Metadata(check),
    ..Check::shape(Actions::WARN)
};

fn check(metadata: &Metadata<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(list) = metadata.annotations.get(IGNORE_ANNOTATION) else { return };
    let ids = || registry::all().map(|check| check.id);
    let is_known = |pattern: &str| ids().any(|id| names(pattern, id)) || registry::RETIRED.contains(&pattern);
    for pattern in ignored(list).filter(|pattern| !pattern.is_empty() && !is_known(pattern)) {
        let at = At::field("metadata.annotations").key(IGNORE_ANNOTATION);
        let close = closest(pattern, ids());
        match close {
            Some(close) => {
                found.not_supported(at, pattern, "`{}` is not a check; did you mean `{}`?").args([pattern, &close])
            }
            None => found.not_supported(at, pattern, "`{}` is not a check, `family/*` or `*`, so it ignores nothing"),
        };
    }
}
