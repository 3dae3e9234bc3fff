//! `ingress-class/controller-changed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-changed",
    theme: Theme::Shape,
    since: Release(0, 1),
    // The document says nothing of changes.
    actions: Actions::new(Action::Deny, Action::Deny, Action::Off),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("controller_changed.md"),
    run: Run::IngressClassChange(check),
};

fn check(class: &IngressClass<'_>, old: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let (new, old) = (&*class.spec.controller, &*old.spec.controller);
    if new != old {
        found
            .invalid(At::field("spec.controller"), new, "`{}` must stay `{}`: a class keeps its controller")
            .shown([new, old]);
    }
}
