//! `rule/duration-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, duration, walk};

/// The release and channel since which the schema rejects the fault.
const REFUSED: Enforced = Enforced::experimental(1, 4);
/// The release since which the standard channel has retries, and rejects the fault there.
const REFUSED_IN_RETRIES: Enforced = Enforced::since(1, 7);

pub static CHECK: Check = Check {
    id: "rule/duration-malformed",
    enforced: Some(REFUSED),
    page: include_str!("duration_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name, written) in walk::rule::durations(route) {
        if duration::parse(written).is_none() {
            let message = "`{}` is not a valid duration: use up to four numbers with h, m, s or ms, such as 1m30s";
            let finding = found.invalid(at.then(name), written, message);
            let is_refused_in_both = name == "backoff" && REFUSED_IN_RETRIES.holds_in(cx.bundle());
            if !is_refused_in_both && !REFUSED.holds_in(cx.bundle()) {
                finding.only_warns();
            }
        }
    }
}
