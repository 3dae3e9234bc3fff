//! `ingress/class-changed`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, Object};

pub static CHECK: Check = Check {
    id: "ingress/class-changed",
    // Off in the other profiles: the current API allows changing the class, which is necessary to move to another
    // controller.
    page: include_str!("class_changed.md"),
    when: When::Update,
    run: Run::Ingress(check),
    ..Check::policy(Actions::new(Action::Off, Action::Off, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::Ingress(old)) = cx.old else { return };
    let at = At::field("spec.ingressClassName");
    match (old.spec.ingress_class_name.as_deref(), ingress.spec.ingress_class_name.as_deref()) {
        (Some(old), Some(new)) if old != new => {
            found.forbidden(at, new, "`{}` must stay `{}`: an Ingress keeps its class").args([new, old]);
        }
        (None, Some(new)) => {
            found.forbidden(
                at,
                new,
                "`{}` must not be added: an Ingress that was created without a class stays without one",
            );
        }
        (Some(old), None) => {
            found.forbidden(at, "", "`{}` must not be removed: an Ingress keeps its class").args([old]);
        }
        _ => {}
    }
}
