//! `route/hostnames-too-many`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};

/// The maximum number of hostnames of a route.
const MOST: usize = 16;

/// The maximum number of hostnames of a TLSRoute since the release `WIDER`.
const MAX_OF_TLS: usize = 1024;
const WIDER: (u16, u16) = (1, 6);

pub static CHECK: Check = Check {
    id: "route/hostnames-too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostnames_too_many.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let release = cx.cluster.schema(route.kind()).bundle.release;
    let most = if route.kind() == Kind::TlsRoute && release >= WIDER { MAX_OF_TLS } else { MOST };
    let count = route.hostnames().len();
    if count > most {
        let (count, most) = (count.to_string(), most.to_string());
        let template = "{} hostnames; this {} may have at most {}";
        found.invalid(At::field("spec.hostnames"), &count, template).args([&count, route.kind().api().kind, &most]);
    }
}
