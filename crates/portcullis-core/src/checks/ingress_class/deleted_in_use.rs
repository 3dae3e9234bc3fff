//! `ingress-class/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressClass, Kind};

pub static CHECK: Check = Check {
    id: "ingress-class/deleted-in-use",
    // Only warns, so that no configuration can deny a deletion.
    needs: &[Kind::Ingress],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::IngressClass(check),
    ..Check::reference(Actions::WARN)
};

fn check(class: &IngressClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let name = class.metadata.name();
    let ingresses = || cx.cluster.ingresses_of_class(name);
    // The first by name, so that the result does not depend on the order of the index.
    let Some(first) = ingresses().min_by_key(|ingress| &ingress.object_ref) else { return };
    let at = At::field("metadata.name");
    let finding = match ingresses().count() - 1 {
        0 => found.forbidden(at, name, "{other} still uses this class: move it to another class first"),
        more => {
            let finding =
                found.forbidden(at, name, "{other} and {} more still use this class: move them to another class first");
            finding.args([&more.to_string()])
        }
    };
    finding.other(&first.object_ref).only_warns();
}
