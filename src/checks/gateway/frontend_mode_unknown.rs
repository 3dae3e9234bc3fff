//! `gateway/frontend-mode-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/frontend-mode-unknown",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("frontend_mode_unknown.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (site, validation) in walk::gateway::client_validations(gateway) {
        let Some(mode) = validation.mode.as_deref() else { continue };
        if !matches!(mode, "AllowValidOnly" | "AllowInsecureFallback") {
            found.not_supported(site.at().then("mode"), mode, "`{}` is not AllowValidOnly or AllowInsecureFallback");
        }
    }
}
