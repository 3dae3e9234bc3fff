//! `http-route/retry-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Finding;
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};

/// The release and channel since which the schema rejects a status code that is out of range.
const SINCE_1_4: Enforced = Enforced::experimental(1, 4);
/// The release and channel since which the schema rejects the other faults.
const SINCE_1_6: Enforced = Enforced::experimental(1, 6);
/// The release since which both channels have retries, and allow none.
const SINCE_1_7: Enforced = Enforced::since(1, 7);

/// How many preceding status codes are compared: only 200 codes are valid.
const COMPARED: usize = 200;

pub static CHECK: Check = Check {
    id: "http-route/retry-malformed",
    enforced: Some(Enforced::experimental(1, 6)),
    page: include_str!("retry_malformed.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let bundle = cx.bundle();
    let is_standard = SINCE_1_7.holds_in(bundle);
    let least = i64::from(!is_standard);
    let downgrade_unenforced = |refused: Enforced, finding: &mut Finding| {
        if !is_standard && !refused.holds_in(bundle) {
            finding.only_warns();
        }
    };
    for (at, rule, _) in walk::rule::http_rules(route) {
        let Some(retry) = rule.retry.as_deref() else { continue };
        if let Some(attempts) = retry.attempts.filter(|attempts| *attempts < least) {
            let (written, least) = (attempts.to_string(), least.to_string());
            let message = "{} attempts are not enough: use {} or more";
            let finding = found.invalid(at.then("retry.attempts"), &written, message).args([&written, &least]);
            downgrade_unenforced(SINCE_1_6, finding);
        }
        for (index, code) in retry.codes.iter().enumerate() {
            let written = code.to_string();
            if !(400..=599).contains(code) {
                let message = "status code {} is out of range: use a code from 400 to 599";
                downgrade_unenforced(SINCE_1_4, found.invalid(at.then("retry.codes"), &written, message));
            } else if retry.codes[..index.min(COMPARED)].contains(code) {
                downgrade_unenforced(
                    SINCE_1_6,
                    found.duplicate(at.then("retry.codes"), &written, "status code {} is listed twice: remove one"),
                );
            }
        }
    }
}
