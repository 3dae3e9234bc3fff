//! `listener/from-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/from-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("from_unknown.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, namespaces) in walk::listener::namespaces(listeners) {
        match namespaces.from.as_deref() {
            None | Some("All" | "Selector" | "Same") => {}
            Some("None") => {
                found.not_supported(
                    at.then("from"),
                    "None",
                    "`{}` is for ListenerSets: routes come from All, Selector or Same",
                );
            }
            Some(from) => {
                found.not_supported(at.then("from"), from, "`{}` is none of All, Selector, Same");
            }
        }
    }
}
