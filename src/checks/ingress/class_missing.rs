//! `ingress/class-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/class-missing",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressClass],
    options: &[],
    page: include_str!("class_missing.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if ingress.class().is_none()
        && let Lookup::Absent = cx.cluster.default_classes()
    {
        let sentence = "no class is named and none is the default: most controllers skip it";
        found.required(At::field("spec.ingressClassName"), sentence);
    }
}
