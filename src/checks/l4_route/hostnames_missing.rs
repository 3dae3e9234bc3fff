//! `l4-route/hostnames-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route};

pub static CHECK: Check = Check {
    id: "l4-route/hostnames-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("hostnames_missing.md"),
    run: Run::L4Route(check),
};

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let may_lack_them = route.api_version.as_deref().is_some_and(|version| version.ends_with("/v1alpha2"));
    if cx.this.kind == Kind::TlsRoute && !may_lack_them && route.spec.hostnames.is_empty() {
        found.required(
            At::field("spec.hostnames"),
            "a TLSRoute names at least one host: TLS clients are told apart by it",
        );
    }
}
