//! `gateway/frontend-insecure-fallback`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/frontend-insecure-fallback",
    page: include_str!("frontend_insecure_fallback.md"),
    run: Run::Gateway(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (site, validation) in walk::gateway::client_validations(gateway) {
        if let Some(mode @ "AllowInsecureFallback") = validation.mode.as_deref() {
            let sentence = "`{}` lets clients in without a valid certificate";
            found.forbidden(site.at().then("mode"), mode, sentence);
        }
    }
}
