//! `ingress-class/controller-changed`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{IngressClass, Object};

pub static CHECK: Check = Check {
    id: "ingress-class/controller-changed",
    // Off in `kep-758`: the KEP does not mention changes of this field.
    page: include_str!("controller_changed.md"),
    when: When::Update,
    run: Run::IngressClass(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(class: &IngressClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::IngressClass(old)) = cx.old else { return };
    let (new, old) = (&*class.spec.controller, &*old.spec.controller);
    if new != old {
        found
            .invalid(At::field("spec.controller"), new, "`{}` must not replace `{}`: the field is immutable")
            .args([new, old]);
    }
}
