//! `listener/legacy-field`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/legacy-field",
    page: include_str!("legacy_field.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        if listener.routes.0 {
            found.invalid(
                at.then("routes"),
                &listener.name,
                "`routes` is `allowedRoutes` today: what it says is dropped in silence",
            );
        }
    }
    for (at, _, namespaces) in walk::listener::namespaces(listeners) {
        if let Some(label) = namespaces.selector.as_ref().and_then(|selector| selector.stray.as_deref()) {
            let sentence = "labels stand below `matchLabels` today: `{}` is dropped, so more is let in";
            found.invalid(at.then("selector"), label, sentence);
        }
    }
}
