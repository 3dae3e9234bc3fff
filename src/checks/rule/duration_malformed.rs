//! `rule/duration-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::{Channel, Enforced};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::matching::duration;

pub static CHECK: Check = Check {
    id: "rule/duration-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("duration_malformed.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name, written) in walk::rule::durations(route) {
        if duration::parse(written).is_none() {
            let sentence = "`{}` is no duration: up to four numbers with h, m, s or ms, as in `1m30s`";
            let finding = found.invalid(at.then(name), written, sentence);
            // The standard channel has timeouts and prunes the rest.
            if !name.contains("equest") && cx.bundle().channel == Channel::Standard {
                finding.only_warns();
            }
        }
    }
}
