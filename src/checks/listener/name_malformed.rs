//! `listener/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/name-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("name_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        if !listener.name.is_empty() && !names::is_subdomain(&listener.name) {
            let otherwise = "`{}` needs a letter or digit at both ends and at each dot; at most 253 bytes";
            found.malformed(at.then("name"), &listener.name, otherwise);
        }
    }
}
