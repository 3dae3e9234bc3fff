//! `http-route/timeout-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};
use crate::matching::duration;

pub static CHECK: Check = Check {
    id: "http-route/timeout-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("timeout_malformed.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name, written) in walk::rule::timeouts(route) {
        if duration::parse(written).is_none() {
            let message = "`{}` is no duration: up to four numbers with h, m, s or ms, as in `1m30s`";
            found.invalid(at.then(name), written, message);
        }
    }
}
