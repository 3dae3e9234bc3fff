//! `ingress/class-not-found`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/class-not-found",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::new(Action::Warn, Action::Warn, Action::Deny),
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressClass],
    options: &[],
    page: include_str!("class_not_found.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // The annotation is an opaque text (KEP-758): a controller may know it without any object of that name.
    let Some(name) = ingress.spec.ingress_class_name.as_deref().filter(|name| !name.is_empty()) else { return };
    if let Lookup::Absent = cx.cluster.ingress_class(name) {
        found.not_found(At::field("spec.ingressClassName"), name, "there is no IngressClass `{}`");
    }
}
