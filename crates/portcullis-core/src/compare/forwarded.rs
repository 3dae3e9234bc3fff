//! How two forwarded requests differ.

use std::collections::BTreeSet;

use super::change::ChangeKind;
use crate::explain::outcome::TRANSPORT_SECURITY;
use crate::explain::{BackendShare, Forward, HeaderChanges};
use crate::kinds::duration;

/// The timeouts, each with its length in milliseconds, or as written if it is not a duration.
pub(super) fn timeouts(forward: &Forward) -> Vec<(&str, Result<u128, &str>)> {
    let length = |written: &str| duration::parse(written).map(|length| length.as_millis());
    forward.timeouts.iter().map(|(name, written)| (*name, length(written).ok_or(written.as_str()))).collect()
}

/// Tells `push` how two forwarded requests differ: in backends, in what these receive, and in the headers of the response.
pub(super) fn forwarded(before: &Forward, after: &Forward, push: &mut impl FnMut(ChangeKind, String)) {
    if shares(&before.backends) != shares(&after.backends) {
        push(ChangeKind::Backends, format!("{}, before {}", answering(after), before.served(label)));
    }
    let (own, other) = (&before.request, &after.request);
    if own.path != other.path {
        push(ChangeKind::Rewrite, format!("the backend gets the path {}, before {}", other.path, own.path));
    }
    if own.host != other.host {
        push(ChangeKind::Rewrite, format!("the backend gets the host {}, before {}", other.host, own.host));
    }
    let sorted = |headers: &[(String, String)]| headers.iter().cloned().collect::<BTreeSet<_>>();
    let (own, other) = (sorted(&own.headers), sorted(&other.headers));
    for (name, value) in other.difference(&own) {
        push(ChangeKind::Rewrite, format!("the backend gets the header {name}: {value}"));
    }
    for (name, _) in own.difference(&other).filter(|(name, _)| !other.iter().any(|(known, _)| known == name)) {
        push(ChangeKind::Rewrite, format!("the backend does not get the header {name}"));
    }
    // What is set, and mostly what is added, shows in the headers of the example.
    let hidden = [before, after].map(|forward| {
        let HeaderChanges { add, remove, .. } = forward.request.changes.clone();
        HeaderChanges { set: Vec::new(), add: if own == other { add } else { Vec::new() }, remove }
    });
    for text in header_changes("requests", &hidden[0], &hidden[1]) {
        push(ChangeKind::Rewrite, text);
    }
    // That it is lost is a loss of protection.
    let security = after.response_headers.value_of(TRANSPORT_SECURITY);
    let own = match security {
        None => before.response_headers.without(TRANSPORT_SECURITY),
        Some(_) => before.response_headers.clone(),
    };
    for text in header_changes("responses", &own, &after.response_headers) {
        push(ChangeKind::Rewrite, text);
    }
    if shares(&before.mirrors) != shares(&after.mirrors) {
        push(ChangeKind::Mirrors, "other backends get copies".to_owned());
    }
}

/// How changes to the headers of `what` differ, each as text.
fn header_changes(what: &str, before: &HeaderChanges, after: &HeaderChanges) -> Vec<String> {
    let of = |changes: &HeaderChanges| -> BTreeSet<String> {
        let set = changes.set.iter().map(|(name, value)| format!("{name} of {what} is set to {value}"));
        let added = changes.add.iter().map(|(name, value)| format!("{value} is added to {name} of {what}"));
        let removed = changes.remove.iter().map(|name| format!("{name} of {what} is removed"));
        set.chain(added).chain(removed).collect()
    };
    let (before, after) = (of(before), of(after));
    let lost = before.difference(&after).map(|change| format!("before alone, the header {change}"));
    after.difference(&before).map(|change| format!("the header {change}")).chain(lost).collect()
}

/// The backends that answer, as text.
pub(super) fn answering(forward: &Forward) -> String {
    let are_several = forward.backends.iter().filter(|backend| backend.share > 0.0).nth(1).is_some();
    format!("{} {}", forward.served(label), if are_several { "answer" } else { "answers" })
}

/// The backends that get requests with their shares in a millionth, each once.
fn shares(backends: &[BackendShare]) -> Vec<(String, bool, u64)> {
    let mut all: Vec<(String, bool, f64)> = Vec::new();
    for backend in backends.iter().filter(|backend| backend.share > 0.0) {
        let (label, share) = (label(backend), backend.share);
        match all.iter_mut().find(|(known, may_answer, _)| *known == label && *may_answer == backend.may_answer) {
            Some((.., total)) => *total += share,
            None => all.push((label, backend.may_answer, share)),
        }
    }
    let rounded = |(label, may_answer, share): (String, bool, f64)| (label, may_answer, (share * 1e6).round() as u64);
    let mut all: Vec<(String, bool, u64)> = all.into_iter().map(rounded).collect();
    all.sort();
    all
}

/// A backend with its kind, namespace and port.
pub(super) fn label(backend: &BackendShare) -> String {
    let kind = if backend.kind == "Service" { "Service " } else { "" };
    format!("{kind}{}", backend.label_with_port(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Failure, ForwardedRequest, PathRewrite};

    #[test]
    fn headers_that_differ_are_named() {
        let of = |set: &[(&str, &str)], remove: &[&str]| HeaderChanges {
            set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            add: Vec::new(),
            remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        };
        let (before, after) = (of(&[("a", "1"), ("b", "2")], &["c"]), of(&[("b", "2"), ("a", "3")], &[]));
        let expected = [
            "the header a of responses is set to 3",
            "before alone, the header a of responses is set to 1",
            "before alone, the header c of responses is removed",
        ];
        assert_eq!(header_changes("responses", &before, &after), expected);
        assert!(header_changes("responses", &after, &after).is_empty());
    }

    #[test]
    fn timeouts_of_the_same_length_are_the_same() {
        let of = |written: &str| {
            let request = ForwardedRequest {
                path: String::new(),
                rewrite: PathRewrite::None,
                host: String::new(),
                headers: Vec::new(),
                changes: HeaderChanges::default(),
            };
            let (backends, response_headers, mirrors) = Default::default();
            let timeouts = vec![("request", written.to_owned())];
            Forward { backends, failure: Failure::Unspecified, request, response_headers, mirrors, timeouts }
        };
        assert_eq!(timeouts(&of("10s")), timeouts(&of("10000ms")));
        assert_eq!(timeouts(&of("1h2m3s")), [("request", Ok(3_723_000))]);
        assert_ne!(timeouts(&of("10s")), timeouts(&of("10m")));
        assert_eq!(timeouts(&of("soon")), [("request", Err("soon"))]);
    }
}
