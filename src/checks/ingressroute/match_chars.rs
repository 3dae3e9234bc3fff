//! `ingressroute/match-chars`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/match-chars",
    page: include_str!("match_chars.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        let prefix = path.prefix();
        if prefix.bytes().all(is_plain) {
            continue;
        }
        let strange = prefix.chars().find(|character| character.is_control() || character.is_whitespace());
        if let Some(character) = strange {
            let sentence = "`{}` holds `{}`, which the path of no request can hold";
            found.invalid(at.then("match"), prefix, sentence).shown([prefix, character.encode_utf8(&mut [0; 4])]);
        } else if let Some(sentence) = doubtful(prefix) {
            found.invalid(at.then("match"), prefix, sentence).only_warns();
        }
    }
}

/// Whether a byte is none of those that could be at fault here.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !matches!(byte, b'?' | b'#' | b'.')
}

/// Why no request may ever match `prefix`, though it is one.
fn doubtful(prefix: &str) -> Option<&'static str> {
    if prefix.contains('?') {
        return Some("`{}` holds a `?`: a query is no part of the path, so nothing matches");
    }
    if prefix.contains('#') {
        return Some("`{}` holds a `#`: a fragment is never sent, so nothing matches");
    }
    let has_parent = prefix.split('/').any(|segment| segment == "..");
    has_parent.then_some("`{}` holds `..`, which proxies resolve before they match")
}
