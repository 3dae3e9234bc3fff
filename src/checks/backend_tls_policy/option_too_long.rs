//! `backend-tls-policy/option-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;

/// The most characters of an option.
const MOST: usize = 4096;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/option-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("option_too_long.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (key, value) in policy.spec.options.iter() {
        let length = value.chars().count();
        if length > MOST {
            let at = At::field("spec.options").key(key);
            found.too_long(at, &length.to_string(), "{} characters; an option has at most 4096");
        }
    }
}
