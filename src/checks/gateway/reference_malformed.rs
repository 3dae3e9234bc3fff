//! `gateway/reference-malformed`

use crate::checks::reference::{Absent, malformed};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::gateway::Purpose;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/reference-malformed",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("reference_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, reference, purpose) in walk::gateway::references(gateway) {
        let absent = if purpose == Purpose::ClientCertificate { Absent::IsDefault } else { Absent::IsMissing };
        malformed(at, reference, absent, found);
    }
}
