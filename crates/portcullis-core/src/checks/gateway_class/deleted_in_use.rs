//! `gateway-class/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{GatewayClass, Kind};

pub static CHECK: Check = Check {
    id: "gateway-class/deleted-in-use",
    needs: &[Kind::Gateway],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::GatewayClass(check),
    ..Check::reference(Actions::WARN)
};

fn check(class: &GatewayClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let name = class.metadata.name();
    let mut gateways = cx.cluster.gateways_of_class(name);
    let Some(first) = gateways.next() else { return };
    let at = At::field("metadata.name");
    let finding = match gateways.count() {
        0 => found.forbidden(at, name, "{other} still uses this class: move it to another class first"),
        more => {
            let finding =
                found.forbidden(at, name, "{other} and {} more still use this class: move them to another class first");
            finding.args([&more.to_string()])
        }
    };
    finding.other(&first.object_ref).only_warns();
}
