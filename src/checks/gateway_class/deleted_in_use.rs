//! `gateway-class/deleted-in-use`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{GatewayClass, Kind};

pub static CHECK: Check = Check {
    id: "gateway-class/deleted-in-use",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Gateway],
    options: &[],
    page: include_str!("deleted_in_use.md"),
    run: Run::GatewayClassDeletion(check),
};

fn check(class: &GatewayClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let name = class.metadata.name();
    let mut gateways = cx.cluster.gateways_of_class(name);
    let Some(first) = gateways.next() else { return };
    let at = At::field("metadata.name");
    let finding = match gateways.count() {
        0 => found.forbidden(at, name, "{other} still names this class"),
        more => {
            let finding = found.forbidden(at, name, "{other} and {} more still name this class");
            finding.shown([&more.to_string()])
        }
    };
    finding.other(&first.place).only_warns();
}
