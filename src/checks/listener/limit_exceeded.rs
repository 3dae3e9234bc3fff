//! `listener/limit-exceeded`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

/// The most certificates of a listener.
const MOST_CERTIFICATES: usize = 64;
/// The most TLS options of a listener.
const MOST_OPTIONS: usize = 16;
/// The most characters of an option's value.
const MOST_OF_AN_OPTION: usize = 4096;
/// The most kinds of routes that a listener names.
const MOST_KINDS: usize = 8;

pub static CHECK: Check = Check {
    id: "listener/limit-exceeded",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("limit_exceeded.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, tls) in walk::listener::tls(listeners) {
        let (certificates, options) = (tls.certificate_refs.len(), tls.options.iter().count());
        if certificates > MOST_CERTIFICATES {
            let count = certificates.to_string();
            found.invalid(at.then("certificateRefs"), &count, "{} certificates; a listener has at most 64");
        }
        if options > MOST_OPTIONS {
            found.invalid(at.then("options"), &options.to_string(), "{} options; a listener has at most 16");
        }
        for (key, value) in tls.options.iter().filter(|(_, value)| value.chars().count() > MOST_OF_AN_OPTION) {
            let sentence = "the option `{}` must have at most 4096 characters";
            found.too_long(at.then("options").key(key), value, sentence).shown([key]);
        }
    }
    for (at, listener) in walk::listener::listeners(listeners) {
        let count = listener.allowed_routes.as_ref().map_or(0, |allowed| allowed.kinds.len());
        if count > MOST_KINDS {
            let at = at.then("allowedRoutes.kinds");
            found.invalid(at, &count.to_string(), "{} kinds of routes; a listener names at most 8");
        }
    }
}
