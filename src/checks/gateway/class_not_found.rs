//! `gateway/class-not-found`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};

pub static CHECK: Check = Check {
    id: "gateway/class-not-found",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::GatewayClass],
    options: &[],
    page: include_str!("class_not_found.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let class = gateway.class();
    if !class.is_empty() && cx.cluster.gateway_class(class) == Lookup::Absent {
        let sentence = "there is no GatewayClass `{}`: no controller serves the Gateway until it exists";
        found.not_found(At::field("spec.gatewayClassName"), class, sentence);
    }
}
