//! `ingress/path-encoded-slash`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-encoded-slash",
    // The document is silent about it.
    page: include_str!("path_encoded_slash.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.exact_or_prefix() else { continue };
        if written.as_bytes().windows(3).any(|bytes| matches!(bytes, b"%2f" | b"%2F")) {
            found.invalid(at.then("path"), written, "`{}` must not contain an encoded `/` (`%2F`)");
        }
    }
}
