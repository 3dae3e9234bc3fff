//! `listener/certificate-kind`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/certificate-kind",
    page: include_str!("certificate_kind.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, certificate) in walk::listener::certificate_refs(listeners) {
        let (group, kind) = (certificate.group(), certificate.kind_or("Secret"));
        if (group, kind) == ("", "Secret") {
            continue;
        }
        let field = if group.is_empty() { "kind" } else { "group" };
        let value = if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") };
        found.not_supported(at.then(field), &value, "{} is no core Secret: few controllers read it");
    }
}
