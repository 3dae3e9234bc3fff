//! `listener/protocol-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

/// The most bytes of a protocol.
const MOST: usize = 255;

pub static CHECK: Check = Check {
    id: "listener/protocol-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("protocol_malformed.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        let protocol = &*listener.protocol;
        if !protocol.is_empty() && !is_protocol(protocol) {
            found.invalid(at.then("protocol"), protocol, "`{}` must be one word, or a domain, `/` and a word");
        }
    }
}

/// Whether `text` is a word with inner `-`, or a DNS-1123 subdomain, `/` and a word; at most 255 bytes.
fn is_protocol(text: &str) -> bool {
    let is_alphanumeric = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.len() <= MOST
        && match text.split_once('/') {
            Some((domain, word)) => names::is_subdomain(domain) && is_alphanumeric(word),
            None => {
                !text.starts_with('-')
                    && !text.ends_with('-')
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
        }
}
