//! `ingress/specific-path-not-absolute`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/specific-path-not-absolute",
    // The document leaves the text of such a path to the class.
    page: include_str!("specific_path_not_absolute.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let written = path.path.as_deref().unwrap_or_default();
        let is_specific = path.path_type.as_deref() == Some("ImplementationSpecific");
        if is_specific && !written.is_empty() && !written.starts_with('/') {
            found.invalid(at.then("path"), written, "`{}` must begin with `/`");
        }
    }
}
