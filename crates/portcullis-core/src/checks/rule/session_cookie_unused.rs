//! `rule/session-cookie-unused`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The release and channel since which the schema rejects the fault.
const REFUSED: Enforced = Enforced::experimental(1, 5);

pub static CHECK: Check = Check {
    id: "rule/session-cookie-unused",
    enforced: Some(Enforced::experimental(1, 5)),
    page: include_str!("session_cookie_unused.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, session) in walk::rule::sessions(route) {
        if session.cookie_config.is_some() && session.kind.as_deref() == Some("Header") {
            let message = "cookieConfig must not be set with type Header: remove it, or use type Cookie";
            let finding = found.forbidden(at.then("cookieConfig"), "", message);
            if !REFUSED.holds_in(cx.bundle()) {
                finding.only_warns();
            }
        }
    }
}
