//! `rule/session-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Finding;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The maximum length of a session name, in characters.
const LONGEST_NAME: usize = 128;
/// The release and channel since which the schema rejects these faults.
const REFUSED: Enforced = Enforced::experimental(1, 4);

pub static CHECK: Check = Check {
    id: "rule/session-malformed",
    enforced: Some(Enforced::experimental(1, 4)),
    page: include_str!("session_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, session) in walk::rule::sessions(route) {
        let downgrade_unenforced = |finding: &mut Finding| {
            if !REFUSED.holds_in(cx.bundle()) {
                finding.only_warns();
            }
        };
        if let Some(name) = session.session_name.as_deref()
            && name.chars().nth(LONGEST_NAME).is_some()
        {
            downgrade_unenforced(found.too_long(
                at.then("sessionName"),
                name,
                "session name `{}` must have at most 128 characters",
            ));
        }
        if let Some(kind) = session.kind.as_deref()
            && !matches!(kind, "Cookie" | "Header")
        {
            downgrade_unenforced(found.not_supported(
                at.then("type"),
                kind,
                "session type `{}` is not supported: use Cookie or Header",
            ));
        }
        let Some(lifetime) = session.cookie_config.as_ref().and_then(|cookie| cookie.lifetime_type.as_deref()) else {
            continue;
        };
        if !matches!(lifetime, "Permanent" | "Session") {
            let message = "cookie lifetime `{}` is not supported: use Permanent or Session";
            downgrade_unenforced(found.not_supported(at.then("cookieConfig.lifetimeType"), lifetime, message));
        } else if lifetime == "Permanent" && session.absolute_timeout.is_none() {
            downgrade_unenforced(
                found
                    .required(at.then("absoluteTimeout"), "absoluteTimeout is required with cookie lifetime Permanent"),
            );
        }
    }
}
