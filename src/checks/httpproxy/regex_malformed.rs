//! `httpproxy/regex-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};
use crate::matching::pattern::Faults;

pub static CHECK: Check = Check {
    id: "httpproxy/regex-malformed",
    page: include_str!("regex_malformed.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::WARN)
};

fn check<'o>(proxy: &'o HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut faults = Faults::default();
    let mut judge = |at: At, written: &'o str| {
        if let Some(fault) = faults.of(written) {
            found.invalid(at.then("regex"), written, "regular expression `{}`: {}").shown([written, fault]);
        }
    };
    for block in walk::http_proxy::blocks(proxy) {
        for (at, header) in block.headers() {
            header.regex.iter().for_each(|regex| judge(at, regex));
        }
        for (position, condition) in block.conditions.iter().enumerate() {
            // An include may have none for its path, which is another check's affair.
            if let (Some(regex), false) = (&condition.regex, block.is_include) {
                judge(block.element(position), regex);
            }
            if let Some(regex) = condition.query_parameter.as_ref().and_then(|query| query.regex.as_ref()) {
                judge(block.query(position), regex);
            }
        }
    }
}
